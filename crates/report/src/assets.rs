//! The parts of the page that are the same for all data: one script, made of files in their order, and one style.

/// The files of the script; names are shared between them, and each uses only what stands before it while it is read.
const SCRIPTS: &[&str] = &[
    include_str!("../assets/core.js"),
    include_str!("../assets/words.js"),
    include_str!("../assets/actions.js"),
    include_str!("../assets/addresses.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/paging.js"),
    include_str!("../assets/graph_data.js"),
    include_str!("../assets/graph_predicate.js"),
    include_str!("../assets/draw_value.js"),
    include_str!("../assets/draw_shape.js"),
    include_str!("../assets/draw.js"),
    include_str!("../assets/verdict.js"),
    include_str!("../assets/run_card.js"),
    include_str!("../assets/run_table.js"),
    include_str!("../assets/run.js"),
    include_str!("../assets/map_words.js"),
    include_str!("../assets/map_grid.js"),
    include_str!("../assets/map_pen.js"),
    include_str!("../assets/map_draw.js"),
    include_str!("../assets/map_run.js"),
    include_str!("../assets/map_figure.js"),
    include_str!("../assets/map_controls.js"),
    include_str!("../assets/map.js"),
    include_str!("../assets/invariant.js"),
    include_str!("../assets/formula.js"),
    include_str!("../assets/bounds.js"),
    include_str!("../assets/diary.js"),
    include_str!("../assets/graph_words.js"),
    include_str!("../assets/graph_scene.js"),
    include_str!("../assets/graph_edges.js"),
    include_str!("../assets/graph_lines.js"),
    include_str!("../assets/graph_pen.js"),
    include_str!("../assets/graph_draw.js"),
    include_str!("../assets/graph_legend.js"),
    include_str!("../assets/graph_find.js"),
    include_str!("../assets/graph_search.js"),
    include_str!("../assets/graph_gestures.js"),
    include_str!("../assets/graph_panel.js"),
    include_str!("../assets/graph_table.js"),
    include_str!("../assets/graph_viewer.js"),
    include_str!("../assets/graph_view.js"),
    include_str!("../assets/view_chance.js"),
    include_str!("../assets/view_trace.js"),
    include_str!("../assets/view_moves.js"),
    include_str!("../assets/view_steps.js"),
    include_str!("../assets/view_predicates.js"),
    include_str!("../assets/view_region.js"),
    include_str!("../assets/frame.js"),
    include_str!("../assets/app.js"),
];

/// The style.
pub(crate) const STYLE: &str = include_str!("../assets/style.css");

/// What unpacks the script.
pub(crate) const LOADER: &str = include_str!("../assets/loader.js");

/// The script: one function, so that no name of it is seen outside.
pub(crate) fn script() -> String {
    format!("(async () => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat())
}
