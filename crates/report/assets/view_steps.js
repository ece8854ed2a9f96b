// The simulator: step by hand through the model under its policy, against it too, or by chance that can be had again.
//
// The program that serves the page says what can happen in a state, with exact probabilities; the page keeps the run.

part("steps", "Step by hand", (json) => json.mode === "view", buildSteps);
// What people come for stands right after what the page is about.
parts.splice(1, 0, parts.pop());

const STEP_KEYS = [["1 … 9", "takes that outcome"], ["↑ ↓", "goes from outcome to outcome; Enter takes it"], ["u, Backspace", "takes a step back"], ["y", "takes it again"], ["r", "a step by chance"], ["s", "goes to the first state"]];

function buildSteps(section) {
  keyHelp("In “Step by hand”", STEP_KEYS);
  const first = startState();
  let trace = newTrace(first.values, first.exact), seed = 1, running = false, asked = 0;
  const only = el("input", { type: "checkbox", checked: true });
  const seedField = el("input", { type: "number", min: 0, max: 4294967295, step: 1, value: seed, "aria-label": "Seed" });
  const manyField = el("input", { type: "number", min: 1, max: 1000, step: 1, value: 20, "aria-label": "How many steps by chance" });
  const card = el("div", {}), moves = el("div", {}), said = el("span", { role: "status" }), problem = el("div", {}), beyond = el("div", {}), list = el("div", {});
  const button = (label, act, attributes) => el("button", { type: "button", ...attributes, onclick: act }, label);
  const undo = button("Undo", () => goTo(trace.at - 1), { hint: "Back to the state before (u)" });
  const redo = button("Redo", () => goTo(trace.at + 1), { hint: "The step that was taken back (y)" });
  const restart = button("First state", () => goTo(0), { hint: "Back to where the run begins (s)" });
  const chance = button("Random step", () => byChance(1), { hint: "One of the moves, each as likely as any other; then an outcome as the model says (r)" });
  const run = button("Random steps", () => (running ? (running = false) : byChance(Number(manyField.value) || 1)));

  /** Ask about the state that is shown, unless that is known. */
  async function learn(entry) {
    entry.told ??= await ask("state", { state: entry.values, exact: entry.exact });
    return entry.told;
  }

  async function show({ quiet = false } = {}) {
    const entry = traceHere(trace), mine = ++asked;
    problem.replaceChildren();
    try {
      await learn(entry);
    } catch (error) {
      if (mine !== asked) return false;
      problem.replaceChildren(el("p", { class: "problem", role: "alert" }, name(error.message)));
      card.replaceChildren(stateCard(entry.values, null, 0, { exact: entry.exact, title: `State ${number(trace.at)}` }));
      moves.replaceChildren();
      return false;
    }
    if (mine !== asked) return false; // something else is looked at meanwhile
    const { told } = entry, before = trace.entries[trace.at - 1]?.values;
    const made = stateCard(entry.values, told.choice, told.mark, { before, exact: entry.exact, title: `State ${number(trace.at)}` });
    made.append(el("div", {}, el("h4", {}, "What is known"), stateFacts(told)));
    card.replaceChildren(made);
    if (told.problem) problem.replaceChildren(el("p", { class: "problem", role: "alert" }, name(told.problem)));
    const focused = moves.contains(document.activeElement);
    moves.replaceChildren(movesView(told, entry.values, take));
    if (focused) moves.querySelector("button.take")?.focus();
    beyond.replaceChildren();
    undo.disabled = restart.disabled = trace.at === 0;
    redo.disabled = trace.at === trace.entries.length - 1;
    said.textContent = `state ${number(trace.at)}${trace.entries.length > 1 ? ` of ${number(trace.entries.length - 1)}` : ""}`;
    list.replaceChildren(traceTable(trace, goTo));
    if (!quiet) announce(`${said.textContent}: ${before ? stepChanges(before, entry.values) : stateText(entry.values)}${told.unsafe ? ", unsafe" : ""}`);
    addressSoon(stateAddress(entry.values));
    tell("state", { values: entry.values, exact: entry.exact, from: "steps" });
    return true;
  }

  function take(move, outcome) {
    takeStep(trace, move, outcome);
    return show();
  }

  function goTo(at) {
    if (at < 0 || at >= trace.entries.length) return;
    trace.at = at;
    show();
  }

  function begin(values, exact = null) {
    running = false;
    trace = newTrace(values, exact);
    return show();
  }

  /** So many steps by chance: each depends on the seed and on how far the run is, so a run can be made again. */
  async function byChance(many) {
    running = true;
    run.textContent = "Stop";
    for (let i = 0; i < many && running; i++) {
      const told = traceHere(trace).told ?? await learn(traceHere(trace)).catch(() => null);
      const open = told?.moves.filter((move) => move.permitted || !only.checked) ?? [];
      const found = moveByChance(open, seed, trace.at);
      if (!found) {
        problem.replaceChildren(el("p", { class: "note" }, "No step is left to be taken by chance."));
        break;
      }
      takeStep(trace, found.move, found.outcome);
      if (!await show({ quiet: many > 1 })) break;
      if (many > 1 && traceHere(trace).told.unsafe) break; // that is what one looks for
    }
    running = false;
    run.textContent = "Random steps";
  }

  seedField.addEventListener("change", () => { seed = Number(seedField.value) >>> 0; });
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const buttons = [...moves.querySelectorAll("button.take")], at = buttons.indexOf(document.activeElement);
    const act = {
      u: () => goTo(trace.at - 1), Backspace: () => goTo(trace.at - 1), y: () => goTo(trace.at + 1), r: () => byChance(1), s: () => goTo(0),
      ArrowDown: () => buttons[Math.min(at + 1, buttons.length - 1)]?.focus(), ArrowUp: () => buttons[Math.max(at - 1, 0)]?.focus(),
    }[event.key] ?? (/^[1-9]$/.test(event.key) && buttons[event.key - 1] ? () => buttons[event.key - 1].click() : null);
    if (!act) return;
    event.preventDefault();
    act();
  };
  const stage = el("div", { tabindex: -1, onkeydown: keys },
    el("div", { class: "toolbar" }, undo, redo, restart, said,
      el("label", { class: "end" }, only, " only what the policy permits"), chance, run, manyField, el("label", {}, term("seed", "Seed"), " ", seedField)),
    card, problem, el("h3", {}, "What can happen"), moves);
  section.append(
    el("p", {}, "You are the environment: take one of the outcomes below, or let chance decide. Moves that the ", term("policy"), " does not choose can be taken too."),
    stateForm((values) => begin(values)), beyond, stage,
    el("h3", {}, "The run so far"),
    el("div", { class: "toolbar" },
      copyButton("Copy state", () => stateOption(traceHere(trace).values, traceHere(trace).exact)), copyButton("Copy run as text", () => traceAsText(trace)),
      saveButton("Save run as CSV", "run.csv", () => runAsCsv(traceAsRun(trace)), { class: "end" }), saveButton("Save run as JSON", "run.json", () => runAsJson(traceAsRun(trace)))),
    list);
  listen("state", ({ values, exact, from }) => {
    const here = traceHere(trace);
    if (from === "steps" || !values || (sameState(values, here.values) && !differExactly(exact, here.exact))) return;
    if (from === "address" || from === "region") return void begin(values, exact).then(() => section.scrollIntoView());
    beyond.replaceChildren(el("p", { class: "note" }, "Another part of the page looks at ", el("code", {}, name(clippedState(values))), ". ",
      button("Step from there", () => begin(values, exact))));
  });
  return show({ quiet: true });
}

/** A box for a state as text. Variables that it does not name keep the values of the state that was typed before, or of a start state. */
function stateForm(begin) {
  const field = el("input", { type: "text", id: "steps-begin", value: legible(stateText(startState().values)), "aria-label": "A state to begin with", style: { flex: "1 1 12rem", "min-width": "0" }, spellcheck: false, autocomplete: "off" });
  const wrong = el("p", { class: "problem", role: "alert", hidden: true });
  let last = startState().values;
  return el("form", { onsubmit: (event) => {
    event.preventDefault();
    wrong.hidden = true;
    try {
      const values = [...last];
      for (const [v, value] of parseState(field.value)) values[v] = value;
      last = values;
      begin(values);
    } catch (error) {
      wrong.textContent = legible(error.message);
      wrong.hidden = false;
      field.focus();
    }
  } }, el("div", { class: "toolbar" }, el("label", { for: "steps-begin" }, "Begin at"), field, el("button", { type: "submit" }, "Begin there")), wrong);
}

function stateFacts(told) {
  const facts = [told.start && "start", told.unsafe && markName(3), told.goal && "goal"].filter(Boolean);
  return [
    facts.length > 0 ? el("p", {}, facts.map((fact) => [el("span", { class: `badge ${fact}` }, fact === "start" ? "start state" : fact), " "])) : null,
    el("p", {}, capital(markName(told.mark)), "."),
    told.choice === null && data.json.policy_actions.length > 0 && el("p", { class: "soft" }, "The policy is not asked here: none of its actions is possible."),
  ].filter(Boolean);
}

function clippedState(values) {
  const text = stateText(values);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const STATES_AROUND = 15;

/** The states and steps so far, around the one that is looked at; each can be gone back to. */
function traceTable(trace, goTo) {
  const { entries, at } = trace, count = entries.length;
  const row = (entry, i) => {
    const { move, outcome } = entry.by ?? {};
    return el("tr", { "aria-current": i === at ? "true" : null },
      el("td", {}, el("button", { type: "button", style: { "white-space": "nowrap" }, onclick: () => goTo(i) }, `state ${number(i)}`)),
      el("td", {}, move && (move.action === null ? "silent step" : actionBadge(move.action)), move && !move.permitted && [" ", el("span", { class: "badge near" }, "against the policy")]),
      el("td", { class: "number" }, outcome?.probability ?? ""),
      el("td", {}, name(i === 0 ? clippedState(entry.values) : stepChanges(entries[i - 1].values, entry.values)), entry.told?.unsafe && [" ", el("span", { class: "badge unsafe" }, markName(3))]));
  };
  const body = el("tbody", {}), all = el("p", {});
  const fill = (from, to) => {
    body.replaceChildren(...entries.slice(from, to).map((entry, i) => row(entry, from + i)));
    all.replaceChildren(...(from > 0 || to < count ? [el("button", { type: "button", onclick: () => fill(0, count) }, `Show all ${number(count)} states`)] : []));
  };
  fill(Math.max(0, at - STATES_AROUND), Math.min(count, at + STATES_AROUND + 1));
  return el("div", {}, el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, ["State", "Reached by", "Probability", "What changed"].map((head) => el("th", { class: head === "Probability" ? "number" : null }, head)))), body)), all);
}
