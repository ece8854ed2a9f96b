// The words of the trade: each is explained where it stands, on hover and on focus, and again at the end of the page.

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
