// The frame around the parts: navigation that marks where one is, the theme, the help about keys, and paper.

/** The navigation at the side: a link for each part, and the tools of the page. Gives the element. */
function makeContents(wanted) {
  const links = wanted.map(({ id, title }) => el("a", { href: `#${id}` }, title));
  return el("nav", { class: "contents", "aria-label": "Parts of the page" }, el("ol", {}, links.map((link) => el("li", {}, link))),
    el("div", { class: "tools" }, themeButton(), el("button", { type: "button", onclick: () => print() }, "Print"),
      el("button", { type: "button", onclick: showKeys, "aria-label": "Keys", "aria-keyshortcuts": "?" }, "?")));
}

/** Marks the part that is being read while the page scrolls. */
function markWhileScrolling(nav) {
  const links = [...nav.querySelectorAll("a")];
  let waiting = false, marked = null;
  const mark = () => {
    waiting = false;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4 && scrollY > 0;
    const begun = links.filter((link) => document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top <= innerHeight * 0.3);
    const here = (atEnd ? links.at(-1) : begun.at(-1)) ?? links[0];
    if (here === marked) return;
    marked?.removeAttribute("aria-current");
    here?.setAttribute("aria-current", "location");
    marked = here;
    // On a small screen the navigation is a row of its own that scrolls: bring the mark into it, without moving the page.
    if (here && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = here.offsetLeft - nav.clientWidth / 3;
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  mark();
}

const THEMES = ["auto", "light", "dark"];

/** A button that goes round the themes: as the system has it, light, dark. */
function themeButton() {
  let theme = 0;
  const button = el("button", { type: "button", onclick: () => {
    theme = (theme + 1) % THEMES.length;
    button.textContent = `Theme: ${THEMES[theme]}`;
    wear(THEMES[theme]);
  } }, "Theme: auto");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (theme === 0) wear("auto"); });
  return button;
}

/** Puts a theme on: pictures are drawn again in its colours. */
function wear(theme) {
  document.documentElement.className = theme === "auto" ? "" : theme;
  colours.clear();
  tell("theme");
}

/** Paper: light, with all folds open and lists as long as is sensible; afterwards everything is as it was. */
function watchPaper() {
  let opened = [], theme = null;
  addEventListener("beforeprint", () => {
    if (theme !== null) return; // some browsers tell twice
    theme = document.documentElement.className || "auto";
    wear("light");
    tell("paper", true);
    // A fold may hold others that are made only now.
    for (let closed; (closed = document.querySelector("details:not([open]):not(.screen)")) !== null;) {
      closed.dispatchEvent(new Event("paper"));
      closed.open = true;
      opened.push(closed);
    }
  });
  addEventListener("afterprint", () => {
    if (theme === null) return;
    for (const each of opened) each.open = false;
    tell("paper", false);
    wear(theme);
    [opened, theme] = [[], null];
  });
}

/** Keys of the page itself; parts add theirs by `keyHelp`. */
const PAGE_KEYS = { where: "Everywhere", pairs: [["Tab", "goes to the next link, button or word with an explanation"], ["?", "shows this help"], ["Esc", "closes it, and explanations"]] };

function watchKeys() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "?" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    showKeys();
  });
}

let keysDialog = null;

function showKeys() {
  if (keysDialog?.open) return;
  const rows = ({ where, pairs }) => [el("h3", {}, where), el("dl", { class: "keys" }, pairs.map(([key, does]) => [el("dt", {}, key.split(" ").map((each) => [el("kbd", {}, each), " "])), el("dd", {}, does)]))];
  keysDialog = el("dialog", { "aria-labelledby": "keys-title", onclose: () => keysDialog.remove() },
    el("h2", { id: "keys-title" }, "Keys"), [PAGE_KEYS, ...keysKnown].map(rows), el("button", { type: "button", onclick: () => keysDialog.close() }, "Close"));
  document.body.append(keysDialog);
  keysDialog.showModal();
}
