// Long lists page by page, with a box that filters them, and folds that are filled when they are opened.
//
// A page may have ten thousand of anything: only what is shown is made. On paper there are no pages to turn, so more is shown there, up to a number that is said.

/** The least number of entries for which a box to filter them is worth its place. */
const FILTER_FROM = 8;

/**
 * A list of `items` that is shown page by page. `make(item, index)` gives the element of one, `wrap(elements)` what holds them, `noun` is their word ("regions"),
 * `words(item)` the text that the filter looks at (left out: no filter), `paper` how many are printed. Gives the element, and `reveal(index)`, which turns to an
 * item and gives its element.
 */
function pagedList({ items, make, wrap, noun, words = null, size = 20, paper = 100 }) {
  let kept = items.map((_, index) => index), first = 0, many = size;
  let made = new Map();
  const holder = el("div", {}), where = el("span", { class: "soft small", role: "status" });
  const turn = (by) => { first += by * size; show(); };
  const back = el("button", { type: "button", onclick: () => turn(-1), "aria-label": `Previous ${noun}` }, "‹ Previous");
  const on = el("button", { type: "button", onclick: () => turn(1), "aria-label": `Next ${noun}` }, "Next ›");
  const cut = el("p", { class: "paperonly soft small" });
  const box = words && items.length >= FILTER_FROM && el("input", { type: "search", placeholder: `Filter ${noun}`, "aria-label": `Filter ${noun}: words, with commas between them`, oninput: () => filter() });

  function filter() {
    const sought = box.value.split(",").map(comparable).filter(Boolean);
    kept = items.map((_, index) => index).filter((index) => {
      const text = comparable(words(items[index]));
      return sought.every((each) => text.includes(each));
    });
    first = 0;
    show();
  }

  function show() {
    first = Math.max(0, Math.min(first, kept.length - 1));
    made = new Map(kept.slice(first, first + many).map((index) => [index, made.get(index) ?? make(items[index], index)])); // folds that are open stay open
    holder.replaceChildren(...(made.size > 0 ? [wrap([...made.values()])] : []));
    const among = kept.length === items.length ? "" : ` (of ${number(items.length)} in all)`;
    where.textContent = made.size === 0 ? `no ${noun}${among}` : `${number(first + 1)} to ${number(first + made.size)} of ${number(kept.length)} ${noun}${among}`;
    cut.textContent = made.size < kept.length ? `Printed: ${where.textContent}.` : "";
    keepFocus(on.parentElement ?? holder, () => {
      back.disabled = first === 0;
      on.disabled = first + many >= kept.length;
    });
  }

  let left = 0; // where the reader was before printing
  listen("paper", (starts) => {
    if (starts) left = first;
    first = starts && kept.length <= paper ? 0 : left;
    many = starts ? paper : size;
    show();
  });
  show();
  const turns = items.length > size;
  const bar = (turns || box) && el("div", { class: "toolbar" }, box, turns && [back, on], where);
  const reveal = (index) => {
    if (!kept.includes(index)) {
      box.value = "";
      filter();
    }
    first = Math.floor(kept.indexOf(index) / size) * size;
    show();
    return made.get(index);
  };
  return { element: el("div", { class: "paged" }, bar, holder, cut), reveal };
}

/** Text for comparing: signs of comparison as people type them, without spaces and without regard to capitals. */
function comparable(text) {
  return text.toLowerCase().replace(/≤/g, "<=").replace(/≥/g, ">=").replace(/≠/g, "!=").replace(/−/g, "-").replace(/[\s\u202f]+/g, "");
}

/** A fold whose inside is made when it is first opened, or printed. */
function fold(summary, make, attributes) {
  const folded = el("details", attributes, el("summary", {}, summary));
  const fill = () => {
    if (folded.childElementCount === 1) folded.append(...[make()].flat());
  };
  folded.addEventListener("toggle", () => { if (folded.open) fill(); });
  folded.addEventListener("paper", fill);
  return folded;
}

/** Conditions side by side, each in a box of its own; `add` marks them as new. */
function literalList(texts, kind = null) {
  return el("ul", { class: "literals" }, texts.map((text) => el("li", { class: kind }, name(text))));
}

/** One of several ways to look at the same thing: buttons of which one is pressed. `choose` is told its index. */
function chooser(label, choices, choose) {
  const buttons = choices.map((text, index) => el("button", { type: "button", "aria-pressed": index === 0 ? "true" : "false", onclick: () => {
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", other === index ? "true" : "false"));
    choose(index);
  } }, text));
  return el("span", { role: "group", "aria-label": label, class: "chooser" }, buttons);
}
