//! Tables become charts, and what cannot be drawn is refused with its place.

use super::*;

const RUNS: &str = "engine,instance,seconds,size,lower,upper,peer_ms\n\
                    ours,a,0.5,1,0.1,0.4,20000\n\
                    ours,b,2,2,0.2,0.2,100\n\
                    theirs,a,30,1,0,1,\n\
                    theirs,b,-,2,,,5\n";

fn plot(kind: Kind, change: impl Fn(&mut Plot)) -> Plot {
    let mut plot = Plot::new(kind);
    change(&mut plot);
    plot
}

fn drawn(plot: &Plot) -> Drawn {
    plot.draw(&Sheet::read(RUNS).unwrap()).unwrap()
}

fn refused(text: &str, plot: &Plot) -> String {
    let error = plot.draw(&Sheet::read(text).unwrap()).unwrap_err();
    format!("{error}; {}", error.help.as_deref().unwrap_or_default())
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn points(drawn: &Drawn, series: usize) -> Vec<(f64, f64)> {
    drawn.chart.series[series].points.iter().map(|point| (point.x, point.y)).collect()
}

#[test]
fn a_cactus_has_a_series_for_each_value() {
    let cactus = drawn(&plot(Kind::Cactus, |plot| {
        (plot.y, plot.by, plot.limit) = (vec![text("seconds")], vec![text("engine")], Some(20.0));
    }));
    assert_eq!(points(&cactus, 0), [(0.5, 1.0), (2.0, 2.0)]);
    assert_eq!(points(&cactus, 1), []);
    assert_eq!(cactus.chart.series[1].name, "theirs");
    let wide = drawn(&plot(Kind::Cactus, |plot| plot.y = vec![text("ours=seconds"), text("peer=peer_ms")]));
    assert_eq!(points(&wide, 1), [(0.005, 1.0), (0.1, 2.0), (20.0, 3.0)]);
    assert_eq!([&*wide.chart.series[0].name, &wide.chart.series[1].name], ["ours", "peer"]);
}

#[test]
fn a_scatter_puts_what_never_came_on_the_border() {
    let scatter = drawn(&plot(Kind::Scatter, |plot| {
        (plot.x, plot.y, plot.limit) = (Some(text("seconds")), vec![text("peer=peer_ms")], Some(20.0));
    }));
    let never = f64::INFINITY;
    assert_eq!(points(&scatter, 0), [(0.5, never), (2.0, 0.1), (never, 0.005)]);
    assert_eq!((scatter.points, scatter.rows, scatter.empty), (3, 4, 1));
    assert_eq!(scatter.chart.y.border.as_deref(), Some("≥ 20 s"));
    assert_eq!([&*scatter.chart.x.title, &scatter.chart.y.title], ["seconds", "peer"]);
}

#[test]
fn growth_is_over_a_column() {
    let growth = drawn(&plot(Kind::Growth, |plot| {
        (plot.x, plot.y, plot.by) = (Some(text("size")), vec![text("seconds")], vec![text("engine")]);
        plot.only = vec![text("instance=a"), text("instance=b"), text("engine=theirs")];
        plot.threshold = Some(10.0);
    }));
    assert_eq!(points(&growth, 0), [(1.0, 30.0), (2.0, f64::INFINITY)]);
    assert_eq!((growth.rows, growth.chart.series.len()), (2, 1));
    assert_eq!(growth.chart.rules, [crate::Rule::Across(10.0, text("threshold 10 s"))]);
}

#[test]
fn bands_are_over_numbers_and_spans_beside_words() {
    let wanted = |x: &str| {
        plot(Kind::Band, |plot| {
            (plot.x, plot.ends) = (Some(text(x)), Some((text("lower"), text("upper"))));
            plot.by = vec![text("engine")];
        })
    };
    let band = drawn(&wanted("size"));
    assert_eq!((band.chart.form, band.points, band.empty), (crate::Form::Band, 3, 1));
    assert_eq!(band.chart.y.ends, Some((0.0, 1.0)));
    let spans = drawn(&wanted("instance"));
    assert_eq!((spans.chart.form, spans.points), (crate::Form::Spans, 3));
    assert_eq!(points(&spans, 0), [(0.4, 0.0), (0.2, 1.0)]);
}

#[test]
fn bad_cells_are_told_with_line_and_column() {
    let growth = plot(Kind::Growth, |plot| (plot.x, plot.y) = (Some(text("x")), vec![text("y")]));
    for (cell, what) in [
        ("NaN", "\"NaN\" is no finite number"),
        ("inf", "\"inf\" is no finite number"),
        ("fast", "\"fast\" is no finite number"),
        ("0", "0 has no place on a logarithmic axis"),
    ] {
        let message = refused(&format!("x,y\n1,2\n2,{cell}\n"), &growth);
        assert!(message.starts_with(&format!("line 3, column \"y\": {what}")), "{message}");
    }
    assert!(
        refused("x,y\n1,2\n\n1,3\n", &growth)
            .starts_with("line 4, column \"y\": the series has a point there already, from line 2")
    );
    assert_eq!(refused("x,z\n1,2\n", &growth), "line 1: there is no column \"y\"; columns are: x, z");
    assert!(refused("x,y\n1,\n", &growth).starts_with("no row has what is to be drawn"));
    let least = Plot { least: Some(0.5), ..growth };
    assert_eq!(least.draw(&Sheet::read("x,y\n1,0\n").unwrap()).unwrap().chart.series[0].points[0].y, 0.5);
}

#[test]
fn what_is_asked_must_fit_the_kind() {
    assert!(refused(RUNS, &Plot::new(Kind::Cactus)).contains("needs a column for y"));
    let odd = plot(Kind::Scatter, |plot| {
        (plot.x, plot.y) = (Some(text("seconds")), vec![text("size")]);
        plot.logarithmic = [Some(true), Some(false)];
    });
    assert!(refused(RUNS, &odd).contains("grow in the same way"));
    let condition = plot(Kind::Cactus, |plot| (plot.y, plot.only) = (vec![text("seconds")], vec![text("engine")]));
    assert!(refused(RUNS, &condition).contains("COL=VALUE"));
    let many: String = (0..40).map(|index| format!("{index},1\n")).collect();
    let cactus = plot(Kind::Cactus, |plot| (plot.y, plot.by) = (vec![text("s")], vec![text("b")]));
    assert!(refused(&format!("b,s\n{many}"), &cactus).starts_with("line 32: more than 30 series cannot be told apart"));
    let turned = plot(Kind::Band, |plot| (plot.x, plot.ends) = (Some(text("x")), Some((text("l"), text("u")))));
    assert!(refused("x,l,u\n1,2,1\n", &turned).starts_with("line 2, column \"l\": 2 is above 1"));
}
