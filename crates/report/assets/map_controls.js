// The controls of the policy map: which variables, which states, which colours. They change the look that they are given, and say so.

/** The controls as an element, and `update(look, grid)` that brings them in line with what is looked at. */
function mapControls(look, changed) {
  const { variables, slices, states, run, mode } = data.json;
  const set = (change) => {
    Object.assign(look, change);
    changed();
  };
  const select = (label, choose) => {
    const list = el("select", { onchange: () => choose(list.value) });
    return { list, element: el("label", {}, label, " ", list) };
  };
  const fill = ({ list }, options, value) => {
    const key = JSON.stringify(options);
    if (list.dataset.key !== key) list.replaceChildren(...options.map((option) => el("option", { value: option.value }, option.text)));
    list.dataset.key = key;
    list.value = String(value);
  };
  const x = select("across", (value) => choosePair({ x: Number(value) }));
  const y = select("up", (value) => choosePair({ y: Number(value) }));
  const kind = select("shows", (value) => chooseKind(value));
  const base = select("through", (value) => set({ base: value === "here" ? value : Number(value) }));
  const by = select("colour by", (value) => set({ by: value }));
  const filter = el("input", { type: "search", placeholder: "x >= 3, door = true", "aria-label": "Only states with", onchange: () => set({ filter: filter.value }) });
  const filterLabel = el("label", {}, "only states with ", filter);
  const down = el("input", { type: "checkbox", onchange: () => set({ down: down.checked }) });
  const runBox = el("input", { type: "checkbox", checked: true, onchange: () => set({ run: runBox.checked }) });

  /** Whether any two variables can be shown; else only pairs that were computed. */
  const anyPair = () => look.kind !== "slice" || mode === "view";
  const partners = (v) => new Set((slices?.maps ?? []).flatMap((map) => (map.x === v ? [map.y] : map.y === v ? [map.x] : [])));

  function choosePair(change) {
    const wanted = { x: look.x, y: look.y, ...change };
    // The same variable twice means that they change places.
    if (wanted.x === wanted.y) Object.assign(wanted, change.x === undefined ? { x: look.y } : { y: look.x });
    if (!anyPair() && !partners(wanted.x).has(wanted.y)) {
      const [kept, other] = change.x === undefined ? ["y", "x"] : ["x", "y"];
      wanted[other] = Math.min(...partners(wanted[kept]));
    }
    set(withBase(wanted));
  }

  /** The base for a pair: the one that is chosen, or one for which the pair was computed. */
  function withBase(wanted) {
    if (anyPair() || (look.base !== "here" && mapOfPage(wanted.x, wanted.y, look.base))) return wanted;
    const at = slices.bases.findIndex((_, b) => mapOfPage(wanted.x, wanted.y, b));
    return { ...wanted, base: Math.max(0, at) };
  }

  function chooseKind(value) {
    look.kind = value;
    if (anyPair()) return set({});
    if (partners(look.x).has(look.y)) return set(withBase({ x: look.x, y: look.y }));
    const { x: one, y: other } = slices.maps[0];
    return set(withBase({ x: one, y: other }));
  }

  function update(_, grid = null) {
    const one = (list) => list.map((v) => ({ value: String(v), text: variables[v].name }));
    const all = variables.map((_, v) => v);
    fill(x, one(anyPair() ? all : all.filter((v) => partners(v).size > 0)), look.x);
    fill(y, one(anyPair() ? all : all.filter((v) => v === look.y || partners(v).size > 0)), look.y);
    fill(kind, MAP_KINDS.filter((each) => each.wanted()).map((each) => ({ value: each.kind, text: each.text })), look.kind);
    const bases = (slices?.bases ?? []).map((each, b) => ({ value: String(b), text: each.name, fits: look.kind === "reached" || mode === "view" || mapOfPage(look.x, look.y, b) }));
    const here = look.kind === "reached" || mode === "view" ? [{ value: "here", text: "the state that is looked at", fits: true }] : [];
    fill(base, [...bases, ...here].filter((each) => each.fits), look.base);
    base.element.hidden = look.kind === "projection";
    filterLabel.hidden = look.kind !== "projection";
    fill(by, [{ value: "action", text: "action" }, { value: "mark", text: "what is known" }, ...(states?.value && look.kind !== "slice" ? [{ value: "probability", text: "probability" }] : [])],
      grid ? look.by : look.by === "probability" && look.kind === "slice" ? "action" : look.by);
  }

  const swap = el("button", { type: "button", hint: "Exchange the two variables", "aria-label": "Exchange the two variables", onclick: () => set({ x: look.y, y: look.x }) }, "⇄");
  const element = el("div", { class: "toolbar" }, x.element, swap, y.element, kind.element, base.element, filterLabel, by.element,
    run && el("label", {}, runBox, " run"), el("label", {}, down, " rows go down"));
  return { element, update };
}
