// What every part of the page stands on: the data, elements made without markup, numbers as people read them, and who is told of what.
//
// All files are put one after another into one function, in the order of `assets.rs`; names are shared. Nothing is ever written as markup: names of models come
// from others, and are text.

const NONE8 = 255, TIE8 = 254, NONE16 = 65535, TIE16 = 65534;

/** An element: attributes by name, `on...` as listeners, `style` as an object of properties, `hint` (an explanation on hover and focus); children are elements or text. */
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  attach(made, attributes, children);
  return made;
}

/** The same for SVG. */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  attach(made, attributes, children);
  return made;
}

/** Attributes that people read. */
const READ_OUT = new Set(["title", "aria-label", "placeholder"]);

function attach(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "hint") explain(made, value);
    else if (name === "style") for (const [property, wanted] of Object.entries(value)) made.style.setProperty(property, wanted);
    else made.setAttribute(name, value === true ? "" : READ_OUT.has(name) ? legible(String(value)) : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) made.append(typeof child === "string" ? legible(child) : child);
  }
}

/** Text in which characters that turn the direction of what follows, or that nobody can see, are shown by their numbers: a name cannot make another text look different. */
function legible(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/g, (sign) => `⟨U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** An explanation that `watchHints` shows on hover and on focus. This alone does not make an element take the focus (a table has thousands): `term` does. */
function explain(element, words) {
  element.setAttribute("data-hint", words);
  element.classList.add("hinted");
}

/** The words of the trade, as someone new to it wants them explained. The page ends with those that it uses. */
const WORDS = {
  "abstract state": "A set of states that are treated as one: all those for which the same predicates are true.",
  "abstract path": "A sequence of abstract states that leads from the start to an unsafe one. It may or may not be a run of the model.",
  "assumption": "Something that was taken for granted: the verdict says nothing if it does not hold.",
  "bound": "A number that the true probability or value is proved not to be below (lower) or above (upper).",
  "certificate": "A file with the proof in full. A separate small program checks it without trusting the tool that wrote it.",
  "counterexample": "A run that the model and the policy really have and that breaks the property.",
  "engine": "The method that decided the question. What one engine finds, others can confirm.",
  "filter": "What decides which actions the policy may choose from in a state, for instance only those that are possible there.",
  "hash": "A fingerprint (SHA-256) of a file: if a single byte differs, so does the fingerprint.",
  "horizon": "How many steps ahead the question looks.",
  "invariant": "A set of states that contains every start state, that no step leaves, and that contains no unsafe state. To exhibit one proves safety.",
  "literal": "A predicate or its negation: one condition of a region.",
  "margin": "By how much the score of the chosen action exceeds the best score of another one. Small: a small change of the network may change the choice.",
  "near tie": "A choice whose margin is less than a thousandth of the size of the scores.",
  "outcome": "What the environment made of the action, where the model leaves that to chance or to choice.",
  "policy": "The neural network that chooses the action in each state, with the rules of how its outputs are read.",
  "predicate": "A statement about the variables that is true or false in a state, such as x ≤ 3. Predicates tell abstract states apart.",
  "question": "Asked of the part that decides whether conditions on variables and network can hold together. How many there were says how hard it was.",
  "refinement": "Making the abstraction finer by new predicates, because it showed a path that no run follows.",
  "region": "A set of states given by conditions on the variables.",
  "run": "A sequence of states, each reached from the one before by an action of the policy and an outcome of the environment.",
  "score": "The network's output for an action. The policy chooses the action with the highest score.",
  "seed": "The number that chance in the tool starts from: with the same one, everything happens the same way again.",
  "silent step": "A step of the model without an action's name: the environment moves and the policy is not asked.",
  "spurious": "Of an abstract path: no run of the model follows it. It exists only because the abstraction is too coarse.",
  "start state": "A state in which a run may begin.",
  "threshold": "The number that the property compares the probability or value with.",
  "tie": "Two or more actions have the same highest score. The policy says which counts: the first of them, or each.",
};

const wordsUsed = new Set();

/** A word of the trade with its explanation on hover and on focus: `term("margin")`, or `term("margin", "Margins")`. */
function term(word, text = word) {
  if (!(word in WORDS)) return text;
  wordsUsed.add(word);
  return el("span", { class: "term", tabindex: 0, hint: WORDS[word] }, text);
}

/** Show words (text or an element) beside a place on the screen; pictures call it for what is under the pointer. */
function showTip(words, x, y) {
  const tip = document.getElementById("tip");
  if (!tip) return;
  tip.replaceChildren(typeof words === "string" ? legible(words) : words);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const below = y + 16 + box.height < innerHeight;
  tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 4))}px`;
  tip.style.top = `${below ? y + 16 : Math.max(4, y - box.height - 8)}px`;
}

function hideTip() {
  const tip = document.getElementById("tip");
  if (tip) tip.hidden = true;
}

/** One listener for all explanations of the page: hover, focus, and Escape to be rid of them. */
function watchHints() {
  const over = (event) => {
    const hinted = event.target.closest?.("[data-hint]");
    if (!hinted) return;
    const box = hinted.getBoundingClientRect();
    const pointer = event.type === "pointerover";
    showTip(hinted.getAttribute("data-hint"), pointer ? event.clientX : box.left, pointer ? Math.max(event.clientY, box.bottom - 16) : box.bottom - 8);
    hinted.setAttribute("aria-describedby", "tip");
  };
  const out = (event) => {
    const hinted = event.target.closest?.("[data-hint]");
    if (!hinted) return;
    hinted.removeAttribute("aria-describedby");
    hideTip();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("pointerout", out);
  document.addEventListener("focusout", out);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
}

/** A name from a model: text of its own direction. */
function name(text) {
  return el("bdi", { class: "name" }, text);
}

/** A sentence begins with a capital letter. */
function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A number as people read it: digits in groups, six significant digits of fractions. */
function number(value) {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (Number.isInteger(value)) return grouped(String(Math.abs(value)), value < 0);
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) return value.toExponential(3).replace("-", "−");
  if (size >= 1e6) return grouped(String(Math.round(size)), value < 0);
  const [whole, rest] = size.toPrecision(6).split(".");
  const digits = (rest ?? "").replace(/0+$/, "");
  return grouped(whole, value < 0) + (digits ? "." + digits : "");
}

function grouped(digits, negative) {
  const parts = digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return (negative ? "−" : "") + parts;
}

/** Bytes of a page or an answer: JSON, and the columns that it speaks of. */
async function unpack(octets) {
  const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { json, buffer, binary: Math.ceil((4 + length) / 8) * 8 };
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

/** The numbers of a column; plain arrays are as they are. */
function column(reference, from = data) {
  if (reference === null || reference === undefined) return null;
  if (Array.isArray(reference)) return reference;
  const start = from.binary + reference.at;
  if (reference.type !== "bits") return new ARRAYS[reference.type](from.buffer, start, reference.length);
  const packed = new Uint8Array(from.buffer, start, Math.ceil(reference.length / 8));
  return Uint8Array.from({ length: reference.length }, (_, i) => (packed[i >> 3] >> (i & 7)) & 1);
}

/** What the page shows: set once, before anything is built. `data.json` is the object of the page. */
let data = null;

/**
 * Who wants to know what happens: `state` (a concrete state is looked at: `{values, from}`, `from` is the id of the
 * part that says so), `node` (an abstract one), `theme` (colours are others now), `paper` (true before
 * printing, false after it: what is paged shows more), `built` (all parts are there).
 */
const listeners = new Map();

function listen(event, told) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(told);
}

function tell(event, what) {
  for (const told of listeners.get(event) ?? []) told(what);
}

/** Parts of the page in their order: what `app.js` builds once the data is there. */
const parts = [];

/**
 * A part: its id (and address), its title, `wanted(json)` whether there is anything to show, and `build(section, json)`, which may be asynchronous. The section
 * is on the page already and opens with the title, unless the part is `bare` and brings its own.
 */
function part(id, title, wanted, build, bare = false) {
  parts.push({ id, title, wanted, build, bare });
}

/** Keys that parts of the page know, for the help: where, and pairs of a key and what it does. */
const keysKnown = [];

function keyHelp(where, pairs) {
  keysKnown.push({ where, pairs });
}

/** A question to the program that serves the page. What is wrong with it is thrown, with all that was said of it as `told`. */
async function ask(path, question) {
  const answer = await fetch("api/" + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) })
    .catch(() => { throw new Error("the program that serves this page does not answer: it may have ended"); });
  if (answer.headers.get("content-type") === "application/octet-stream") return unpack(await answer.arrayBuffer());
  const told = await answer.json();
  if (!answer.ok || told.error !== undefined) throw Object.assign(new Error(told.error ?? answer.statusText), { told });
  return told;
}

/** The value of a variable as people read it. */
function shown(variable, value) {
  if (variable.type === "bool") return value ? "true" : "false";
  if (variable.names) return variable.names[value] ?? number(value);
  return number(value);
}

/** A state as text that can be read back: `x=3, y=5`. */
function stateText(values) {
  return data.json.variables.map((variable, i) => `${variable.name}=${plain(variable, values[i])}`).join(", ");
}

/** The value of a variable as a program reads it: no groups of digits. */
function plain(variable, value) {
  if (variable.type === "bool") return value ? "true" : "false";
  return variable.names?.[value] ?? String(value);
}

/** What `x=3, y=true` says: pairs of a variable's index and a value. Also takes numbers alone, one per variable. Says what is wrong with it. */
function parseState(text) {
  const { variables } = data.json;
  const items = text.split(/[,;]\s*|\s*∧\s*/).map((item) => item.trim()).filter(Boolean);
  if (items.length === variables.length && items.every((item) => /^[-−]?\d+(\.\d+)?(e[-+]?\d+)?$/.test(item))) {
    return items.map((item, i) => [i, Number(item.replace("−", "-"))]);
  }
  return items.map((item) => {
    const at = item.indexOf("=");
    if (at < 0) throw new Error(`“${item}” is not of the form name=value`);
    const [who, what] = [item.slice(0, at).trim(), item.slice(at + 1).replace(/^=/, "").trim()];
    const index = variables.findIndex((variable) => variable.name === who || legible(variable.name) === who);
    if (index < 0) throw new Error(`there is no variable “${who}”`);
    const named = variables[index].names?.indexOf(what) ?? -1;
    const value = what === "true" ? 1 : what === "false" ? 0 : named >= 0 ? named : what === "" ? NaN : Number(what.replace("−", "-").replace(/\u202f/g, ""));
    if (Number.isNaN(value)) throw new Error(`“${what}” is not a value of ${who}`);
    return [index, value];
  });
}

// Colours. They are variables of the style, so that there is one place for light, dark and paper; a canvas asks for them by name.

const SHADES = 12; // --a0 ... --a11 of the style
const colours = new Map();

/** A colour of the style as `rgb(r, g, b)`: `colour("--ink")`. It changes with the theme: listen to `theme` and draw again, at once (paper does not wait). */
function colour(variable) {
  if (!colours.has(variable)) {
    const probe = document.createElement("span");
    probe.style.color = `var(${variable})`;
    document.documentElement.append(probe);
    colours.set(variable, getComputedStyle(probe).color);
    probe.remove();
  }
  return colours.get(variable);
}

/** The same as three numbers of 0 to 255. */
function rgb(variable) {
  return colour(variable).match(/[\d.]+/g).slice(0, 3).map(Number);
}

/** Black or white, whichever reads better on three numbers of red, green and blue. */
function inkOn([red, green, blue]) {
  const part = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue) > 0.179 ? "#000" : "#fff";
}

/** The name of the colour of an action, for `rgb` and `var(...)`. Twelve colours go round: the glyph tells actions apart, the colour helps. */
function actionVariable(index) {
  if (index === null || index === undefined || index < 0) return "--silent";
  const place = data.json.policy_actions?.indexOf(index) ?? -1;
  return `--a${(place >= 0 ? place : index) % SHADES}`;
}

/** The colour of an action, `rgb(...)`; grey for a silent step. */
function actionColour(index) {
  return colour(actionVariable(index));
}

/** The name of an action as text. */
function actionName(index) {
  if (index === null || index === undefined) return "silent step";
  return data.json.actions[index] ?? `action ${index}`;
}

let glyphs = null;

/** A code of one to three letters or digits that no other action has: what tells actions apart without colour. */
function actionGlyph(index) {
  if (index === null || index === undefined) return "·";
  glyphs ??= makeGlyphs();
  return glyphs[index] ?? String(index);
}

const SIGNS = { "-1": "−", 0: "0", 1: "+" };

/** The words and numbers of a name. */
function wordsOf(text) {
  return (text ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").match(/[A-Za-z]+|-?\d+/g) ?? [];
}

/** The words that all of some names begin with, though none ends there: they tell nothing apart. */
function commonWords(names) {
  if (names.length < 2) return [];
  const most = Math.min(...names.map((words) => words.length)) - 1;
  let same = 0;
  while (same < most && names.every((words) => words[same] === names[0][same])) same++;
  return names[0].slice(0, same);
}

function makeGlyphs() {
  const { actions, policy_actions: chosen } = data.json;
  const taken = new Set(), made = [], prefix = commonWords((chosen ?? [...actions.keys()]).map((index) => wordsOf(actions[index])));
  // The policy's actions first: they are the ones that pictures are full of, so they get the short codes.
  for (const index of new Set([...(chosen ?? []), ...actions.keys()])) {
    const all = wordsOf(actions[index]), own = prefix.length < all.length && prefix.every((word, i) => word === all[i]) ? all.slice(prefix.length) : all;
    const words = own.map((word) => word.replace("-", ""));
    // Steps along axes, as in `accel_1_-1`: by their signs.
    const signs = own.length > 1 && own.every((word) => word in SIGNS) ? own.map((word) => SIGNS[word]).join("") : "";
    const letters = words.join("");
    const initials = words.map((word) => word[0]).join("");
    const tail = words.length > 1 && /^\d+$/.test(words.at(-1)) ? words[0][0] + words.at(-1) : "";
    const pairs = [...letters.slice(1)].map((letter) => letters[0] + letter);
    const code = [signs, tail, letters.slice(0, 1), initials, ...pairs, letters.slice(0, 3), String(index), `#${index}`]
      .map((each) => each.toUpperCase())
      .find((each) => each.length > 0 && each.length <= 3 && !taken.has(each)) ?? String(index);
    taken.add(code);
    made[index] = code;
  }
  return made;
}

/** What is known of a state, in the order of the marks of maps and of tables of states. */
const MARKS = [
  { name: "nothing known", colour: "--unknown" },
  { name: "proved safe", colour: "--safe" },
  { name: "an unsafe state can be reached", colour: "--danger" },
  { name: "unsafe", colour: "--unsafe" },
  { name: "not reached from a start state", colour: "--unreached" },
  { name: "outside of what is proved", colour: "--outside" },
  { name: "no state of the model", colour: "--outside" },
];

/** Names for questions that look for something else than unsafe states; to be called before anything is built. */
function nameMarks(json) {
  if (json.sought === "unsafe") return;
  const names = { 1: "none as asked for can be reached", 2: "one as asked for can be reached", 3: "as asked for" };
  const colours = { 1: "--unknown", 2: "--plain", 3: "--good" };
  for (const mark of [1, 2, 3]) Object.assign(MARKS[mark], { name: names[mark], colour: colours[mark] });
  Object.assign(NODE_MARKS.find(({ bit }) => bit === NODE_UNSAFE), { name: "as asked for", colour: "--good", ground: "--good-ground" });
}

function markName(mark) {
  return MARKS[mark]?.name ?? `mark ${mark}`;
}

function markColour(mark) {
  return colour(MARKS[mark]?.colour ?? "--unknown");
}

/** An action as people see it everywhere: its glyph on its colour, and its name. */
function actionBadge(index, withName = true) {
  const variable = actionVariable(index);
  const style = { background: `var(${variable})`, color: `var(${variable}-ink)` };
  const glyph = el("span", { class: "glyph", style, "aria-hidden": withName ? "true" : null, hint: withName ? null : actionName(index) }, actionGlyph(index));
  return el("span", { class: "action" }, glyph, withName && name(actionName(index)));
}

// Addresses: what is looked at has a link that can be sent.

const routes = [];

/** Who opens `#word`, `#word-rest` and `#word=rest`; told the rest, decoded, and brings into view what it opens. `#state=3,5` is opened by `map.js`, which tells `state`. */
function route(word, open) {
  routes.push({ word, open });
}

/** Write what is looked at into the address, without a new entry in the history. */
function address(text) {
  try {
    history.replaceState(null, "", "#" + text);
  } catch { /* a page inside of another one may not: it is shown all the same */ }
}

/** A link to a state. Whoever shows states is told, once the address is opened. */
function stateLink(values, ...children) {
  const href = "#state=" + values.join(",");
  return el("a", { href, title: stateText(values), onclick: () => { if (location.hash === href) followAddress(); } }, children);
}

/** Make a change that may switch the focused button of a row off, or make the row's elements anew: the focus stays in the row, at the nearest button that is on. */
function keepFocus(row, change) {
  const of = () => [...row.querySelectorAll("button, a[href]")], focused = document.activeElement, at = of().indexOf(focused);
  change();
  if (at < 0 || (focused.isConnected && !focused.disabled)) return;
  const near = of().map((each, i) => [Math.abs(i - at), each]).filter(([, each]) => !each.disabled && each.checkVisibility()).sort(([a], [b]) => a - b)[0];
  near?.[1].focus({ preventScroll: true });
}

/** A button that copies what `text` gives when it is pressed. */
function copyButton(label, text, attributes) {
  const button = el("button", { type: "button", class: "copy", ...attributes, onclick: async () => {
    const done = await copy(text());
    button.textContent = done ? "Copied" : "Could not copy";
    announce(button.textContent);
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // pages from a file may lack the clipboard: the old way works there
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A button that saves what `content` gives (text, or a blob, or a promise of one) as a file. */
function saveButton(label, file, content, attributes) {
  return el("button", { type: "button", ...attributes, onclick: async () => {
    const link = el("a", { href: URL.createObjectURL(new Blob([await content()])), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, label);
}

/** Tell those who hear the page instead of seeing it. */
function announce(text) {
  const voice = document.getElementById("voice");
  if (voice) voice.textContent = text;
}
