// The graph of states as the page holds it: typed arrays, the level-of-detail tree over them, and what is counted per group.
//
// States are sorted by their attributes, so a group of states that agree in the first attributes is a range lo..hi, and everything counted per group is a
// difference of two running sums. A node of the tree is its index in preorder: the root is 0, and a parent's index is less than those of its children. A group
// has two parts or more, so ranges alone say what is in what; states that agree in everything are parts of one group without a level of their own.

const NODE_START = 1, NODE_UNSAFE = 2, NODE_TERMINAL = 4, NODE_UNEXPANDED = 8, NODE_ONPATH = 16, NODE_GOAL = 32;

/** What marks of abstract states are called and drawn as; the order is that of their importance. `colour` and `ground` are of the style. */
const NODE_MARKS = [
  { bit: NODE_UNSAFE, name: "unsafe", symbol: "!", colour: "--bad", ground: "--bad-ground" },
  { bit: NODE_START, name: "start", symbol: "▸", colour: "--plain", ground: "--plain-ground" },
  { bit: NODE_ONPATH, name: "on the path", symbol: "◆", colour: "--open", ground: "--open-ground" },
  { bit: NODE_GOAL, name: "goal", symbol: "★", colour: "--good", ground: "--good-ground" },
  { bit: NODE_TERMINAL, name: "no transition leaves it", symbol: "■", colour: "--ink", ground: "--raised" },
  { bit: NODE_UNEXPANDED, name: "not expanded", symbol: "…", colour: "--soft", ground: "--raised" },
];

/** The graph of an answer or of the page: `source` is the object of the contract, `from` holds its columns. */
function makeGraph(source, from) {
  const tree = Object.fromEntries(["lo", "hi", "level", "x", "y", "w", "h"].map((key) => [key, column(source.tree[key], from)]));
  const size = source.tree.count;
  const graph = {
    ...source, size, tree,
    edges: Object.fromEntries(["offsets", "targets", "action", "probability"].map((key) => [key, column(source.edges[key], from)])),
    marks: column(source.marks, from), layer: column(source.layer, from), value: column(source.value, from), low: column(source.low, from),
    values: source.columns.map((reference) => cellReader(reference, from)),
    ...linkTree(tree, size),
    deciding: new Map(), sums: new Map(), names: new Map(),
  };
  graph.edgeCount = graph.edges.targets.length;
  graph.highest = graph.value && highestIn(graph);
  return graph;
}

/** Reads single values of a column. Bits stay packed: of 30 predicates of 100,000 states, a picture needs some hundred values. */
function cellReader(reference, from) {
  if (Array.isArray(reference) || reference.type !== "bits") {
    const plainColumn = column(reference, from);
    return (state) => plainColumn[state];
  }
  const packed = new Uint8Array(from.buffer, from.binary + reference.at, Math.ceil(reference.length / 8));
  return (state) => (packed[state >> 3] >> (state & 7)) & 1;
}

/** From the nesting of the ranges: parents, how many children, and for every node the one after its subtree. */
function linkTree({ lo, hi }, size) {
  const parent = new Int32Array(size).fill(-1), after = new Uint32Array(size).fill(size), childCount = new Uint32Array(size);
  const open = [];
  for (let node = 0; node < size; node++) {
    while (open.length && lo[node] >= hi[open.at(-1)]) after[open.pop()] = node;
    if (open.length) {
      parent[node] = open.at(-1);
      childCount[open.at(-1)]++;
    }
    open.push(node);
  }
  return { parent, after, childCount };
}

/** The largest value in each node: what a colour of a group must not hide. */
function highestIn({ size, tree: { lo, hi }, parent, after, value }) {
  const most = new Float32Array(size).fill(-Infinity);
  for (let node = size - 1; node >= 0; node--) {
    if (after[node] === node + 1) for (let state = lo[node]; state < hi[node]; state++) if (value[state] > most[node]) most[node] = value[state];
    if (node > 0 && most[node] > most[parent[node]]) most[parent[node]] = most[node];
  }
  return most;
}

function childrenOf(graph, node) {
  const found = [];
  for (let child = node + 1; child < graph.after[node]; child = graph.after[child]) found.push(child);
  return found;
}

const isLeaf = (graph, node) => graph.childCount[node] === 0;
const statesIn = (graph, node) => graph.tree.hi[node] - graph.tree.lo[node];

/** The nodes from the root to this one. */
function pathTo(graph, node) {
  const path = [];
  for (let at = node; at >= 0; at = graph.parent[at]) path.unshift(at);
  return path;
}

/** The node of exactly this range, or the smallest that holds it. */
function nodeOf(graph, lo, hi) {
  for (let node = 0; ;) {
    let inside = -1;
    for (let child = node + 1; child < graph.after[node]; child = graph.after[child]) {
      if (graph.tree.lo[child] <= lo && hi <= graph.tree.hi[child]) inside = child;
    }
    if (inside < 0) return node;
    node = inside;
  }
}

/** How many states of a node have a mark: by running sums, made when first needed. */
function countIn(graph, bit, node) {
  if (!graph.sums.has(bit)) graph.sums.set(bit, runningSum(graph.count, (state) => (graph.marks[state] & bit ? 1 : 0)));
  return sumIn(graph, graph.sums.get(bit), node);
}

function sumIn(graph, sum, node) {
  return sum[graph.tree.hi[node]] - sum[graph.tree.lo[node]];
}

function runningSum(count, weight) {
  const sum = new Uint32Array(count + 1);
  for (let state = 0; state < count; state++) sum[state + 1] = sum[state] + weight(state);
  return sum;
}

/** In how many of the first attributes the states of a node agree for certain. */
function attributesOf(graph, node) {
  return graph.levels[Math.min(graph.tree.level[node], graph.levels.length - 1)].attributes;
}

/** Whether an attribute has one value in all states of a node. Ranges agree in the attributes of their level; later ones are looked through. */
function constantIn(graph, attribute, node) {
  if (attribute < attributesOf(graph, node)) return true;
  const { lo, hi } = graph.tree, read = graph.values[attribute], first = read(lo[node]);
  for (let state = lo[node] + 1; state < hi[node]; state++) if (read(state) !== first) return false;
  return true;
}

/** The attributes by which the children of a node differ. */
function decidingIn(graph, node) {
  if (graph.deciding.has(node)) return graph.deciding.get(node);
  const found = [], below = childrenOf(graph, node);
  if (below.length) {
    for (let attribute = attributesOf(graph, node); attribute < attributesOf(graph, below[0]); attribute++) {
      const read = graph.values[attribute], value = read(graph.tree.lo[below[0]]);
      if (below.some((child) => read(graph.tree.lo[child]) !== value)) found.push(attribute);
    }
  }
  graph.deciding.set(node, found);
  return found;
}

/** Whether a state is reached from a start state by moves of the graph. Those that are not have the layer after all others. */
function isReached(graph, state) {
  const { offsets, targets } = graph.edges, before = graph.layer[state] - 1;
  if (before < 0) return (graph.marks[state] & NODE_START) !== 0;
  for (let source = 0; source < graph.count; source++) {
    if (graph.layer[source] !== before) continue;
    for (let edge = offsets[source]; edge < offsets[source + 1]; edge++) if (targets[edge] === state) return true;
  }
  return false;
}

/** What the moves of a node do, by action: how many stay in it, how many leave it, how many enter it. */
function movesOf(graph, node) {
  const { offsets, targets, action } = graph.edges, [from, to] = [graph.tree.lo[node], graph.tree.hi[node]];
  const counts = { stay: new Uint32Array(65536), leave: new Uint32Array(65536), enter: new Uint32Array(65536) };
  const [first, last] = [offsets[from], offsets[to]];
  for (let edge = 0; edge < targets.length; edge++) {
    const inside = targets[edge] >= from && targets[edge] < to;
    if (edge >= first && edge < last) counts[inside ? "stay" : "leave"][action[edge]]++;
    else if (inside) counts.enter[action[edge]]++;
  }
  const found = [];
  for (let index = 0; index < 65536; index++) {
    const [stay, leave, enter] = [counts.stay[index], counts.leave[index], counts.enter[index]];
    if (stay || leave || enter) found.push({ action: index, stay, leave, enter });
  }
  return found.sort((a, b) => b.leave + b.stay - a.leave - a.stay || b.enter - a.enter || a.action - b.action);
}

/** The actions of the moves from one node to another: how often each, and the least and the largest probability. */
function actionsBetween(graph, source, target) {
  const { offsets, targets, action, probability } = graph.edges, { lo, hi } = graph.tree;
  const found = new Map();
  for (let edge = offsets[lo[source]]; edge < offsets[hi[source]]; edge++) {
    if (targets[edge] < lo[target] || targets[edge] >= hi[target]) continue;
    const entry = found.get(action[edge]) ?? { action: action[edge], count: 0, least: Infinity, most: -Infinity };
    entry.count++;
    if (probability) {
      entry.least = Math.min(entry.least, probability[edge]);
      entry.most = Math.max(entry.most, probability[edge]);
    }
    found.set(action[edge], entry);
  }
  return [...found.values()].sort((a, b) => b.count - a.count || a.action - b.action);
}
