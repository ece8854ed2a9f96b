// What a policy map shows: cells over two variables, from a slice that was computed for the page or from the reached states that it holds.
//
// A grid has axes `xs` and `ys`, and per cell (row by row, index = row * columns + column) an action, a margin and a mark. Actions of cells are indices, or one of
// the codes below: the columns of the page have other codes for the same, as their numbers are small.
//
// A *slice* fixes all other variables at a base state; a cell is one state, reached or not. A *reached* slice is the same among the reached states alone. A
// *projection* leaves the others free: a cell is all reached states with these two values, and says the worst of them: the least margin, the most alarming mark.

const NO_ACTION = -1, TIED = -2, SEVERAL = -3, NO_STATE = -4;
const MOST_COLUMNS = 200;

/** How alarming a mark is: of several states in one cell, the most alarming one is shown. */
const ALARM = [2, 1, 4, 5, 0, 3, 0];

/** Codes of a column of actions as those of a grid. */
function cellActions(codes) {
  const few = data.json.actions.length <= TIE8;
  return Int32Array.from(codes, (code) => (code === null || code === NONE16 || (few && code === NONE8) ? NO_ACTION : code === TIE16 || (few && code === TIE8) ? TIED : code));
}

/** An axis: its variable, the values of its columns from small to large, and how wide a column is where it stands for several values (0: for one). */
function makeAxis(variable, values, wide = 0) {
  const places = new Map(values.map((value, i) => [value, i]));
  return { variable, values, wide, places, of: data.json.variables[variable] };
}

/** The column of a value, or -1. */
function columnOf(axis, value) {
  if (!axis.wide) return axis.places.get(value) ?? -1;
  const at = Math.floor((value - axis.values[0]) / axis.wide);
  return at >= 0 && at < axis.values.length ? at : -1;
}

/** Where a value lies between the columns, for lines that are drawn over a map that has not all values; null where it is outside. */
function placeOnAxis(axis, value) {
  const at = columnOf(axis, value);
  if (at >= 0) return axis.wide ? Math.max(at, (value - axis.values[0]) / axis.wide - 0.5) : at;
  const after = axis.values.findIndex((each) => each > value);
  if (after <= 0) return null;
  return after - (axis.values[after] - value) / (axis.values[after] - axis.values[after - 1]);
}

/** The values of a column as people read them. */
function columnText(axis, i) {
  const from = axis.values[i];
  if (!axis.wide) return shown(axis.of, from);
  return axis.of.type === "real" ? `${number(from)} to ${number(from + axis.wide)}` : `${number(from)} to ${number(from + axis.wide - 1)}`;
}

const axesMade = new Map();

/** The axis of a variable over all reached states: its values, or columns of equal width where there are too many. */
function reachedAxis(variable) {
  if (!axesMade.has(variable)) axesMade.set(variable, measureAxis(variable, column(data.json.states.values[variable])));
  return axesMade.get(variable);
}

function measureAxis(variable, values) {
  const { type, lower, upper } = data.json.variables[variable];
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (type === "real") {
    const some = new Set();
    for (const value of values) if (some.size <= MOST_COLUMNS) some.add(value);
    if (some.size <= MOST_COLUMNS) return makeAxis(variable, [...some].sort((a, b) => a - b));
    const wide = (high - low) / MOST_COLUMNS;
    return makeAxis(variable, Array.from({ length: MOST_COLUMNS }, (_, i) => low + i * wide), wide * (1 + 1e-12));
  }
  // The whole domain where it is hardly larger than what is reached of it: what is not reached is then seen as such.
  if (typeof lower === "number" && typeof upper === "number" && upper - lower < Math.max(24, 2 * (high - low + 1))) [low, high] = [lower, upper];
  const wide = Math.ceil((high - low + 1) / MOST_COLUMNS);
  const edges = Array.from({ length: Math.ceil((high - low + 1) / wide) }, (_, i) => low + i * wide);
  return makeAxis(variable, edges, wide === 1 ? 0 : wide);
}

/** A map that Rust computed, as a grid; `from` is where its columns are. Turned over if its axes are the other way round than wanted. */
function sliceGrid(map, base, x, from = data) {
  const turned = map.x !== x;
  const [nx, ny] = [map.xs.length, map.ys.length];
  const turn = (numbers) => {
    if (!numbers || !turned) return numbers;
    const made = new numbers.constructor(numbers.length);
    for (let row = 0; row < ny; row++) for (let col = 0; col < nx; col++) made[col * ny + row] = numbers[row * nx + col];
    return made;
  };
  const axes = [makeAxis(map.x, map.xs), makeAxis(map.y, map.ys)];
  if (turned) axes.reverse();
  const action = cellActions(column(map.action, from)), mark = column(map.mark, from);
  for (let cell = 0; cell < action.length; cell++) if (mark[cell] === 6) action[cell] = NO_STATE;
  return {
    kind: "slice", xs: axes[0], ys: axes[1], base, sampled: map.sampled, action: turn(action), mark: turn(mark), margin: turn(column(map.margin, from)),
    scores: map.scores?.map((each) => turn(column(each, from))) ?? null, value: null, count: null, example: null, shares: null,
  };
}

/** The map of the page over two variables at a base, in either order, or null. */
function mapOfPage(x, y, base) {
  return data.json.slices?.maps.find((map) => map.base === base && ((map.x === x && map.y === y) || (map.x === y && map.y === x))) ?? null;
}

/** The reached states as arrays, with the codes of grids. */
let reachedMade = null;
function reachedStates() {
  const { states } = data.json;
  if (reachedMade) return reachedMade;
  const { count, complete } = states;
  // Without a policy there are no actions, and no margins.
  reachedMade = { count, complete, values: states.values.map((each) => column(each)), mark: column(states.mark), depth: column(states.depth), value: column(states.value),
    action: states.action ? cellActions(column(states.action)) : new Int32Array(count).fill(NO_ACTION), margin: column(states.margin) ?? new Float32Array(count).fill(NaN) };
  return reachedMade;
}

/** A reached state as a list of values. */
function reachedState(i) {
  return reachedStates().values.map((values) => values[i]);
}

/** The number of a state among the reached ones, or -1. */
function findReached(state) {
  if (!data.json.states) return -1;
  const { count, values } = reachedStates();
  const last = values.length;
  for (let i = 0; i < count; i++) {
    let v = 0;
    while (v < last && values[v][i] === state[v]) v++;
    if (v === last) return i;
  }
  return -1;
}

/** Reached states, all or `members` alone, as a grid over two variables. */
function reachedGrid(x, y, members, { kind, base = null }) {
  const reached = reachedStates();
  const [xs, ys] = [reachedAxis(x), reachedAxis(y)];
  const [nx, cells] = [xs.values.length, xs.values.length * ys.values.length];
  const grid = {
    kind, xs, ys, base, sampled: false, action: new Int32Array(cells).fill(NO_STATE), mark: new Uint8Array(cells), margin: new Float32Array(cells).fill(NaN),
    value: reached.value && new Float64Array(cells).fill(NaN), scores: null, count: new Uint32Array(cells), example: new Int32Array(cells).fill(-1),
    shares: new Map(), cellOf: new Int32Array(reached.count).fill(-1),
  };
  const [xValues, yValues] = [reached.values[x], reached.values[y]];
  const count = members ? members.length : reached.count;
  for (let k = 0; k < count; k++) {
    const i = members ? members[k] : k;
    const [col, row] = [columnOf(xs, xValues[i]), columnOf(ys, yValues[i])];
    if (col >= 0 && row >= 0) addState(grid, reached, row * nx + col, i);
  }
  countShares(grid, reached);
  return grid;
}

function addState(grid, reached, cell, i) {
  grid.cellOf[i] = cell;
  const mark = reached.mark[i], action = reached.action[i];
  if (grid.count[cell]++ === 0) {
    grid.example[cell] = i;
    grid.action[cell] = action;
    grid.mark[cell] = mark;
    grid.margin[cell] = reached.margin[i];
    if (grid.value) grid.value[cell] = reached.value[i];
    return;
  }
  if (grid.action[cell] !== action) grid.action[cell] = SEVERAL;
  if (ALARM[mark] > ALARM[grid.mark[cell]]) grid.mark[cell] = mark;
  if (!(grid.margin[cell] <= reached.margin[i])) grid.margin[cell] = Number.isNaN(reached.margin[i]) ? grid.margin[cell] : reached.margin[i];
  if (grid.value && reached.value[i] > grid.value[cell]) grid.value[cell] = reached.value[i];
}

/** How many states choose what, in the cells where they differ; most frequent first. */
function countShares(grid, reached) {
  for (let i = 0; i < reached.count; i++) {
    const cell = grid.cellOf[i];
    if (cell < 0 || grid.action[cell] !== SEVERAL) continue;
    if (!grid.shares.has(cell)) grid.shares.set(cell, new Map());
    const counts = grid.shares.get(cell);
    counts.set(reached.action[i], (counts.get(reached.action[i]) ?? 0) + 1);
  }
  for (const [cell, counts] of grid.shares) grid.shares.set(cell, [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]));
}

/** The reached states for which `test(numbers[i])` holds, of `members` or of all. Column by column: that is how they lie in memory. */
function membersWith(members, numbers, test) {
  const kept = [], count = members ? members.length : reachedStates().count;
  for (let k = 0; k < count; k++) {
    const i = members ? members[k] : k;
    if (test(numbers[i])) kept.push(i);
  }
  return kept;
}

/** The reached states that agree with `base` in all variables but two. */
function membersLike(base, x, y) {
  let members = null;
  reachedStates().values.forEach((numbers, v) => {
    if (v !== x && v !== y) members = membersWith(members, numbers, (value) => value === base[v]);
  });
  return members;
}

const COMPARE = { "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b };

/** Conditions as text (`x>=3, door=true, action=left`) as the reached states that fulfil them; null for all. Says what is wrong with them. */
function membersFiltered(text) {
  const items = text.split(/[,;&∧]/).map((item) => item.trim()).filter(Boolean);
  if (items.length === 0) return null;
  const reached = reachedStates();
  return items.reduce((members, item) => {
    const found = /^(.+?)\s*(<=|>=|!=|==|=|<|>|≤|≥|≠)\s*(.+)$/.exec(item);
    if (!found) throw new Error(`“${item}” is not a condition like x >= 3`);
    const [who, what] = [found[1], found[3].trim()];
    const compare = COMPARE[{ "≤": "<=", "≥": ">=", "≠": "!=", "==": "=" }[found[2]] ?? found[2]];
    const v = data.json.variables.findIndex((variable) => variable.name === who);
    const [numbers, wanted] = v >= 0 ? [reached.values[v], parseState(`${who}=${what}`)[0][1]] : filterColumn(who, what);
    return membersWith(members, numbers, (value) => compare(value, wanted));
  }, null);
}

/** What can be asked of a state beside its variables. */
function filterColumn(who, what) {
  const reached = reachedStates();
  if (who === "action") {
    const wanted = data.json.actions.findIndex((label, i) => label === what || actionGlyph(i) === what);
    if (wanted < 0) throw new Error(`there is no action “${what}”`);
    return [reached.action, wanted];
  }
  const numbers = { depth: reached.depth, margin: reached.margin, probability: reached.value, mark: reached.mark }[who];
  if (!numbers) throw new Error(`there is no variable “${who}”`);
  if (Number.isNaN(Number(what))) throw new Error(`“${what}” is not a number`);
  return [numbers, Number(what)];
}
