// The run of a counterexample: a current state, chosen by buttons, slider, arrow keys, clicks or its address, shown as a card, on lanes and in a table.
//
// All views show the same current state. Choosing one tells `state` with its values and its place in the run; a state that others tell is found in the run.

part("run", "The run", (json) => json.run, buildRun);
keyHelp("On the timeline and the table of the run", [["arrow keys", "the state before or after"], ["PageUp, PageDown", "ten states back or on"], ["Home, End", "the first, the last state"]]);

function buildRun(section, { run }) {
  const last = run.states.length - 1;
  let at = 0;
  const card = el("div"), where = el("span");
  const slider = el("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "State of the run", oninput: () => choose(Number(slider.value)) });
  const show = (i) => {
    at = i;
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", stepSummary(run, i));
    where.textContent = `state ${number(i)} of ${number(last)}`;
    keepFocus(steps, () => {
      back.disabled = first.disabled = i === 0;
      forth.disabled = end.disabled = i === last;
    });
    card.style.setProperty("min-height", `${card.offsetHeight}px`); // it does not shrink: what is below would jump from under the pointer
    card.replaceChildren(stepCard(run, i, choose));
    lanes.select(i);
    table.select(i);
  };
  const choose = (i) => {
    const next = Math.min(last, Math.max(0, i));
    show(next);
    addressSoon(`step=${next}`);
    announce(stepSummary(run, next));
    tell("state", { values: run.states[next], step: next, from: "run" });
  };
  const button = (label, hint, to) => el("button", { type: "button", hint, "aria-label": hint, onclick: () => choose(to()) }, label);
  const first = button("|◀", "First state", () => 0), back = button("◀", "State before", () => at - 1);
  const forth = button("▶", "Next state", () => at + 1), end = button("▶|", "Last state", () => last);
  const steps = el("div", { class: "toolbar" }, first, back, forth, end, slider, where);
  const lanes = runLanes(run, choose), table = runTable(run, choose);
  const keys = (event) => {
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: last }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(to);
  };
  lanes.element.addEventListener("keydown", keys);
  table.box.addEventListener("keydown", keys);
  section.append(
    ...runIntroduction(run, choose),
    steps,
    card,
    el("div", { class: "toolbar" },
      copyButton("Copy state", () => stateOption(run.states[at], run.exact?.[at])),
      copyButton("Copy as start condition", () => stateCondition(run.states[at], run.exact?.[at])),
      copyButton("Copy link", () => linkTo(`step=${at}`)),
      saveButton("Save run as CSV", "run.csv", () => runAsCsv(run), { class: "end" }), saveButton("Save run as JSON", "run.json", () => runAsJson(run))),
    el("h3", {}, "Timeline"),
    el("p", { class: "soft small screen" }, "Each lane is one thing over the states of the run. Click or use the arrow keys to choose a state."),
    lanes.element,
    el("h3", {}, "Table"),
    unchangingNote(),
    ...table.element,
  );
  show(0);
  const shrink = () => card.style.removeProperty("min-height");
  addEventListener("resize", shrink);
  listen("paper", shrink);
  listen("state", ({ values, from }) => {
    if (from === "run") return;
    const found = sameState(run.states[at], values) ? at : run.states.findIndex((state) => sameState(state, values));
    if (found < 0) return;
    show(found);
    if (from === "address" && data.json.mode !== "view") section.scrollIntoView();
  });
  route("step", (rest) => {
    const wanted = Number(rest);
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > last) throw new Error(`the run has no state “${rest}”`);
    choose(wanted);
    card.scrollIntoView({ block: "center" });
  });
}

function runIntroduction(run, choose) {
  const steps = run.steps.length;
  const link = (i) => el("a", { href: `#step=${i}`, onclick: (event) => { event.preventDefault(); choose(i); } }, `state ${number(i)}`);
  const { loop } = run;
  const chance = run.steps.some((step) => typeof step.p === "number" && step.p < 1) && run.steps.every((step) => step.p === null || step.p === undefined || step.p >= 0);
  const all = run.steps.reduce((product, step) => product * (step.p ?? 1), 1);
  return [
    run.shows && el("p", {}, run.shows),
    el("p", {}, "A ", term("run"), ` of ${number(steps)} ${steps === 1 ? "step" : "steps"}.`,
      loop !== null && loop !== undefined && [" After ", link(run.states.length - 1), " it goes on as from ", link(loop), ": it has no end."],
      chance && ` What was up to chance in it has probability ${number(all)} in all (rounded).`),
  ].filter(Boolean);
}

/** One state of the run with the step into the next one. */
function stepCard(run, i, choose) {
  const step = run.steps[i];
  const made = stateCard(run.states[i], step?.choice ?? null, run.marks?.[i] ?? 0, { before: run.states[i - 1], exact: run.exact?.[i], title: `State ${number(i)}` });
  const values = made.querySelector("h4").parentElement; // what happens stands below the values: they change by it
  values.append(el("h4", { class: "next" }, step ? "What happens" : "The end of the run"), ...(step ? stepFacts(run, step) : [el("p", {}, runEnd(run, choose))]).filter(Boolean));
  return made;
}

function runEnd(run, choose) {
  const { loop } = run;
  if (loop === null || loop === undefined) return run.marks?.at(-1) === 3 ? `This state is ${markName(3)}.` : "The run is shown up to here.";
  return ["From here it goes on as from ", el("button", { type: "button", onclick: () => choose(loop) }, `state ${number(loop)}`), " for ever."];
}

function stepFacts(run, step) {
  const chance = step.p !== 1; // else there was nothing that could have come out otherwise
  const fact = (what, value) => value && el("div", {}, el("dt", {}, what), el("dd", {}, value));
  const rounded = step.p !== null && step.p !== undefined && step.probability && !Number.isInteger(step.p) && number(step.p) !== step.probability;
  return [
    el("dl", { class: "pairs" },
      fact("Action", step.action === null ? term("silent step") : actionBadge(step.action)),
      fact("Step of the model", step.operator && name(step.operator)),
      fact(term("outcome", "What the environment did"), chance && step.outcome && name(step.outcome)),
      fact("Probability of that", chance && step.probability && [step.probability, rounded && el("span", { class: "soft" }, ` ≈ ${number(step.p)}`)])),
    step.float32 && el("p", { class: "note" }, step.float32),
  ];
}

/** A state of the run in a sentence, for those who hear it. */
function stepSummary(run, i) {
  const [before, state, step] = [run.states[i - 1], run.states[i], run.steps[i]];
  const changed = data.json.variables.map((variable, v) => (before && before[v] !== state[v] ? `${variable.name} ${shown(variable, state[v])}` : null)).filter(Boolean);
  const told = changed.slice(0, 8).join(", ") + (changed.length > 8 ? ` and ${changed.length - 8} more` : "");
  const known = run.marks?.[i] > 0 ? `, ${markName(run.marks[i])}` : "";
  return `State ${i}${known}${told ? `: ${told}` : ""}${step ? `; then ${actionName(step.action)}` : ""}`;
}

function unchangingNote() {
  const still = [...unchangingValues()];
  if (still.length === 0 || still.length === data.json.variables.length) return "";
  const text = ([v, value]) => [name(data.json.variables[v].name), ` = ${shown(data.json.variables[v], value)}`];
  return el("details", {}, el("summary", {}, `${number(still.length)} of ${number(data.json.variables.length)} variables never change in the run`),
    el("ul", { class: "literals" }, still.map((each) => el("li", {}, text(each)))));
}
