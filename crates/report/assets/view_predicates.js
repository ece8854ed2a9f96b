// Predicates to try: a list that can be changed, the abstraction by them, and how it compares with the tries before.

part("predicates", "Try predicates", (json) => json.mode === "view", buildPredicates);

function buildPredicates(section, { given_predicates: given = [] }) {
  const rows = el("ol", { class: "regions" }), outcome = el("div", { "aria-live": "polite" }), tries = el("div", {});
  const done = []; // the tries so far
  const button = (label, act, attributes) => el("button", { type: "button", ...attributes, onclick: act }, label);
  const stop = button("Stop", () => ask("stop", {}).catch(() => {}), { disabled: true });
  const texts = () => [...rows.querySelectorAll("input")].map((field) => field.value.trim());

  function addRow(text = "", after = null) {
    const field = el("input", { type: "text", value: text, style: { flex: "1 1 12rem", "min-width": "0" }, spellcheck: false, autocomplete: "off", "aria-label": "Predicate", placeholder: "such as x + y <= 7, or door & !moving" });
      const remove = button("Remove", () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector("input") ?? add).focus();
    });
    field.addEventListener("paste", (event) => {
      const lines = (event.clipboardData?.getData("text") ?? "").split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
      if (lines.length < 2) return;
      event.preventDefault();
      lines.reduce((last, line) => addRow(line, last), row);
      if (field.value.trim() === "") row.remove();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        addRow("", row).querySelector("input").focus();
      }
    });
    const row = el("li", {}, el("div", { class: "toolbar", style: { margin: "0" } }, field, remove), el("div", { class: "said" }));
    if (after) after.after(row);
    else rows.append(row);
    return row;
  }

  function fillRows(list) {
    rows.replaceChildren();
    for (const text of list) addRow(text);
    if (list.length === 0) addRow();
  }

  async function tryThem() {
    for (const row of [...rows.children]) {
      if (row.querySelector("input").value.trim() === "" && rows.children.length > 1) row.remove();
      else row.querySelector(".said").replaceChildren();
    }
    const list = texts().filter(Boolean);
    start.disabled = true;
    stop.disabled = false;
    outcome.replaceChildren(el("p", { class: "soft" }, "Computing the abstraction…"));
    try {
      showTry(list, await ask("predicates", { texts: list }));
    } catch (error) {
      outcome.replaceChildren();
      sayProblem(error);
    }
    start.disabled = false;
    stop.disabled = true;
  }

  /** What is wrong stands at the predicate that it is about. */
  function sayProblem(error) {
    const { index, place } = error.told ?? {};
    const row = Number.isInteger(index) ? rows.children[index] : null;
    const box = conditionProblem(error, row?.querySelector("input"), place);
    if (row) row.querySelector(".said").replaceChildren(box);
    else outcome.replaceChildren(box);
  }

  function showTry(list, answer) {
    const { graph, added, dropped, summary, proved, figures } = answer.json;
    for (const { index, why } of dropped) rows.children[index]?.querySelector(".said").replaceChildren(el("p", { class: "soft small" }, "Left out: ", name(why), "."));
    const before = done.at(-1);
    done.push({ list, summary, proved, figures });
    outcome.replaceChildren(
      el("p", { class: "note" }, proved === true && [el("span", { class: "badge goal" }, "holds"), " "], name(summary)),
      el("dl", { class: "pairs" }, figures.map(({ name: what, value }) => el("div", {}, el("dt", {}, what), el("dd", {}, number(value), differenceText(before, what, value))))),
      added.length > 0 && fold(`${number(added.length)} ${added.length === 1 ? "predicate tells" : "predicates tell"} states apart`, () => literalList(added)),
      el("p", {}, el("a", { href: "#abstraction" }, "See it drawn"), "."));
    tries.replaceChildren(...(done.length > 1 ? [el("h3", {}, "Tries so far"), triesTable(done, (list) => { fillRows(list); start.focus(); })] : []));
    setGraph(graph, answer, summary);
    announce(summary);
  }

  const start = el("button", { type: "submit" }, "Show the abstraction");
  const add = button("Add a predicate", () => addRow().querySelector("input").focus());
  fillRows(given);
  section.append(
    el("p", {}, "States for which the same ", term("predicate", "predicates"), " are true are treated as one. More predicates make the abstraction finer; with none of its states unsafe, the property is proved."),
    el("form", { onsubmit: (event) => { event.preventDefault(); tryThem(); } },
      el("div", { style: { "max-height": "36rem", overflow: "auto" } }, rows),
      el("div", { class: "toolbar" }, add, start, stop, copyButton("Copy as text", () => texts().filter(Boolean).join("\n") + "\n", { class: "copy end" })),
      el("p", { class: "soft small" }, "Enter shows the abstraction, Shift+Enter adds a line; a list with one predicate per line can be pasted. Conditions are written as on the command line.")),
    outcome, tries);
}

function differenceText(before, what, value) {
  const was = before?.figures.find((figure) => figure.name === what)?.value;
  if (was === undefined || was === value) return null;
  return el("span", { class: "soft small" }, ` (${value > was ? "+" : "−"}${number(Math.abs(value - was))})`);
}

function triesTable(done, use) {
  const names = done[0].figures.map((figure) => figure.name);
  return el("div", { class: "scroll" }, el("table", { class: "still" },
    el("thead", {}, el("tr", {}, el("th", {}, "Try"), names.map((each) => el("th", { class: "number" }, each)), el("th", {}, "Says"))),
    el("tbody", {}, done.map(({ list, figures, summary, proved }, i) => el("tr", {},
      el("td", {}, el("button", { type: "button", hint: list.join("\n") || "no predicates", onclick: () => use(list) }, `${number(i + 1)}: use again`)),
      figures.map((figure) => el("td", { class: "number" }, number(figure.value))), el("td", { hint: summary }, proved ? "it holds" : proved === false ? "nothing follows" : "–"))))));
}

/** What is wrong with a condition: the words, and the text with the place marked. The field is chosen there. */
function conditionProblem(error, field, place) {
  const box = el("div", { class: "problem", role: "alert" }, el("p", {}, name(capital(error.message))));
  const [from, to] = place ?? [];
  if (field && Number.isInteger(from)) {
    const text = field.value, end = Math.min(text.length, Math.max(to, from + 1));
    box.append(el("code", {}, text.slice(0, from), el("mark", {}, text.slice(from, end) || "▁"), text.slice(end)));
    field.focus();
    field.setSelectionRange?.(from, end);
  }
  return box;
}
