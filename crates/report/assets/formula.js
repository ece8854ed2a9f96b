// A formula of branching time: its text, the pieces of the start set where it holds or fails, and the tree of runs that shows why.
//
// The tree is a graph of states. From node 0 on, a state with one step is followed by the next on the same level; only where several steps matter do runs
// branch, and are set below their state. A node that was there before is named, not repeated.

part("formula", "Formula", (json) => json.formula !== null, buildFormula);
part("cover", "Start set", (json) => json.cover !== null, buildCover);
part("tree", "Tree of runs", (json) => json.tree !== null, buildTree);

function buildFormula(section, json) {
  const { text, horizon, stuttering } = json.formula;
  const pairs = [[term("horizon", "Horizon"), horizon === null ? "no bound" : `${number(horizon)} ${horizon === 1 ? "step" : "steps"}`]];
  if (stuttering !== null) {
    pairs.push([hinted("States without successors", "A run that comes to a state which no step leaves stays there for ever."),
      stuttering ? "matter for the verdict: a run stays there" : "do not matter for the verdict"]);
  }
  section.append(el("div", { class: "command" }, el("pre", { tabindex: 0, "aria-label": "Formula" }, text), copyButton("Copy", () => text, { "aria-label": "Copy the formula" })), pairList(pairs));
}

function buildCover(section, json) {
  const { count, pieces, checked } = json.cover;
  const good = pieces.filter((piece) => piece.holds).length;
  section.append(el("p", {}, `The start set was cut into ${number(count)} ${count === 1 ? "piece" : "pieces"}; on each of them the formula holds everywhere, or nowhere.${checked ? "" : " So the result file says; it was not checked here."}`),
    pairList([["Pieces where it holds", number(good)], ["Pieces where it fails", number(pieces.length - good)]]));
  const row = (piece, index) => el("tr", {}, el("th", { scope: "row", class: "number" }, number(index + 1)),
    el("td", {}, checked ? el("span", { class: piece.holds ? "judged good" : "judged bad" }, piece.holds ? "✓ holds" : "✗ fails") : `said to ${piece.holds ? "hold" : "fail"}`),
    el("td", {}, piece.constraints.length > 0 ? literalList(piece.constraints) : el("span", { class: "soft" }, "the whole start set")), el("td", { class: "number" }, number(piece.states)));
  const head = [["Piece", true], ["Formula", false], ["Where", false], [hinted("States", "Symbolic states that were looked at from there: each is a set of states that all follow the same steps."), true]]
    .map(([text, right]) => el("th", { scope: "col", class: right ? "number" : null }, text));
  section.append(pagedList({ items: pieces, make: row, noun: "pieces", words: (piece) => `${piece.holds ? "holds" : "fails"} ${piece.constraints.join(" ∧ ")}`,
    wrap: (rows) => el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))) }).element);
  if (count > pieces.length) section.append(el("p", { class: "note" }, `These are the first ${number(pieces.length)} of ${number(count)} pieces.`));
}

function buildTree(section, { tree: { nodes }, actions, variables }) {
  section.append(
    el("p", {}, `Why the formula fails takes several runs to see. They begin at node 0, which is a start state; ${number(nodes.length)} ${nodes.length === 1 ? "node" : "nodes"} in all. Of each state, the values that the step before changed are in bold.`));
  const placed = new Set(), trail = new Set();
  section.append(runsFrom(0, null, trail));

  /** The runs from a node on, as one list: the node, those after it, and where they branch, the lists of the branches. */
  function runsFrom(first, step, above) {
    const list = el("ol", { class: "runs" }), here = new Set(above);
    for (let [at, by, before] = [first, step, step === null ? null : step.from]; at !== null;) {
      if (placed.has(at)) {
        list.append(el("li", { class: "again" }, stepWords(by), " ", nodeLink(at), here.has(at) ? " again: so it goes on for ever" : ": see there"));
        break;
      }
      placed.add(at);
      here.add(at);
      const item = el("li", { id: `tree-${at}`, tabindex: -1 }, by && [stepWords(by), " "], nodeWords(at, before));
      list.append(item);
      const { steps } = nodes[at];
      if (steps.length > 1) item.append(el("ul", { class: "branches" }, steps.map((each) => el("li", {}, runsFrom(each.target, { ...each, from: at }, here)))));
      [by, before, at] = steps.length === 1 ? [{ ...steps[0], from: at }, at, steps[0].target] : [null, null, null];
    }
    return list;
  }

  function stepWords({ action, operator }) {
    if (action === null && operator === null) return el("span", { class: "soft" }, hinted("stays", "Nothing is possible here: the run stays in this state."));
    return el("span", { class: "step" }, actionBadge(action), operator && operator !== actions[action] && [" ", el("span", { class: "soft small" }, name(operator))]);
  }

  function nodeWords(at, before) {
    const { state, steps, all, for_ever: forEver, shows, rests } = nodes[at];
    const values = variables.map((variable, i) => {
      const changed = before !== null && nodes[before].state[i] !== state[i];
      if (before !== null && !changed && variables.length > 6) return null;
      return [el("span", { class: changed ? "changed" : null }, name(variable.name), "=", name(shown(variable, state[i]))), "  "];
    });
    return [stateLink(state, `node ${at}`), ": ", values, before !== null && variables.length > 6 && el("span", { class: "soft small" }, "(the rest as before)"),
      all && steps.length > 1 && el("span", { class: "soft" }, ` (all ${number(steps.length)} successors)`),
      forEver && el("span", { class: "badge" }, "whatever happens from here on"),
      shows.length > 0 && el("div", { class: "small" }, "to show ", shows.map((text) => [el("code", {}, text), " "])),
      rests.length > 0 && el("div", { class: "small" }, hinted("whatever happens from here on", "This holds on all runs from here. It rests on all states that can follow, which are not drawn."), ": ", rests.map((text) => [el("code", {}, text), " "]))];
  }

  function nodeLink(at) {
    return el("a", { href: `#tree-${at}` }, `node ${at}`);
  }
}
