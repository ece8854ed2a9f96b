// Where something is in the graph: a concrete state of which some variables are known, the states where a predicate holds, the states that an action leaves.
//
// What is found has the form { words, states (a running sum per state), count, open (how many of them can only be said to be possible), notes }.

/** What each attribute says of a concrete state: a value, a set of values that are possible, or `undefined` where it cannot be told. `unread`: those not of the grammar. */
function attributesAt(graph, values) {
  graph.readers ??= attributeReaders(graph);
  const unread = [];
  const known = graph.readers.map((read, attribute) => {
    if (read === null) unread.push(graph.attributes[attribute].name);
    return read?.(values);
  });
  return { known, unread };
}

/** How to tell the value of each attribute from the values of the variables; null where its words are not of the grammar. */
function attributeReaders(graph) {
  const read = predicateReader(data.json.variables);
  return graph.attributes.map(({ name: what, words, variable, ranges, values: texts }) => {
    if (ranges) return rangeReader(ranges, variable);
    if (variable !== null && variable !== undefined) return variableReader(data.json.variables[variable], variable, texts);
    if (!words) return () => undefined; // a range of a variable: the variable itself is an attribute further on
    const positive = [what, words[1]].map(read).find(Boolean), negative = read(words[0]);
    return positive ? asBit(positive, 1) : negative && asBit(negative, 0);
  });
}

const asBit = (read, truth) => (values) => {
  const holds = read(values);
  return holds === undefined ? undefined : holds ? truth : 1 - truth;
};

/** Ranges of a variable may overlap, as boxes are cut one by one: a value can be in several. */
function rangeReader(ranges, index) {
  return (values) => {
    const value = values[index];
    return value === undefined ? undefined : new Set(ranges.flatMap(([low, high], place) => (low <= value && value <= high ? [place] : [])));
  };
}

/** An attribute that is a variable holds its value; one with texts that are numbers holds their index. */
function variableReader(variable, index, texts) {
  const numeric = texts && !variable.names && variable.type !== "bool" && texts.every((text) => !Number.isNaN(Number(text)));
  const places = numeric && new Map(texts.map((text, place) => [Number(text), place]));
  return (values) => (values[index] === undefined ? undefined : places ? places.get(values[index]) ?? -1 : values[index]);
}

/** The states that agree with what is known, by a walk down the tree: groups that differ are left out whole. */
function statesLike(graph, known) {
  const found = [], given = known.flatMap((value, attribute) => (value === undefined ? [] : [attribute]));
  const fits = (wanted, value) => (wanted instanceof Set ? wanted.has(value) : wanted === value);
  const agrees = (state, first, last) => given.every((attribute) => attribute < first || attribute >= last || fits(known[attribute], graph.values[attribute](state)));
  for (let node = 0; node < graph.size;) {
    const from = node === 0 ? 0 : attributesOf(graph, graph.parent[node]), to = attributesOf(graph, node);
    if (!agrees(graph.tree.lo[node], from, to)) {
      node = graph.after[node];
      continue;
    }
    if (isLeaf(graph, node)) {
      for (let state = graph.tree.lo[node]; state < graph.tree.hi[node]; state++) if (agrees(state, to, graph.attributes.length)) found.push(state);
    }
    node++;
  }
  return found;
}

function foundFrom(graph, words, states, { open = 0, notes = [] } = {}) {
  const among = new Uint8Array(graph.count);
  for (const state of states) among[state] = 1;
  return { words, sum: runningSum(graph.count, (state) => among[state]), count: states.length, first: states.slice(0, 1000), open, notes };
}

/** Where is "x=3, y=5"? Throws what is wrong with the text. */
function findState(graph, text) {
  const values = [];
  for (const [index, value] of parseState(text)) values[index] = value;
  const { known, unread } = attributesAt(graph, values);
  const spoken = graph.attributes.flatMap(({ words, variable }, attribute) => (words || typeof variable === "number" ? [attribute] : []));
  const open = spoken.filter((attribute) => known[attribute] === undefined).length, what = hasPredicates(graph) ? "predicates" : "variables", notes = [];
  if (unread.length) notes.push(`${number(unread.length)} of the ${what} are in words that cannot be evaluated here: they were not used.`);
  if (open > unread.length) notes.push(`${number(open - unread.length)} of ${number(spoken.length)} ${what} cannot be told from these values: all states that agree with the others are shown.`);
  const states = statesLike(graph, known);
  if (!states.length) notes.push(graph.complete ? "No state of the graph agrees with it: it is not reached." : "No state of the graph agrees with it: the search has not reached it.");
  return foundFrom(graph, text, states, { notes });
}

const comparableWords = (text) => comparable(text).replaceAll("¬", "!").replace(/([^<>!=])==/g, "$1=");

/** An attribute and its value that a text names, in one of its wordings; null if none does. */
function literalNamed(graph, text) {
  const sought = comparableWords(text);
  for (let attribute = 0; attribute < graph.attributes.length; attribute++) {
    const { name: what, words } = graph.attributes[attribute];
    if (!words) continue;
    for (const value of [1, 0]) if (comparableWords(words[value]) === sought) return { attribute, value };
    if (comparableWords(what) === sought) return { attribute, value: 1 };
    if (["!", "not"].some((sign) => [`${sign}${what}`, `${sign}(${what})`].some((each) => comparableWords(each) === sought))) return { attribute, value: 0 };
  }
  return null;
}

/** Where does "x <= 3 & b" hold? Each part is a predicate of the graph, or the whole can be evaluated as all variables it speaks of are attributes. */
function findPredicate(graph, text) {
  const wanted = text.split(/\s*(?:∧|&&?|,|;)\s*/).filter(Boolean).map((each) => literalNamed(graph, each));
  if (wanted.length && !wanted.includes(null)) {
    const known = graph.attributes.map(() => undefined);
    const clash = wanted.some(({ attribute, value }) => known[attribute] !== undefined && known[attribute] !== value || (known[attribute] = value, false));
    return foundFrom(graph, text, clash ? [] : statesLike(graph, known));
  }
  const read = predicateReader(data.json.variables)(text);
  if (!read) throw new Error("This is neither a predicate of the graph nor a condition such as x + 2*y <= 3.");
  return findCondition(graph, text, read);
}

/** States for which a condition holds or cannot be told, from those attributes that are variables. */
function findCondition(graph, text, read) {
  const given = graph.attributes.flatMap(({ variable, values: texts, ranges }, attribute) => (variable === null || variable === undefined ? [] : [{ variable, attribute, texts, ranges }]));
  const values = [], states = [];
  let open = 0;
  for (let state = 0; state < graph.count; state++) {
    for (const { variable, attribute, texts, ranges } of given) {
      const value = graph.values[attribute](state), { names, type } = data.json.variables[variable];
      if (ranges) values[variable] = ranges[value][0] === ranges[value][1] ? ranges[value][0] : undefined;
      else values[variable] = texts && !names && type !== "bool" ? Number(texts[value]) : value;
    }
    const holds = read(values);
    if (holds) states.push(state);
    if (holds === undefined) open++;
  }
  if (open === graph.count) {
    const example = graph.attributes.find(({ words }) => words)?.words[1];
    throw new Error(`This condition cannot be told from the predicates of the graph. It must be made of them${example ? `, such as “${example}”` : ""}.`);
  }
  return foundFrom(graph, text, states, { open, notes: open ? [`In ${number(open)} states it cannot be told.`] : [] });
}

/** The states that an action leaves. */
function findAction(graph, index) {
  const { offsets, action } = graph.edges, states = [];
  for (let state = 0; state < graph.count; state++) {
    for (let edge = offsets[state]; edge < offsets[state + 1]; edge++) {
      if (action[edge] !== index) continue;
      states.push(state);
      break;
    }
  }
  return foundFrom(graph, moveActionName(index), states);
}

/** The actions of the graph's moves, in their order. */
function actionsIn(graph) {
  const seen = new Uint8Array(65536);
  for (const index of graph.edges.action) seen[index] = 1;
  return [...seen.keys()].filter((index) => seen[index]);
}
