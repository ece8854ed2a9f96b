// The part of the page that shows the abstraction: the picture, what moves it, the panel beside it, the search above it, and a table of the same below.

let graphViewer = null;

part("abstraction", "The graph of states", (json) => json.graph !== null && json.graph !== undefined || json.mode === "view", buildGraphPart);

/** Show another graph, for instance the one of an answer: `source` is the object of the contract, `from` holds its columns, `words` say what it is. */
function setGraph(source, from = data, words = null) {
  if (!graphViewer) return;
  const graph = makeGraph(source, from);
  graph.asked = from !== data;
  graph.words = words;
  showGraph(graphViewer, graph);
}

function buildGraphPart(section, json) {
  const viewer = graphViewer = makeViewer();
  const about = el("div", {}), legend = el("div", {}), panel = el("div", { class: "side" });
  const crumbs = el("ol", { class: "legend" }), status = el("p", { class: "soft small" });
  const path = pathControls(viewer), stage = el("div", { hidden: true });
  const none = el("p", { class: "soft" }, "No abstraction is shown yet.");
  stage.append(
    about, ...searchForm(viewer), viewToolbar(viewer), path.element, el("nav", { class: "screen", "aria-label": "From all states to the selected ones" }, crumbs),
    el("div", { class: "beside" }, el("div", {}, el("div", { class: "frame" }, viewer.canvas), status, legend), panel), boxTable(viewer));
  section.append(none, stage);

  const showPanel = () => keepFocus(crumbs, () => keepFocus(panel, () => fillPanel(viewer, panel, crumbs, json.mode === "view")));
  onViewer(viewer, "graph", ({ graph }) => {
    none.hidden = true;
    stage.hidden = false;
    for (const heading of [section.querySelector("h2"), document.querySelector(`.contents a[href="#${section.id}"]`)]) heading?.replaceChildren(name(graph.title));
    sizeCanvas(viewer);
    about.replaceChildren(...aboutGraph(graph));
    legend.replaceChildren(legendOf(graph));
    markState(viewer);
  });
  onViewer(viewer, "select", showPanel);
  onViewer(viewer, "settle", (scene) => { status.textContent = legible(statusText(scene)); });
  listenToGestures(viewer, { onPath: path.step, onPoint: (place, event) => point(viewer, place, event) });
  listen("theme", () => {
    if (!viewer.scene) return;
    legend.replaceChildren(legendOf(viewer.scene.graph));
    drawViewer(viewer);
  });
  listen("paper", (starts) => { if (starts && viewer.scene) settle(viewer); }); // words and table belong to the picture that is printed
  listen("state", ({ values }) => {
    viewer.looked = values;
    markState(viewer);
  });
  route("node", (rest) => openAddress(viewer, rest));
  addEventListener("resize", () => sizeCanvas(viewer));
  if (json.graph) setGraph(json.graph);
}

/** As high as the graph is for the width of the page, within what the screen has room for: the page around it must still be scrolled. */
function sizeCanvas(viewer) {
  if (!viewer.scene) return;
  const { canvas, scene } = viewer, { w, h } = scene.graph.tree, width = canvas.clientWidth || 600;
  const wanted = Math.round(Math.max(Math.min(440, width * 0.9), Math.min(innerHeight * 0.72, (width * h[0]) / w[0] + 24)));
  canvas.style.setProperty("height", `${wanted}px`);
  resizeViewer(viewer);
}

function aboutGraph(graph) {
  const made = [el("p", {}, name(graph.explained))];
  if (graph.words || graph.asked) {
    made.push(el("p", { class: "note" }, name(graph.words ?? "Another graph is shown than that of the page."), " ", data.json.graph && el("button", { type: "button", onclick: () => setGraph(data.json.graph) }, "Back to the first one")));
  }
  if (!graph.complete) {
    made.push(el("p", { class: "note" }, "This graph is not complete", graph.stopped ? [" (", name(graph.stopped), ")"] : "",
      ": that a transition is missing here does not prove that there is none."));
  }
  made.push(el("p", { class: "soft small" }, `${counting(graph.count, graph.kind === "abstract" ? "abstract state" : "state")}, ${counting(graph.edgeCount, "transition")}. `,
    "Drag to move, pinch to zoom; after a click the wheel zooms too. Double click or Enter opens a group."));
  return made;
}

function statusText(scene) {
  const { graph, visible, edges, edgesTotal } = scene;
  if (visible.length === 0) return "Nothing of the graph is here: “All” shows all of it.";
  const shownEdges = edges.length < edgesTotal ? `, the ${number(edges.length)} strongest of ${number(edgesTotal)} bundles of moves` : "";
  const level = shownLevel(scene), open = level > 0 ? ` All groups are open down to “${graph.levels[level].name}”.` : "";
  return `${counting(visible.length, "box", "boxes")} for ${counting(graph.count, "state")}${shownEdges}.${open}${scene.crowded ? " More does not fit at once: zoom in to open more." : ""}`;
}

/** Buttons that zoom, the level to which all is open, and what saves the picture. */
function viewToolbar(viewer) {
  const button = (label, act, attributes) => el("button", { type: "button", ...attributes, onclick: act }, label);
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "Iteration to which all groups are open" });
  const said = el("output", {}), levelWord = el("span", {});
  const byRoom = button("By room", () => setDetail(null), { hint: "Open groups as there is room for what is in them" });
  const setDetail = (level) => {
    const { scene } = viewer;
    scene.detail = level;
    scene.opened.clear();
    scene.closed.clear();
    tellDetail();
    viewChanged(viewer);
  };
  const tellDetail = () => {
    const { graph, detail } = viewer.scene;
    byRoom.setAttribute("aria-pressed", detail === null);
    said.textContent = detail === null ? "as there is room" : legible(graph.levels[detail].name);
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  slider.addEventListener("input", () => setDetail(Number(slider.value)));
  onViewer(viewer, "graph", ({ graph }) => {
    levelWord.replaceChildren(graph.levels.some((level) => level.name.startsWith("iteration")) ? term("refinement", "Iteration") : "Level");
    slider.max = graph.levels.length - 1;
    slider.value = slider.max;
    tellDetail();
  });
  return el("div", { class: "toolbar" },
    button("+", () => zoomViewer(viewer, 1.5), { "aria-label": "Zoom in" }), button("−", () => zoomViewer(viewer, 1 / 1.5), { "aria-label": "Zoom out" }),
    button("All", () => glideTo(viewer, viewOf(viewer.scene)), { hint: "Show all of the graph" }),
    el("label", { style: { "white-space": "nowrap" } }, levelWord, " ", slider), said, byRoom,
    saveButton("Save as PNG", "abstraction.png", () => scenePng(viewer.scene), { class: "end" }), saveButton("Save as SVG", "abstraction.svg", () => sceneSvg(viewer.scene, viewer.scene.graph.title)));
}

/** The path in the graph, step by step. */
function pathControls(viewer) {
  const said = el("span", { role: "status" }), title = el("span", {});
  const back = el("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous step" }, "‹ Previous");
  const on = el("button", { type: "button", onclick: () => step(1), "aria-label": "Next step" }, "Next ›");
  const element = el("div", { class: "toolbar", hidden: true }, title, back, on, said);

  function step(by) {
    const { scene } = viewer, { path } = scene.graph;
    if (!path?.length) return;
    scene.step = Math.max(0, Math.min(path.length - 1, scene.step + by));
    show();
    goToState(viewer, path[scene.step]);
  }

  function show() {
    const { graph, step: at } = viewer.scene, { path, path_actions: actions } = graph;
    element.hidden = !path?.length;
    if (!path?.length) return;
    const called = capital(pathName(graph));
    title.replaceChildren(graph.kind === "abstract" ? term("abstract path", called) : called);
    keepFocus(element, () => {
      back.disabled = at <= 0;
      on.disabled = at >= path.length - 1;
    });
    said.replaceChildren(...(at < 0 ? [counting(path.length - 1, "step")] : [`state ${at} of ${path.length - 1}`, at > 0 && actions ? [", reached by ", actionBadge(actions[at - 1])] : ""].flat()));
  }
  onViewer(viewer, "graph", show);
  return { element, step };
}

/** Say what is under the pointer, once per frame: a box, or else an edge that runs through a group. */
function point(viewer, place, event) {
  viewer.pointed = place && { place, x: event.clientX, y: event.clientY };
  viewer.pointing ||= requestAnimationFrame(() => {
    viewer.pointing = 0;
    const { scene, pointed } = viewer;
    if (!scene) return;
    const node = pointed ? nodeAt(scene, ...pointed.place) : -1;
    const edge = pointed ? edgeAt(scene, viewer.hits, ...pointed.place) : null;
    if (node !== scene.hovered || edge !== scene.hoveredEdge) {
      Object.assign(scene, { hovered: node, hoveredEdge: edge });
      viewer.tip = edge ? tipOfEdge(scene.graph, edge) : node >= 0 ? tipOfNode(scene.graph, node) : null;
      requestDraw(viewer);
    }
    if (pointed && viewer.tip) showTip(viewer.tip, pointed.x, pointed.y);
    else hideTip();
  });
}

/** Mark where the concrete state is that some other part of the page looks at. */
function markState(viewer) {
  const { scene, looked: values } = viewer;
  if (!scene || !values) return;
  const { known } = attributesAt(scene.graph, values);
  const states = known.some((value) => value !== undefined) ? statesLike(scene.graph, known) : [];
  scene.here = states.length ? foundFrom(scene.graph, stateText(values), states) : null;
  requestDraw(viewer);
}

/** `#node=LO-HI`: the group of these states; `#node=N`: a single one. */
function openAddress(viewer, rest) {
  const found = /^(\d+)(?:-(\d+))?$/.exec(rest);
  if (!viewer.scene) throw new Error("no abstraction is shown");
  if (!found) throw new Error("a node is a number, or two with a “-” between them");
  const lo = Number(found[1]), hi = Number(found[2] ?? lo + 1), { graph } = viewer.scene;
  if (lo >= hi || hi > graph.count) throw new Error(`the graph has the states 0 to ${graph.count - 1}`);
  const node = nodeOf(graph, lo, hi);
  viewer.canvas.scrollIntoView({ block: "center" });
  selectNode(viewer, node, { link: false });
  if (isLeaf(graph, node)) revealNode(viewer, node);
  else enterNode(viewer, node);
}
