// The search in the graph: where a state is, where a predicate holds, which states an action leaves.

const SEARCH_KINDS = [
  { kind: "state", label: "where a state is", example: () => data.json.variables.slice(0, 2).map((variable) => `${variable.name}=${plain(variable, variable.lower ?? 0)}`).join(", ") },
  { kind: "predicate", label: "where a predicate holds", example: (graph) => (graph.attributes.length ? attributeText(graph, 0) : "") },
  { kind: "action", label: "an action", example: (graph) => actionsIn(graph).slice(0, 1).map(moveActionName).join("") },
];

/** The form of the search, and what was found below it. */
function searchForm(viewer) {
  const list = el("datalist", { id: "graph-words" });
  const input = el("input", { type: "search", list: "graph-words", "aria-label": "What to look for", autocomplete: "off", spellcheck: "false", size: 30 });
  const kinds = el("select", { "aria-label": "What kind of thing to look for", onchange: () => prepare() }, SEARCH_KINDS.map(({ kind, label }) => el("option", { value: kind }, label)));
  const result = el("div", { class: "found", role: "status" });
  const clear = () => {
    input.value = "";
    showFound(viewer, null, result);
  };
  const form = el("form", { class: "toolbar", role: "search", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim() === "") return clear();
    try {
      const { graph } = viewer.scene, text = input.value.trim();
      if (kinds.value === "action") showFound(viewer, findAction(graph, actionNamed(graph, text)), result, actionNamed(graph, text));
      else showFound(viewer, (kinds.value === "state" ? findState : findPredicate)(graph, text), result);
    } catch (problem) {
      showFound(viewer, null, result);
      result.replaceChildren(el("p", { class: "problem" }, name(problem.message)));
    }
  } }, el("label", {}, "Find ", kinds), input, list, el("button", { type: "submit" }, "Find"), el("button", { type: "button", onclick: clear }, "Clear"));

  /** What the kind of search offers to choose from. */
  function prepare() {
    const { graph } = viewer.scene, { kind, example } = SEARCH_KINDS.find((each) => each.kind === kinds.value);
    const offers = kind === "predicate" ? graph.attributes.flatMap((_, attribute) => graph.attributes[attribute].words ?? []) : kind === "action" ? actionsIn(graph).map(moveActionName) : [];
    list.replaceChildren(...offers.slice(0, 500).map((text) => el("option", { value: text })));
    input.placeholder = example(graph);
  }
  onViewer(viewer, "graph", () => {
    prepare();
    clear();
  });
  return [form, result];
}

function actionNamed(graph, text) {
  const known = actionsIn(graph), sought = text.toLowerCase();
  const found = known.find((index) => moveActionName(index) === text) ?? known.find((index) => moveActionName(index).toLowerCase().startsWith(sought));
  if (found === undefined) throw new Error(`No move of the graph has an action of the name “${text}”.`);
  return found;
}

/** Mark what was found in the picture, and say how much it is. */
function showFound(viewer, found, result, action = null) {
  const { scene } = viewer;
  Object.assign(scene, { sought: found, action });
  settle(viewer);
  if (!found) return result.replaceChildren();
  const { graph } = scene, all = found.count === graph.count && graph.count > 1;
  const said = action !== null ? `${number(found.count)} of ${number(graph.count)} states have a move by it; its moves are drawn in colour.`
    : `${all ? "All" : number(found.count)} of ${number(graph.count)} states${all ? "" : " are"} found.`;
  const some = found.first.slice(0, 8);
  result.replaceChildren(
    el("p", {}, el("strong", {}, name(found.words)), ": ", said, " ", found.notes.map((note) => [note, " "])),
    found.count > 0 && el("div", { class: "toolbar" },
      el("button", { type: "button", onclick: () => goToAll(viewer, found) }, found.count === 1 ? "Go there" : "Go to the group that holds them"),
      found.count > 1 && some.map((state) => el("button", { type: "button", onclick: () => goToState(viewer, state) }, `state ${state}`)),
      found.count > some.length && el("span", { class: "soft" }, "…")) || "");
  if (found.count === 1) goToState(viewer, found.first[0]);
  announce(said);
}

/** Select the smallest group that holds all that was found, and go to it. */
function goToAll(viewer, { sum, count }) {
  const { graph } = viewer.scene;
  const lo = sum.indexOf(1) - 1, hi = sum.indexOf(count); // running sums: the first step up, and where all are counted
  const node = nodeOf(graph, lo, hi);
  selectNode(viewer, node);
  if (isLeaf(graph, node)) revealNode(viewer, node);
  else enterNode(viewer, node);
}
