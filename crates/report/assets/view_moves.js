// What can happen in a state, as buttons: one for each outcome of each move, with what the policy says of the move.

const OUTCOMES_SHOWN = 60;

/** The moves as a table; `take(move, outcome)` is called for the chosen one. */
function movesView(told, values, take) {
  const { moves } = told;
  if (moves.length === 0) return el("p", { class: "note" }, told.ends ? "It is a goal state: runs end here." : "Nothing can happen here.");
  const lines = moves.flatMap((move) => move.outcomes.map((outcome, i) => ({ move, outcome, first: i === 0 })));
  const body = el("tbody", {});
  const fill = (most) => {
    body.replaceChildren(...lines.slice(0, most).map(({ move, outcome, first }, i) => moveRow(move, outcome, first, i, values, take)));
    more.hidden = lines.length <= most;
  };
  const more = el("p", {}, el("button", { type: "button", onclick: () => fill(Infinity) }, `Show all ${number(lines.length)} outcomes`));
  fill(OUTCOMES_SHOWN);
  const some = data.json.subject?.policy;
  return el("div", {},
    el("div", { class: "scroll" }, el("table", { class: "moves" },
      el("thead", {}, el("tr", {}, el("th", {}, "Take"), el("th", {}, "Action"), some && el("th", {}, term("policy", "Policy")), el("th", { class: "number" }, "Probability"), el("th", {}, term("outcome", "Outcome")))),
      body)), more);
}

function moveRow(move, outcome, first, index, values, take) {
  const changes = stepChanges(values, outcome.state), rounded = number(outcome.p) !== outcome.probability;
  const label = `${actionName(move.action)}, ${move.permitted ? "" : "not chosen by the policy, "}probability ${outcome.probability}: ${changes}`;
  const button = el("button", { type: "button", class: "take", "aria-label": `Take ${label}`, onclick: () => take(move, outcome) }, index < 9 ? String(index + 1) : "▶");
  return el("tr", { class: move.permitted ? null : "soft" },
    el("td", {}, button),
    el("td", {}, first && el("span", { hint: move.operator }, move.action === null ? term("silent step") : actionBadge(move.action))),
    data.json.subject?.policy && el("td", {}, first && (move.permitted ? el("strong", {}, saidByPolicy(move)) : "does not choose it")),
    el("td", { class: "number" }, outcome.probability, rounded && el("span", { class: "soft" }, ` ≈ ${number(outcome.p)}`),
      outcome.one_of > 1 && el("span", { class: "soft", hint: "The model leaves open which of these states comes; the probability is that of all of them together." }, ` one of ${number(outcome.one_of)}`)),
    el("td", {}, name(changes)));
}

/** Whether the policy had a say in what is possible. */
function saidByPolicy(move) {
  return data.json.policy_actions.includes(move.action) ? "chooses it" : "is not asked";
}
