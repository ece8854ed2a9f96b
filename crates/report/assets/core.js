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
