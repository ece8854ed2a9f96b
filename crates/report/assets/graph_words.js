// The graph of states in words: what holds in a group, what tells it from its neighbours, what its actions are called.

/** An attribute with a value as words: "speed <= 3", "mode = parked". */
function literalText(graph, attribute, value) {
  const { name: what, words, values, variable } = graph.attributes[attribute];
  if (words) return words[value] ?? `${what}: ${value}`;
  const known = variable === null || variable === undefined ? null : data.json.variables[variable];
  return `${what} = ${values?.[value] ?? (known ? shown(known, value) : number(value))}`;
}

/** Whether states are told apart by predicates, not by variables alone. */
const hasPredicates = (graph) => graph.attributes.some(({ words }) => words);

/** What tells a node from its siblings, as words. */
function ownLiterals(graph, node) {
  const above = graph.parent[node];
  if (above < 0) return [];
  return decidingIn(graph, above).map((attribute) => literalText(graph, attribute, graph.values[attribute](graph.tree.lo[node])));
}

/** Everything that holds in all states of a node: what tells it from its siblings first, each with whether it is that. */
function allLiterals(graph, node) {
  const above = graph.parent[node], own = new Set(above < 0 ? [] : decidingIn(graph, above));
  const found = graph.attributes.map((_, attribute) => attribute).filter((attribute) => constantIn(graph, attribute, node))
    .map((attribute) => ({ own: own.has(attribute), text: literalText(graph, attribute, graph.values[attribute](graph.tree.lo[node])) }));
  return [...found.filter((each) => each.own), ...found.filter((each) => !each.own)];
}

/** Literals without those that others imply: of `x >= 1`, `x >= 3` and `x <= 3` only `x = 3` is left. The order is that of the first of each variable. */
function tightened(texts) {
  const ranges = new Map(), made = [];
  for (const text of texts) {
    const [, what, sign, end] = /^(.+) (<=|>=) (-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
    if (!what) {
      made.push(() => [text]);
      continue;
    }
    if (!ranges.has(what)) {
      const range = { low: -Infinity, high: Infinity };
      ranges.set(what, range);
      made.push(() => (range.low === range.high ? [`${what} = ${range.low}`] : [range.low > -Infinity && `${what} >= ${range.low}`, range.high < Infinity && `${what} <= ${range.high}`]));
    }
    const range = ranges.get(what);
    if (sign === "<=") range.high = Math.min(range.high, Number(end));
    else range.low = Math.max(range.low, Number(end));
  }
  return made.flatMap((texts) => texts()).filter(Boolean);
}

/** The lines that a box shows of a node: what tells it from its siblings. */
function nodeLines(graph, node) {
  if (!graph.names.has(node)) {
    const own = node === 0 ? ["all states"] : tightened(ownLiterals(graph, node));
    graph.names.set(node, (own.length ? own : [statesIn(graph, node) === 1 ? `state ${graph.tree.lo[node]}` : "the same predicates"]).map(legible));
  }
  return graph.names.get(node);
}

function nodeName(graph, node) {
  return nodeLines(graph, node).join(" · ");
}

/** A name for a node among all that is shown: what tells it and the last groups around it apart, from the outside in. */
function longName(graph, node, below = 0) {
  const names = pathTo(graph, node).filter((each) => each > below).map((each) => nodeName(graph, each));
  return names.length === 0 ? nodeName(graph, node) : `${names.length > 4 ? "… › " : ""}${names.slice(-4).join(" › ")}`;
}

/** The smallest group that two nodes are in. */
function commonGroup({ parent }, a, b) {
  while (a !== b) {
    if (a > b) a = parent[a]; else b = parent[b];
  }
  return a;
}

/** What the path in the graph is called: a counterexample only where the verdict is that there is one; of an abstraction, no run of the model need follow it. */
function pathName({ kind }) {
  const { verdict, sought, bounds, formula } = data.json;
  const breaks = sought === "unsafe" && bounds === null && formula === null;
  if (kind === "abstract") return breaks ? "abstract counterexample" : "abstract path";
  if (breaks && verdict.checked && verdict.word === "violated") return "counterexample";
  return sought === "unsafe" ? "shortest run to an unsafe state" : "shortest run to a state as asked for";
}

/** "1 step", "2 steps". */
function counting(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** How many states a node has, in words. */
function sizeText(graph, node) {
  const count = statesIn(graph, node);
  return count === 1 ? `state ${graph.tree.lo[node]}` : `${number(count)} states`;
}

/** The marks of a node with how many of its states have each; those that none has are left out. */
function marksOf(graph, node) {
  const found = NODE_MARKS.map((mark) => ({ ...mark, count: countIn(graph, mark.bit, node) })).filter((mark) => mark.count > 0);
  for (const mark of found) {
    if (mark.bit === NODE_ONPATH) mark.name = `on the ${pathName(graph)}`;
    // A transition that is not in an incomplete graph may exist all the same.
    if (mark.bit === NODE_TERMINAL && !graph.complete) mark.name = "without a known transition out";
  }
  return found;
}

function marksText(graph, node) {
  const single = statesIn(graph, node) === 1;
  return marksOf(graph, node).map((mark) => (single ? mark.name : `${number(mark.count)} ${mark.name}`)).join(", ");
}

/** A bound with so many digits, away from the truth: an upper bound up, a lower one down. Columns have single precision: what that added is no reason to go further. */
function roundedUp(value, digits) {
  const near = Number(value.toPrecision(digits));
  return near >= value - Math.abs(value) * 1.2e-7 || !Number.isFinite(value) ? near : Number((value + 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - digits) / 2).toPrecision(digits));
}

const roundedDown = (value, digits) => -roundedUp(-value, digits);

/** The values of a node as words: of one state its bounds, of a group the largest; null if the graph has none. */
function valueText(graph, node) {
  if (!graph.value) return null;
  const state = graph.tree.lo[node];
  if (statesIn(graph, node) > 1) return `at most ${number(roundedUp(graph.highest[node], 6))} in each of its states`;
  const high = number(roundedUp(graph.value[state], 6));
  if (!graph.low) return `at most ${high}`;
  return graph.low[state] === graph.value[state] ? high : `from ${number(roundedDown(graph.low[state], 6))} to ${high}`;
}

/** An action of a move as people see it; the column has no null. */
function moveAction(index) {
  return index === TIE16 ? el("span", { class: "soft" }, "several actions") : actionBadge(index === NONE16 ? null : index);
}

const moveActionName = (index) => (index === TIE16 ? "several actions" : actionName(index === NONE16 ? null : index));
