// Bounds: the interval with its exact ends, how it narrowed, and the states that matter most.
//
// Wherever a bound is shortened to some digits it is rounded outwards: a lower one down, an upper one up. What is shown is proved.

part("bounds", "Bounds", (json) => json.bounds !== null, buildBounds);

function buildBounds(section, json) {
  const { lo, hi, exact, what, threshold, band, states, starts } = json.bounds;
  section.append(el("p", {}, name(capital(what)), "."), intervalBox(lo, hi, exact), intervalPairs(lo, hi, threshold));
  if (band.length > 0) section.append(el("h3", {}, "How the bounds came together"), bandFigure(band, threshold, what), bandTable(band));
  if (starts) section.append(el("h3", {}, starts.count === 1 ? "Over the only start state" : `Over the ${number(starts.count)} start states`), startsTable(starts));
  if (states.length > 0) {
    const wide = json.variables.length > 8; // then paper is turned, heading and all
    section.append(el("div", { class: wide ? "wide" : null }, el("h3", {}, "The states that matter most"), weightyStates(states, json.variables)));
  }
}

/** A bound as `number` writes it, rounded outwards: `by` is -1 for a lower one, 1 for an upper one. */
function outward(value, by) {
  if (value === null) return "∞"; // the page has no number for it
  if (!Number.isFinite(value) || Number.isInteger(value)) return number(value);
  const size = Math.abs(value);
  if (size >= 1e6 && size < 1e9) return number(by < 0 ? Math.floor(value) : Math.ceil(value));
  const digits = size >= 1e9 || size < 1e-4 ? 4 : 6; // as many as `number` shows
  const near = Number(value.toPrecision(digits));
  if ((near - value) * by >= 0) return number(near);
  return number(Number((near + by * 10 ** (Math.floor(Math.log10(size)) - digits + 1)).toPrecision(digits)));
}

const lowerBound = (value) => outward(value, -1), upperBound = (value) => outward(value, 1);

/** The interval in large, and its ends as exact fractions, which can be long. */
function intervalBox(lo, hi, exact) {
  const point = exact[0] === exact[1];
  const ends = point ? [["exactly", exact[0]]] : [["at least", exact[0]], ["at most", exact[1]]];
  const long = ends.some(([, text]) => text.length > 40);
  const exactly = el("dl", { class: "ends" }, ends.map(([words, text]) => [el("dt", {}, words), el("dd", {}, el("code", {}, text), " ", copyButton("Copy", () => text, { "aria-label": `Copy: ${words}` }))]));
  return el("div", { class: "interval" },
    el("p", { class: "large" }, point ? ["value ", String(lo) === exact[0] || lo === null ? "= " : "≈ ", number(lo ?? Infinity)] : [lowerBound(lo), " ≤ value ≤ ", upperBound(hi)]),
    long ? fold("The exact numbers", () => exactly) : exactly);
}

function intervalPairs(lo, hi, threshold) {
  const pairs = [["Distance between the bounds", lo === null || hi === null ? "∞" : upperBound(hi - lo)]];
  if (lo > 0 && hi !== null) pairs.push(["The upper bound is", `at most ${upperBound(hi / lo)} times the lower one`]);
  if (threshold) pairs.push([term("threshold", "Threshold"), [name(`${threshold.op} ${threshold.text}`), ": ", thresholdWords(lo, hi, threshold)]]);
  return pairList(pairs);
}

/** What the interval says of the comparison. */
function thresholdWords(lo, hi, { op, value }) {
  if (lo === null || hi === null) return "";
  const holds = { "<": [hi < value, lo >= value], "<=": [hi <= value, lo > value], ">": [lo > value, hi <= value], ">=": [lo >= value, hi < value] }[op.replace("≤", "<=").replace("≥", ">=")];
  if (!holds) return "";
  return holds[0] ? "kept, whatever the value in the interval is" : holds[1] ? "not kept, whatever the value in the interval is" : "the interval does not tell";
}

function bandFigure(band, threshold, what) {
  const drawn = band.filter((entry) => entry.lo !== null && entry.hi !== null);
  if (drawn.length === 0) return el("p", { class: "soft" }, "The bounds were never both finite, so there is nothing to draw.");
  const across = [{ title: "iteration", of: (entry) => entry.iteration }, { title: "questions to the oracle", of: (entry) => entry.questions }];
  const holder = el("div", {});
  let [by, log] = [0, false];
  const draw = () => {
    const points = drawn.map((entry) => ({ x: across[by].of(entry), lo: entry.lo, hi: entry.hi }));
    const end = points.at(-1);
    const label = `Lower and upper bound over ${across[by].title}: from ${number(points[0].lo)} and ${number(points[0].hi)} to ${number(end.lo)} and ${number(end.hi)}`;
    const chart = bandChart({ points, title: across[by].title, log, threshold: threshold?.value, label });
    holder.replaceChildren(figure(chart, ["The true value lies in the band, whenever one stops: ", name(what), drawn.length < band.length && ". Where a bound is infinite nothing is drawn", "."], "bounds.svg"));
  };
  const many = drawn.length > 1;
  const positive = drawn.some((entry) => entry.hi > 0);
  const bar = el("div", { class: "toolbar" }, many && chooser("Along the bottom", ["by iteration", "by questions"], (index) => { by = index; draw(); }),
    positive && chooser("Scale of the values", ["linear", "logarithmic"], (index) => { log = index === 1; draw(); }));
  draw();
  return el("div", {}, bar, holder);
}

/** The numbers of the chart, for those who do not see it and for those who want them. */
function bandTable(band) {
  const head = ["Iteration", "Questions", "Lower", "Upper", "What narrowed it"].map((text, i) => el("th", { scope: "col", class: i < 4 ? "number" : null }, text));
  const row = (entry) => el("tr", {}, el("th", { scope: "row", class: "number" }, number(entry.iteration)),
    [number(entry.questions), lowerBound(entry.lo), upperBound(entry.hi)].map((value) => el("td", { class: "number" }, value)), el("td", {}, entry.cause && name(entry.cause)));
  return fold("The numbers", () => pagedList({ items: band, make: row, noun: "iterations", size: 50, paper: 100,
    wrap: (rows) => el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))) }).element);
}

function startsTable({ smallest, largest, mean }) {
  const row = ([words, [low, high]]) => el("tr", {}, el("th", { scope: "row" }, words), el("td", { class: "number" }, lowerBound(low)), el("td", { class: "number" }, upperBound(high)));
  return el("div", { class: "scroll narrow" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Value"), el("th", { scope: "col", class: "number" }, "At least"), el("th", { scope: "col", class: "number" }, "At most"))),
    el("tbody", {}, [["smallest", smallest], ["largest", largest], ["mean", mean]].map(row))));
}

/** States with their bounds. Each is a link: the state is then looked at everywhere on the page. */
function weightyStates(states, variables) {
  const has = (key) => states.some((entry) => entry[key] !== null);
  const columns = [
    { head: "At least", of: (entry) => (entry.lo === null ? "" : lowerBound(entry.lo)), right: true, wanted: has("lo") },
    { head: "At most", of: (entry) => (entry.hi === null ? "" : upperBound(entry.hi)), right: true, wanted: has("hi") },
    { head: hinted("Visits", "How often runs from the start state come to it on average, as floats compute it, if the environment does what the value needs."), of: (entry) => (entry.weight === null ? "" : number(entry.weight)), right: true, wanted: has("weight") },
    { head: "Action", of: (entry) => entry.action !== null && name(entry.action), wanted: has("action") },
    { head: "Note", of: (entry) => entry.note !== null && name(entry.note), wanted: has("note") },
  ].filter((each) => each.wanted);
  const counts = ({ type, names }) => ((type === "int" || type === "real") && !names ? "number" : null);
  const head = [el("th", { scope: "col" }, "State"), columns.map((each) => el("th", { scope: "col", class: each.right ? "number whole" : "whole" }, each.head)),
    variables.map((variable) => el("th", { scope: "col", class: counts(variable) }, name(variable.name)))];
  const row = (entry, index) => el("tr", {}, el("th", { scope: "row" }, stateLink(entry.state, `state ${number(index + 1)}`)),
    columns.map((each) => el("td", { class: each.right ? "number" : null }, each.of(entry))), variables.map((variable, i) => el("td", { class: counts(variable) }, name(shown(variable, entry.state[i])))));
  return pagedList({ items: states, make: row, noun: "states", size: 25, paper: 100, words: (entry) => `${stateText(entry.state)} ${entry.action ?? ""} ${entry.note ?? ""}`,
    wrap: (rows) => el("div", { class: "scroll" }, el("table", { class: "still" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))) }).element;
}
