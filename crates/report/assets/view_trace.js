// The run that a person makes: states, and the steps between them, with a place in it. Going back keeps what comes after until another step is taken.
//
// An entry is `{values, exact, told}`: a state, the texts of values that were rounded, and the answer about it; all but the first also have `by`: the move and outcome that led to it.

/** A run of one state. */
function newTrace(values, exact = null) {
  return { entries: [{ values, exact, told: null, by: null }], at: 0 };
}

function traceHere(trace) {
  return trace.entries[trace.at];
}

/** Take an outcome of a move. What was taken back before is gone, unless it is the same. */
function takeStep(trace, move, outcome) {
  const next = trace.entries[trace.at + 1];
  const again = next && sameState(next.values, outcome.state) && !differExactly(next.exact, outcome.exact) && next.by.move.operator === move.operator && next.by.outcome.probability === outcome.probability;
  if (!again) {
    trace.entries.length = trace.at + 1;
    trace.entries.push({ values: outcome.state, exact: outcome.exact, told: null, by: { move, outcome } });
  }
  trace.at++;
}

/** The trace as the page's runs are: what saves and draws runs takes it. */
function traceAsRun({ entries }) {
  const exact = entries.map((entry) => entry.exact ?? entry.values.map(() => null));
  const steps = entries.slice(1).map(({ by: { move, outcome } }, i) => ({
    action: move.action, operator: move.operator, outcome: stepChanges(entries[i].values, outcome.state), probability: outcome.probability, p: outcome.p,
    choice: entries[i].told?.choice ?? null, float32: null,
  }));
  return { shows: "A run made by hand.", states: entries.map((entry) => entry.values), exact: exact.some((each) => each.some(Boolean)) ? exact : null,
    marks: entries.map((entry) => entry.told?.mark ?? 0), steps, loop: null };
}

/** The trace as lines that people read. */
function traceAsText({ entries }) {
  return entries.map((entry, i) => {
    const state = `${i}: ${stateOption(entry.values, entry.exact)}\n`;
    if (!entry.by) return state;
    const { move, outcome } = entry.by;
    const against = move.permitted ? "" : ", which the policy does not choose";
    return `   ${actionName(move.action)} (${move.operator}), probability ${outcome.probability}${against}\n${state}`;
  }).join("");
}

const CHANGES_SHOWN = 6;

/** What a step changes, as text: `x 3 → 4, door false → true`. */
function stepChanges(before, after) {
  const changed = data.json.variables.map((variable, v) => (before[v] === after[v] ? null : `${variable.name} ${shown(variable, before[v])} → ${shown(variable, after[v])}`)).filter(Boolean);
  if (changed.length === 0) return "nothing changes";
  return changed.slice(0, CHANGES_SHOWN).join(", ") + (changed.length > CHANGES_SHOWN ? ` and ${changed.length - CHANGES_SHOWN} more` : "");
}
