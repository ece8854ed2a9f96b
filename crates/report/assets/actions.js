// Colours, and how actions and what is known of states are seen everywhere: a code and a colour, a pattern and a word.
//
// Colours are variables of the style, so that there is one place for light, dark and paper; a canvas asks for them by name.

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
