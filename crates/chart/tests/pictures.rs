//! What is drawn: every kind of chart with ordinary, empty, extreme and hostile contents. No text lies on another or leaves the drawing, every value lies in the frame, and the same chart gives the same bytes.
//!
//! The pictures are left in the folder for temporary files of the target directory, to be looked at.

use surefoot_chart::{Axis, Chart, Point, Rule, Series};

/// An element: its name, its attributes, what is in it.
struct Element<'t> {
    attributes: &'t str,
    inside: &'t str,
}

fn elements<'t>(text: &'t str, name: &str) -> Vec<Element<'t>> {
    let open = format!("<{name} ");
    let parts = text.split(&open[..]).skip(1);
    let element = |part: &'t str| {
        let (attributes, rest) = part.split_once('>').expect("a tag ends");
        Element { attributes, inside: rest.split('<').next().unwrap_or_default() }
    };
    parts.map(element).collect()
}

impl<'t> Element<'t> {
    fn get(&self, name: &str) -> Option<&'t str> {
        let start = format!(" {name}=\"");
        let attributes = self.attributes;
        let at =
            if attributes.starts_with(&start[1..]) { start.len() - 1 } else { attributes.find(&start)? + start.len() };
        attributes[at..].split('"').next()
    }

    fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name} of {}", self.attributes))
    }

    /// Where a text is: left, right, top, bottom. Letters are counted as wide as they are on average.
    fn area(&self) -> (f64, f64, f64, f64) {
        let size = self.get("font-size").map_or(12.0, |size| size.parse().expect("a number"));
        let text = self
            .inside
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
            .replace("&quot;", "\"")
            .replace("&#39;", "'");
        let width = 0.55 * size * f64::from(u16::try_from(text.chars().count()).expect("a short text"));
        let (x, y) = (self.number("x"), self.number("y"));
        let left = match self.get("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        (left, left + width, y - 0.75 * size, y + 0.2 * size)
    }
}

/// Whether every tag is closed, in order: enough of XML for what is written here.
fn is_well_formed(text: &str) -> bool {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let Some((tag, rest)) = tag.split_once('>') else { return false };
        if rest.contains('>') || tag.matches('"').count() % 2 == 1 {
            return false;
        }
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) if open.pop() != Some(name) => return false,
            (None, false) => open.push(tag.split([' ', '\n']).next().unwrap_or_default()),
            _ => {}
        }
    }
    open.is_empty()
}

/// The places that a path goes through: of marks where each begins, of steps and lines all.
fn corners(path: &str, marks: bool) -> Vec<(Option<f64>, Option<f64>)> {
    let mut found = Vec::new();
    let mut rest = path;
    while let Some(at) = rest.find(|letter: char| "MLHV".contains(letter)) {
        let letter = &rest[at..=at];
        rest = &rest[at + 1..];
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        let numbers: Vec<f64> =
            rest[..end].split_whitespace().map(|number| number.parse().expect("a number")).collect();
        match (letter, &numbers[..]) {
            ("M" | "L", [x, y]) => found.push((Some(*x), Some(*y))),
            ("H", [x]) => found.push((Some(*x), None)),
            ("V", [y]) => found.push((None, Some(*y))),
            _ => panic!("{letter} {numbers:?}"),
        }
    }
    assert!(!marks || found.iter().all(|(x, y)| x.is_some() && y.is_some()), "{path}");
    found
}

/// All that holds of every picture.
fn inspect(name: &str, chart: &Chart) -> String {
    let text = chart.svg();
    assert_eq!(text, chart.clone().svg(), "{name}: other bytes");
    std::fs::write(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg")), &text)
        .expect("a file");
    assert!(is_well_formed(&text), "{name}: {text}");
    assert!(!text.contains("NaN") && !text.contains("inf "), "{name}: {text}");
    assert!(text.contains("role=\"img\"") && text.contains("<title>") && text.contains("<desc>"), "{name}");
    let height: f64 = text
        .split("viewBox=\"0 0 720 ")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a size")
        .parse()
        .expect("a height");
    let texts = elements(&text, "text");
    for (place, one) in texts.iter().enumerate() {
        let (left, right, top, bottom) = one.area();
        assert!(left >= 0.0 && right <= 720.0 && top >= 0.0 && bottom <= height, "{name}: {} is cut off", one.inside);
        for other in &texts[..place] {
            let there = other.area();
            let apart = right <= there.0 || there.1 <= left || bottom <= there.2 || there.3 <= top;
            assert!(apart, "{name}: {:?} lies on {:?}", one.inside, other.inside);
        }
    }
    // The frame is where its two darker lines meet; with its borders it is as wide and high as they are long.
    let lines = elements(&text, "line");
    let sides: Vec<&Element<'_>> = lines.iter().filter(|line| line.get("stroke") == Some("#888")).collect();
    let (left, right, bottom) = (sides[0].number("x1"), sides[0].number("x2"), sides[0].number("y1"));
    let top = sides[1].number("y1");
    for path in elements(&text, "path") {
        let Some(kind) = path.get("class") else { continue };
        for (x, y) in corners(path.get("d").expect("a path"), kind == "marks") {
            // Marks beside names are in the column of names.
            let is_sample = kind == "marks" && x.is_some_and(|x| x > right + 1.0);
            let is_in = x.is_none_or(|x| (left - 0.1..=right + 0.1).contains(&x));
            let is_in = is_in && y.is_none_or(|y| (top - 0.1..=bottom + 0.1).contains(&y));
            assert!(is_sample || is_in, "{name}: {x:?} {y:?} is not in {left} {right} {top} {bottom}");
        }
    }
    text
}

fn wave(index: u32, points: u32) -> impl Iterator<Item = (f64, f64)> {
    (1..=points).map(move |x| {
        (f64::from(x), 0.01 * f64::from(x * x) * (1.0 + f64::from((x * 7 + index * 3) % 11)) * f64::from(index + 1))
    })
}

/// A chart of each kind with series of such names and points.
fn each(names: &[&str], points: &dyn Fn(u32) -> Vec<(f64, f64)>) -> Vec<(&'static str, Chart)> {
    let series = |of: &dyn Fn((f64, f64)) -> Point| -> Vec<Series> {
        (0..).zip(names).map(|(index, name)| Series::of(*name, points(index).into_iter().map(of))).collect()
    };
    let plain = || series(&|(x, y)| Point::at(x, y));
    let words = || (0..4).map(|row| format!("{} {row}", names.first().unwrap_or(&""))).collect();
    let in_rows = (0..).zip(names).map(|(index, name)| {
        Series::of(
            *name,
            points(index).into_iter().take(4).enumerate().map(|(row, (x, y))| Point::in_row(row, x.min(y), x.max(y))),
        )
    });
    let (seconds, bordered) = (|| Axis::seconds("seconds"), |name: &str| Axis::seconds(name).with_border("≥ 20 s"));
    let title = names.first().copied().unwrap_or("nothing");
    let runs =
        (0..).zip(names).map(|(index, name)| ((*name).to_owned(), points(index).into_iter().map(|(_, y)| y).collect()));
    vec![
        ("cactus", Chart::cactus(title, Some(20.0), runs)),
        ("scatter", Chart::scatter(title, bordered("ours"), bordered("theirs"), plain())),
        ("growth", Chart::growth(title, Axis::linear("size"), seconds().with_border("never"), plain())),
        (
            "band",
            Chart::band(
                title,
                seconds(),
                Axis::linear("probability"),
                series(&|(x, y)| Point::between(x, y / 2.0, y)),
                Some((0.3, "threshold".to_owned())),
            ),
        ),
        (
            "spans",
            Chart::spans(
                title,
                Axis::linear("probability"),
                words(),
                in_rows.collect(),
                Some((0.3, "threshold".to_owned())),
            ),
        ),
    ]
}

#[test]
fn ordinary_charts() {
    for (name, chart) in each(&["surefoot", "a peer", "another"], &|index| wave(index, 30).collect()) {
        let text = inspect(name, &chart);
        for series in ["surefoot", "a peer", "another"] {
            assert!(text.contains(&format!(">{series}")), "{name}: {series}");
        }
        assert!(text.len() < 20_000, "{name}: {} bytes", text.len());
    }
}

#[test]
fn empty_charts_and_those_of_one_point() {
    for (name, chart) in each(&[], &|_| Vec::new()) {
        inspect(&format!("none_{name}"), &chart);
    }
    for (name, chart) in each(&["a"], &|_| Vec::new()) {
        inspect(&format!("empty_{name}"), &chart);
    }
    for (name, chart) in each(&["a"], &|_| vec![(2.0, 3.0)]) {
        let text = inspect(&format!("one_{name}"), &chart);
        assert!(elements(&text, "path").iter().any(|path| path.get("class") == Some("marks")), "{name}");
    }
}

#[test]
fn huge_and_tiny_numbers() {
    let sets: [&[(f64, f64)]; 5] = [
        &[(1e-300, 1e300), (1e300, 1e-300)],
        &[(f64::MAX, f64::MAX), (f64::MIN_POSITIVE, f64::MIN_POSITIVE)],
        &[(1e15, 1e15), (1e15 + 1.0, 1e15 + 2.0)],
        &[(123_456_789.0, 0.000_001_23), (987_654_321.0, 0.000_001_24)],
        &[(5e-324, 5e-324)],
    ];
    for (place, set) in sets.iter().enumerate() {
        for (name, chart) in each(&["a", "b"], &|_| set.to_vec()) {
            inspect(&format!("extreme{place}_{name}"), &chart);
        }
    }
}

#[test]
fn points_without_a_place_are_left_out_and_counted() {
    let odd = vec![(1.0, f64::NAN), (f64::NAN, 1.0), (2.0, 5.0), (f64::NEG_INFINITY, 3.0), (3.0, -1.0)];
    let growth = Chart::growth("t", Axis::linear("x"), Axis::logarithmic("y"), vec![Series::new("a", odd)]);
    assert!(inspect("odd", &growth).contains("4 points have no place on these axes"));
    for (name, chart) in each(&["a"], &|_| vec![(f64::NAN, f64::NAN), (1.0, f64::NAN)]) {
        inspect(&format!("nan_{name}"), &chart);
    }
}

#[test]
fn what_never_came_lies_on_the_border() {
    let never = f64::INFINITY;
    let points = vec![(0.1, 1.0), (0.2, never), (never, 0.3), (never, never)];
    let charts = each(&["a", "b"], &|_| points.clone());
    let text = inspect("border_scatter", &charts[1].1);
    assert!(!text.contains("left out") && text.matches(">≥ 20 s<").count() == 2, "{text}");
    let text = inspect("border_growth", &charts[2].1);
    assert!(text.contains(">never<"), "{text}");
}

#[test]
fn many_names_and_long_ones() {
    let names: Vec<String> =
        (0..30).map(|index| format!("pa+relaxed+smt by the solvers of the paper, configuration {index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (name, chart) in each(&names, &|_| vec![(1.0, 2.0), (5.0, 2.0)]) {
        inspect(&format!("many_{name}"), &chart);
    }
    let rules: Vec<Rule> =
        (0..6).map(|index| Rule::Up(f64::from(index) / 10.0, format!("a limit called {index}"))).collect();
    let chart = Chart {
        rules,
        ..Chart::growth("t", Axis::linear("x"), Axis::linear("y"), vec![Series::new("", [(0.0, 0.0), (0.5, 1.0)])])
    };
    inspect("rules", &chart);
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "<script>alert('x')</script> \"&amp;\" \u{202e}\u{1b}]0;\u{0} 名前 \u{5e9}\u{5dc}\u{5d5}\u{5dd}";
    for (name, mut chart) in each(&[hostile], &|index| wave(index, 5).collect()) {
        chart.x.title = hostile.to_owned();
        chart.rules.extend([Rule::Up(1.0, hostile.to_owned()), Rule::Across(1.0, hostile.to_owned())]);
        let text = inspect(&format!("hostile_{name}"), &chart);
        assert!(text.contains("&lt;script&gt;") && !text.contains("<script"), "{name}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{name}");
    }
}

#[test]
fn limits_have_rings() {
    let points = [Point::at(1.0, 2.0), Point { limit: true, ..Point::at(2.0, 4.0) }];
    let chart = Chart::growth("t", Axis::linear("x"), Axis::linear("y"), vec![Series::of("a", points)]);
    let text = inspect("rings", &chart);
    assert!(text.matches("r=\"7\"").count() == 1 && text.contains(">A ring: a limit was met.<"), "{text}");
}

/// What is beyond the limit was not measured.
#[test]
fn a_cactus_ends_at_its_limit() {
    let runs = || [("a".to_owned(), vec![0.1, 0.5, 3.0]), ("b".to_owned(), vec![0.2])];
    // The axis ends at a round number, here 50.
    for (limit, name) in [(Some(30.0), "cactus_limit"), (None, "cactus_free")] {
        let text = inspect(name, &Chart::cactus("t", limit, runs()));
        let lines = elements(&text, "line");
        let line = |of: &dyn Fn(&&Element<'_>) -> bool| lines.iter().find(of).map(|line| line.number("x2"));
        let right = line(&|line| line.get("stroke") == Some("#888")).expect("a frame");
        let there = line(&|line| line.get("stroke-dasharray") == Some("1 4") && line.get("x1") == line.get("x2"));
        assert_eq!(there.is_some(), limit.is_some());
        assert!(there.is_none_or(|there| there < right - 1.0), "the axis goes on: {there:?} {right}");
        let curves = elements(&text, "path").into_iter().filter(|path| path.get("class") == Some("curve"));
        let ends: Vec<f64> = curves
            .map(|path| {
                corners(path.get("d").expect("a path"), false).iter().filter_map(|(x, _)| *x).fold(0.0, f64::max)
            })
            .collect();
        assert_eq!(ends, [there.unwrap_or(right); 2]);
    }
}

/// Two to each of three peers, so many that thousands lie upon each other.
#[test]
fn large_charts_are_small_files() {
    let runs = (0..6).map(|index: u32| (format!("solver {index}"), wave(index, 500).map(|(_, y)| y / 20.0).collect()));
    let cactus = inspect("large_cactus", &Chart::cactus("t", Some(20.0), runs));
    let series =
        (0..3).map(|index| Series::new(format!("class {index}"), wave(index, 400).map(|(x, y)| (y / 100.0, x / 10.0))));
    let scatter =
        inspect("large_scatter", &Chart::scatter("t", Axis::seconds("a"), Axis::seconds("b"), series.collect()));
    assert!(cactus.len() < 60_000 && scatter.len() < 60_000, "{} {}", cactus.len(), scatter.len());
}
