// The boxes of the picture as a table, for those who read it rather than see it. It is made when it is opened, and again when the picture has come to rest.

const BOXES_ON_PAPER = 60; // more would be pages of little use: the picture is printed in any case

function boxTable(viewer) {
  const holder = el("div", {});
  const folded = el("details", {}, el("summary", {}, "The boxes shown, as a table"), holder);
  const fill = () => holder.replaceChildren(tableOf(viewer));
  folded.addEventListener("toggle", () => { if (folded.open) fill(); });
  folded.addEventListener("paper", fill);
  onViewer(viewer, "settle", ({ visible }) => {
    folded.classList.toggle("screen", visible.length > BOXES_ON_PAPER);
    if (folded.open) fill();
  });
  return folded;
}

function tableOf(viewer) {
  const { scene } = viewer, { graph } = scene;
  const to = new Map();
  for (const edge of scene.edges) to.set(edge.source, [edge, ...(to.get(edge.source) ?? [])]); // the strongest come last in `edges`
  const heads = ["What tells it apart", "States", "Marks", graph.value && "Value", "Moves within", "Strongest moves out"].filter(Boolean);
  return el("div", { class: "scroll tall" }, el("table", {},
    el("caption", { class: "unseen" }, `The ${number(scene.visible.length)} boxes shown`),
    el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, scene.visible.map((node) => el("tr", { "aria-current": node === standsFor(scene, scene.selected) ? "true" : null },
      el("th", { scope: "row" }, el("button", { type: "button", onclick: () => selectNode(viewer, node) }, name(longName(graph, node)))),
      el("td", { class: "number" }, number(statesIn(graph, node))),
      el("td", {}, marksText(graph, node) || "–"),
      graph.value && el("td", { class: "number" }, `≤ ${number(roundedUp(graph.highest[node], 4))}`),
      el("td", { class: "number" }, number(scene.inside.get(node) ?? 0)),
      el("td", {}, movesOutOf(graph, to.get(node) ?? [])))))));
}

function movesOutOf(graph, edges) {
  if (edges.length === 0) return "–";
  return edges.slice(0, 3).map((edge, i) => [i > 0 && "; ", `${number(edge.count)} to `, name(longName(graph, edge.target, commonGroup(graph, edge.source, edge.target)))]);
}
