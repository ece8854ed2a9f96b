// What expressions, texts and colours of a drawing come to in a state.
//
// The program that wrote the page has read them (its `drawing.rs`): here they are trees of numbers and operators, walked through and never executed. A scene is one
// picture being made: the values of the state, the indices of the repetitions around, how many pixels a unit has, and how much work may still be done. What has no
// value, as `x_{i}` where no variable is called so, is NaN; whatever needs it is not drawn.

const DRAW_WORK = 2_000_000; // steps of expressions, and
const DRAW_MARKS = 5000; // elements that one picture may take: a file that asks for more gets a part of its picture

/** Ends a picture that asks for too much. */
class DrawTooMuch extends Error {}

const DRAW_OPERATORS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a - b * Math.floor(a / b),
  "=": (a, b) => Number(a === b), "!=": (a, b) => Number(a !== b), "<": (a, b) => Number(a < b), ">": (a, b) => Number(a > b),
  "<=": (a, b) => Number(a <= b), ">=": (a, b) => Number(a >= b), not: (a) => Number(!a),
  min: Math.min, max: Math.max, abs: Math.abs, floor: Math.floor, ceil: Math.ceil, round: Math.round, sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos,
  angle: (x, y) => (Math.atan2(y, x) * 180) / Math.PI,
};

/** The number that an expression comes to. */
function drawValue(tree, scene) {
  if (typeof tree === "number") return tree;
  if (--scene.work < 0) throw new DrawTooMuch();
  const [operator, first, second, third] = tree;
  switch (operator) {
    case "v": return Number(scene.values[first] ?? NaN);
    case "i": return scene.indices[first];
    case "l": return scene.lets[first];
    case "n": return Number(scene.values[drawnVariable(tree, scene)] ?? NaN);
    case "?": return drawValue(drawValue(first, scene) ? second : third, scene);
    case "and": return Number(tree.every((each, n) => n === 0 || drawValue(each, scene)));
    case "or": return Number(tree.some((each, n) => n > 0 && drawValue(each, scene)));
    case "lower": case "upper": return data.json.variables[drawnVariable(first, scene)]?.[operator] ?? NaN;
    case "sum": {
      let sum = 0;
      drawTurns(tree.slice(1, 4), scene, () => { sum += drawValue(tree[4], scene); });
      return sum;
    }
    default: return DRAW_OPERATORS[operator](...tree.slice(1).map((operand) => drawValue(operand, scene)));
  }
}

/** The index of the variable that a name means, or undefined. */
function drawnVariable([kind, ...pieces], scene) {
  if (kind === "v") return pieces[0];
  return scene.names.get(pieces.map((piece) => (typeof piece === "string" ? piece : drawValue(piece, scene))).join(""));
}

/** Does something once for each index of a repetition: its place among the indices, from, to. */
function drawTurns([slot, from, to], scene, turn) {
  const last = drawValue(to, scene);
  for (let index = drawValue(from, scene); index <= last; index++) {
    if (--scene.work < 0) throw new DrawTooMuch();
    scene.indices[slot] = index;
    turn(index);
  }
}

/** What a choice comes to: conditions and lists are gone through until a plain one is left. */
function drawnChoice(choice, scene) {
  while (choice && (choice.if !== undefined || choice.pick !== undefined)) {
    choice = choice.pick === undefined ? (drawValue(choice.if, scene) ? choice.then : choice.else) : choice.from[drawValue(choice.pick, scene)];
  }
  return choice;
}

function drawnText(text, scene) {
  const pieces = drawnChoice(text, scene) ?? [];
  return pieces.map((piece) => (typeof piece === "string" ? piece : drawnHole(piece.value, scene))).join("");
}

/** A variable is shown as everywhere (the names of its values, true and false); anything else is a number. */
function drawnHole(tree, scene) {
  const variable = tree[0] === "v" || tree[0] === "n" ? data.json.variables[drawnVariable(tree, scene)] : undefined;
  const value = drawValue(tree, scene);
  return variable && !Number.isNaN(value) ? shown(variable, value) : number(value);
}

/** The description of a picture: texts, some of them repeated. */
function drawnWords(words, scene) {
  if (Array.isArray(words) && words.every((item) => typeof item === "string" || item?.value !== undefined)) return [drawnText(words, scene)];
  if (Array.isArray(words)) return words.flatMap((item) => drawnWords(item, scene));
  if (!words.for) return [drawnText(words, scene)];
  const said = [];
  drawTurns(words.for, scene, () => said.push(...drawnWords(words.words, scene)));
  return said;
}

const DRAW_HUES = ["blue", "orange", "green", "pink", "yellow", "sky", "violet", "olive", "brown", "grey", "lemon", "red"];
const DRAW_GROUNDS = {
  "pale blue": "--plain-ground", "pale green": "--good-ground", "pale yellow": "--open-ground", "pale red": "--bad-ground",
  raised: "--raised", ground: "--ground", faint: "--line",
};
const DRAW_INKS = { ink: "--ink", soft: "--soft", strong: "--strong" };

/** A colour as the style knows it, and the ink that reads on it. */
function drawnColour(colour, scene, otherwise) {
  let chosen = drawnChoice(colour, scene) ?? otherwise;
  if (chosen?.hue !== undefined) {
    const hue = drawValue(chosen.hue, scene);
    chosen = DRAW_HUES[((Math.floor(hue) % DRAW_HUES.length) + DRAW_HUES.length) % DRAW_HUES.length];
  }
  const hue = DRAW_HUES.indexOf(chosen);
  if (hue >= 0) return { paint: `var(--a${hue})`, ink: `var(--a${hue}-ink)` };
  if (chosen in DRAW_GROUNDS) return { paint: `var(${DRAW_GROUNDS[chosen]})`, ink: "var(--ink)" };
  if (chosen in DRAW_INKS) return { paint: `var(${DRAW_INKS[chosen]})`, ink: "var(--ground)" };
  // A hole is darker than what is around it on a dark page too.
  if (chosen === "dark") return { paint: "light-dark(#3a434e, #05070a)", ink: "#ffffff" };
  return { paint: "none", ink: "var(--ink)" };
}
