// A question about a region: does the policy choose an action, or another one, in some state where a condition holds?

part("region", "Ask about a region", (json) => json.mode === "view" && json.policy_actions.length > 0, buildRegion);

function buildRegion(section, json) {
  let looked = null, asked = 0;
  const field = el("input", { type: "text", style: { flex: "1 1 12rem", "min-width": "0" }, spellcheck: false, autocomplete: "off", "aria-label": "Region: a condition on states", placeholder: "such as x >= 3 & !door; nothing: all states" });
  const action = el("select", { "aria-label": "Action" }, json.policy_actions.map((index) => el("option", { value: index }, actionName(index))));
  const other = el("select", { "aria-label": "What is asked" }, el("option", { value: "" }, "choose"), el("option", { value: "other" }, "choose another action than"));
  const wrong = el("div", {}), answer = el("div", { "aria-live": "polite" }), before = el("ol", {});
  const start = el("button", { type: "submit" }, "Ask");
  const stop = el("button", { type: "button", disabled: true, onclick: () => ask("stop", {}).catch(() => {}) }, "Stop");
  const here = el("button", { type: "button", hint: "The condition that only this state meets: widen it from there", onclick: () => {
    const { values, exact } = looked ?? startState();
    field.value = stateCondition(values, exact);
    field.focus();
  } }, "The state that is looked at");

  async function askIt() {
    const mine = ++asked, text = field.value.trim(), question = { text, action: Number(action.value), other: other.value !== "" };
    wrong.replaceChildren();
    answer.replaceChildren(el("p", { class: "soft" }, "Asking…"));
    start.disabled = true;
    stop.disabled = false;
    try {
      const told = await ask("region", question);
      if (mine === asked) showAnswer(question, told);
    } catch (error) {
      answer.replaceChildren();
      wrong.replaceChildren(conditionProblem(error, field, error.told?.place));
    }
    start.disabled = false;
    stop.disabled = true;
  }

  function showAnswer(question, told) {
    const kind = { yes: "start", no: "goal", unknown: "tie" }[told.answer];
    const line = () => [el("span", { class: `badge ${kind}` }, told.answer), " ", name(told.words)];
    answer.replaceChildren(...[
      el("p", { class: "note" }, line()),
      told.state && stateCard(told.state, told.choice, 0, { exact: told.exact, title: "A state that shows it" }),
      told.state && el("div", { class: "toolbar" },
        el("button", { type: "button", onclick: () => tell("state", { values: told.state, exact: told.exact, from: "region" }) }, "Step by hand from there"), copyButton("Copy state", () => stateOption(told.state, told.exact))),
    ].filter(Boolean));
    before.prepend(el("li", {}, el("code", {}, name(question.text || "all states")), ": does it ", question.other ? "choose another action than " : "choose ", actionBadge(question.action), "? ", ...line()));
    log.hidden = false;
  }

  const log = el("details", { hidden: true }, el("summary", {}, "Questions so far"), before);
  section.append(
    el("p", {}, "All states in the ", term("region"), " are looked at, whether or not runs come to them. “No” is a proof; “yes” comes with a state in which the policy was evaluated exactly."),
    el("form", { onsubmit: (event) => { event.preventDefault(); askIt(); } },
      el("div", { class: "toolbar" }, el("span", {}, "Where"), field, here),
      wrong,
      el("div", { class: "toolbar" }, el("span", {}, "does the policy ever "), other, action, el("span", {}, "?"), start, stop)),
    answer, log);
  listen("state", ({ values, exact }) => { looked = values ? { values, exact } : looked; });
}
