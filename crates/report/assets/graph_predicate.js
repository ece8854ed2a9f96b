// Predicates as text, read and evaluated: "x + 2*y >= 3", "!b", "car at goal", "x = 3 | (y >= 2 & !b)".
//
// An abstract state is told apart by the words of its predicates. To find the one that a concrete state belongs to, the words are evaluated here. Variables may
// be unknown (the person typed only x=3): the logic has three values, `undefined` is "cannot be told". Names hold spaces, dots and brackets, so a name is the
// longest known one that the text goes on with.

/** A reader of predicates over the variables of the page: text -> (values -> true, false or undefined), or null if the text is not of the grammar. */
function predicateReader(variables) {
  const byLength = variables.map((variable, index) => ({ variable, index, text: variable.name })).sort((a, b) => b.text.length - a.text.length);
  return (text) => {
    const input = { text: text.trim(), at: 0, byLength };
    try {
      const meaning = readOr(input);
      skipSpaces(input);
      return input.at === input.text.length ? (values) => truthOf(meaning(values)) : null;
    } catch {
      return null; // words of another kind: the search then says that it cannot use this predicate
    }
  };
}

const truthOf = (value) => (value === undefined || Number.isNaN(value) ? undefined : Boolean(value));

function skipSpaces(input) {
  while (input.at < input.text.length && /\s/.test(input.text[input.at])) input.at++;
}

/** Takes the first of the tokens that comes next, and says which; longer tokens go first. */
function takeToken(input, ...tokens) {
  skipSpaces(input);
  const token = tokens.find((each) => input.text.startsWith(each, input.at));
  if (token !== undefined) input.at += token.length;
  return token;
}

function readOr(input) {
  const terms = [readAnd(input)];
  while (takeToken(input, "||", "|", "∨")) terms.push(readAnd(input));
  return terms.length === 1 ? terms[0] : (values) => {
    const truths = terms.map((term) => truthOf(term(values)));
    return truths.includes(true) ? true : truths.includes(undefined) ? undefined : false;
  };
}

function readAnd(input) {
  const terms = [readComparison(input)];
  while (takeToken(input, "&&", "&", "∧")) terms.push(readComparison(input));
  return terms.length === 1 ? terms[0] : (values) => {
    const truths = terms.map((term) => truthOf(term(values)));
    return truths.includes(false) ? false : truths.includes(undefined) ? undefined : true;
  };
}

const COMPARISONS = {
  "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b,
};
const COMPARISON_SPELLINGS = { "≤": "<=", "≥": ">=", "≠": "!=", "==": "=" };

function readComparison(input) {
  const left = readSum(input);
  const sign = takeToken(input, "<=", ">=", "!=", "==", "≤", "≥", "≠", "<", ">", "=");
  if (!sign) return left;
  const compare = COMPARISONS[COMPARISON_SPELLINGS[sign] ?? sign];
  const right = readNamed(input, left.variable) ?? readSum(input);
  return (values) => {
    const [a, b] = [left(values), right(values)];
    return a === undefined || b === undefined ? undefined : compare(Number(a), Number(b));
  };
}

/** The name of a value of a variable whose values have names ("mode = parked"), as its number. */
function readNamed(input, variable) {
  const named = variable?.names?.length ? takeToken(input, ...[...variable.names].sort((a, b) => b.length - a.length)) : undefined;
  return named === undefined ? null : () => variable.names.indexOf(named);
}

function readSum(input) {
  let sum = readProduct(input);
  for (let sign; (sign = takeToken(input, "+", "-", "−"));) {
    const [left, right, factor] = [sum, readProduct(input), sign === "+" ? 1 : -1];
    sum = (values) => combineNumbers(left(values), right(values), (a, b) => a + factor * b);
  }
  return sum;
}

function readProduct(input) {
  let product = readFactor(input);
  while (takeToken(input, "*", "·")) {
    const [left, right] = [product, readFactor(input)];
    product = (values) => combineNumbers(left(values), right(values), (a, b) => a * b);
  }
  return product;
}

const combineNumbers = (a, b, how) => (a === undefined || b === undefined ? undefined : how(Number(a), Number(b)));

function readFactor(input) {
  skipSpaces(input);
  const variable = readVariable(input); // first: a name may begin with anything
  if (variable) return variable;
  if (takeToken(input, "!", "¬")) {
    const inner = readFactor(input);
    return (values) => {
      const truth = truthOf(inner(values));
      return truth === undefined ? undefined : !truth;
    };
  }
  if (takeToken(input, "-", "−")) {
    const inner = readFactor(input);
    return (values) => combineNumbers(0, inner(values), (a, b) => a - b);
  }
  if (takeToken(input, "(")) {
    const inner = readOr(input);
    if (!takeToken(input, ")")) throw new Error("a bracket is open");
    return inner;
  }
  const digits = /^\d+(\.\d+)?([eE][-+]?\d+)?(\/\d+)?/.exec(input.text.slice(input.at));
  if (digits) {
    input.at += digits[0].length;
    const [above, below] = digits[0].split("/").map(Number);
    return () => above / (below ?? 1);
  }
  const word = takeToken(input, "true", "false");
  if (word) return () => word === "true";
  throw new Error("not of the grammar");
}

function readVariable(input) {
  const found = input.byLength.find(({ text }) => input.text.startsWith(text, input.at) && !nameGoesOn(input.text, input.at + text.length, text));
  if (!found) return null;
  input.at += found.text.length;
  const { index, variable } = found;
  if (variable.names && takeToken(input, "at ")) { // "car at goal": where an automaton is
    skipSpaces(input);
    const place = readNamed(input, variable);
    if (!place) throw new Error("no such location");
    return (values) => (values[index] === undefined ? undefined : values[index] === place());
  }
  const read = (values) => values[index];
  read.variable = variable;
  return read;
}

/** Whether a name that ends here goes on: "speed" is not "speed2". */
function nameGoesOn(text, end, name) {
  return /[\p{L}\p{N}_]/u.test(name.at(-1)) && end < text.length && /[\p{L}\p{N}_]/u.test(text[end]);
}
