//! VerticalCAS: the dynamics against a simulator of its own, the start, the nine networks.

#![expect(clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

mod loaded;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loaded::{Loaded, error, generate, successors};
use surefoot_fixtures::{Random, shared_data};
use surefoot_jani::read_model_text;
use surefoot_model::lower::undefined_constants;
use surefoot_model::{Interpreter, State};
use surefoot_num::Rational;
use surefoot_text::source::SourceMap;
use surefoot_zoo::domains::verticalcas::pilot::Pilot;

const NAMES: [&str; 9] = ["COC", "DNC", "DND", "DES1500", "CL1500", "SDES1500", "SCL1500", "SDES2500", "SCL2500"];
const UNITS: [&str; 4] = ["paper", "competition", "physical", "minute"];
const RULES: [&str; 4] = ["paper", "simulation", "relaxed", "never"];

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator, denominator).expect("not zero")
}

/// Location, h, v, tau, adv.
fn state(h: Rational, v: Rational, tau: Rational, adv: usize) -> State {
    State([Rational::ZERO, h, v, tau, Rational::from(adv as i64)].into())
}

/// The dynamics once more, from the description and not from the generator: accelerations in feet per second squared.
fn simulate(from: &State, advisory: usize, rule: &str, per_minute: bool) -> BTreeSet<State> {
    let [_, h, v, tau, previous] = &*from.0 else { panic!("five slots") };
    let g = fraction(322, 10);
    let times_g = |numerator, denominator| &g * &fraction(numerator, denominator);
    let list: Vec<Rational> = match NAMES[advisory] {
        "COC" => vec![times_g(-1, 8), Rational::ZERO, times_g(1, 8)],
        "DNC" | "DES1500" => vec![times_g(-1, 3), times_g(-7, 24), times_g(-1, 4)],
        "DND" | "CL1500" => vec![times_g(1, 4), times_g(7, 24), times_g(1, 3)],
        name if name.starts_with("SDES") => vec![times_g(-1, 3); 3],
        _ => vec![times_g(1, 3); 3],
    };
    let rate = if per_minute { v * &Rational::from(60) } else { v.clone() };
    let complies = match NAMES[advisory] {
        "COC" => false,
        "DNC" => rate <= Rational::ZERO,
        "DND" => rate >= Rational::ZERO,
        "DES1500" | "SDES1500" => rate <= Rational::from(-1500),
        "CL1500" | "SCL1500" => rate >= Rational::from(1500),
        "SDES2500" => rate <= Rational::from(-2500),
        _ => rate >= Rational::from(2500),
    };
    let repeated = *previous == Rational::from(advisory as i64);
    let accelerations: Vec<Rational> = match rule {
        "paper" if complies => vec![Rational::ZERO],
        "simulation" if complies && repeated => vec![Rational::ZERO],
        "relaxed" if complies && repeated => [vec![Rational::ZERO], list].concat(),
        _ => list,
    };
    let half = fraction(1, 2);
    let next = |a: &Rational| state(&(h - v) - &(a * &half), v + a, tau - &Rational::ONE, advisory);
    accelerations.iter().map(next).collect()
}

fn random_rate(random: &mut Random) -> Rational {
    // Around the thresholds in either unit, on them, and anywhere.
    let thresholds = [(0, 1), (25, 1), (-25, 1), (125, 3), (-125, 3), (1500, 1), (-1500, 1), (2500, 1), (-2500, 1)];
    match random.below(3) {
        0 => {
            let (n, d) = *random.pick(&thresholds);
            fraction(n, d)
        }
        1 => {
            let (n, d) = *random.pick(&thresholds);
            &fraction(n, d) + &fraction(random.between(-3, 3), 7)
        }
        _ => fraction(random.between(-30_000, 30_000), random.between(1, 12)),
    }
}

#[test]
fn steps_are_those_of_an_independent_simulator() {
    for rule in RULES {
        for units in UNITS {
            let settings = [&*format!("rule={rule}"), &*format!("units={units}")];
            let loaded = Loaded::new("verticalcas", &settings, &["climb_rate=-22.5"]);
            let mut random = Random::new(7);
            for _ in 0..150 {
                let h = fraction(random.between(-30_000, 30_000), random.between(1, 9));
                let tau = fraction(random.between(-10, 80), 2);
                let from = state(h, random_rate(&mut random), tau, random.below(9));
                let found = loaded.by_label(&from);
                assert_eq!(found.len(), 9, "every advisory is possible in every state");
                for (advisory, name) in NAMES.iter().enumerate() {
                    let reached: Vec<State> = found[*name].iter().cloned().flat_map(successors).collect();
                    let expected = simulate(&from, advisory, rule, units != "paper");
                    assert_eq!(reached.len(), expected.len(), "{rule} {name}: every successor once");
                    assert_eq!(
                        reached.into_iter().collect::<BTreeSet<_>>(),
                        expected,
                        "{rule} {units} {name} {from:?}"
                    );
                }
            }
        }
    }
}

/// What the solver of the decision problem steps by, beside what the model's own interpreter does.
#[test]
fn steps_in_floating_point_are_those_of_the_model() {
    for rule in RULES {
        for units in UNITS {
            let settings = [&*format!("rule={rule}"), &*format!("units={units}")];
            let loaded = Loaded::new("verticalcas", &settings, &["climb_rate=0"]);
            let (pilot, mut random) = (Pilot::new(rule, units), Random::new(11));
            for _ in 0..100 {
                let (h, v) = (fraction(random.between(-9000, 9000), 4), eighths(&mut random));
                let from = state(h.clone(), v.clone(), Rational::from(20), random.below(9));
                let found = loaded.by_label(&from);
                let last = last_of(&from);
                for (advisory, name) in NAMES.iter().enumerate() {
                    let mut stepped = Vec::new();
                    pilot.outcomes(last, advisory, [h.to_f64(), v.to_f64()], |next| stepped.push(next));
                    let mut reached: Vec<[f64; 2]> = found[*name]
                        .iter()
                        .cloned()
                        .flat_map(successors)
                        .map(|to| {
                            assert_eq!(*loaded.value(&to, "adv"), Rational::from(advisory as i64));
                            ["h", "v"].map(|variable| loaded.value(&to, variable).to_f64())
                        })
                        .collect();
                    let order = |a: &[f64; 2], b: &[f64; 2]| a[1].total_cmp(&b[1]);
                    stepped.sort_by(order);
                    reached.sort_by(order);
                    assert_eq!(stepped.len(), reached.len(), "{rule} {units} {name} {from:?}");
                    let near = |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                    assert!(
                        stepped.iter().zip(&reached).all(|(a, b)| near(a, b)),
                        "{rule} {units} {name} {from:?}: {stepped:?}, not {reached:?}"
                    );
                }
            }
        }
    }
}

/// A rate that floating point has: on a threshold that it has, or anywhere.
fn eighths(random: &mut Random) -> Rational {
    match random.below(2) {
        0 => Rational::from(*random.pick(&[0, 25, -25, 1500, -1500, 2500, -2500])),
        _ => fraction(random.between(-24_000, 24_000), 8),
    }
}

fn last_of(state: &State) -> usize {
    (0..9).find(|last| state.0[4] == Rational::from(*last as i64)).expect("an advisory")
}

#[test]
fn accelerations_are_exact() {
    let loaded = Loaded::new("verticalcas", &[], &["climb_rate=0"]);
    let from = state(Rational::ZERO, number("-1"), Rational::from(25), 0);
    let rates = |label: &str| {
        let states = loaded.by_label(&from)[label].iter().cloned().flat_map(successors).collect::<Vec<_>>();
        states.iter().map(|s| loaded.value(s, "v").to_string()).collect::<Vec<_>>()
    };
    // -1 + 8.05, -1 + 7 * 32.2 / 24, -1 + 32.2 / 3.
    assert_eq!(rates("CL1500"), ["141/20", "1007/120", "146/15"]);
    assert_eq!(rates("COC"), ["-201/40", "-1", "121/40"]);
}

#[test]
fn climb_rate_is_the_only_undefined_constant() {
    for settings in [&[][..], &["rule=never", "units=physical"], &["h_low=5", "h_high=5", "tau=3"]] {
        let instance = generate("verticalcas", settings);
        let mut sources = SourceMap::default();
        let (model, notes) = read_model_text(&mut sources, Path::new("model.jani"), &instance.model).unwrap();
        assert!(notes.is_empty());
        assert_eq!(undefined_constants(&model), [(Arc::from("climb_rate"), "real")]);
        assert_eq!(instance.policy, None);
        assert!(instance.networks.is_empty());
    }
}

#[test]
fn the_start_is_an_interval_of_h() {
    let loaded = Loaded::new("verticalcas", &[], &["climb_rate=-22.5"]);
    let start = &loaded.safety("near").start;
    let interpreter = Interpreter::new(&loaded.lowered.model);
    let starts = |h: &str, v: &str, tau: i64, adv: usize| {
        let state = state(number(h), number(v), Rational::from(tau), adv);
        interpreter.holds(start.conditions[0], &state).unwrap()
    };
    assert!(starts("-133", "-22.5", 25, 0) && starts("-129", "-22.5", 25, 0) && starts("-130.7", "-22.5", 25, 0));
    assert!(!starts("-133.01", "-22.5", 25, 0) && !starts("-128.9", "-22.5", 25, 0));
    assert!(!starts("-130", "-22", 25, 0) && !starts("-130", "-22.5", 24, 0) && !starts("-130", "-22.5", 25, 4));
    let point = Loaded::new("verticalcas", &["h_low=-131", "h_high=-131", "tau=7"], &["climb_rate=2"]);
    assert_eq!(point.initial(), state(number("-131"), number("2"), Rational::from(7), 0));
    let near = |h: &str| {
        let state = state(number(h), number("0"), Rational::from(3), 1);
        interpreter.holds(loaded.safety("near").reach.unwrap(), &state).unwrap()
    };
    assert!(near("100") && near("-100") && near("0") && !near("100.001") && !near("-100.001"));
}

fn networks() -> Option<PathBuf> {
    shared_data(env!("CARGO_MANIFEST_DIR")).map(|folder| folder.join("venmas"))
}

#[test]
fn the_published_trace_is_the_worst_one_of_three_seconds() {
    let Some(folder) = networks() else { return };
    let networks = format!("networks={}", folder.display());
    for rule in RULES {
        let loaded = Loaded::new("verticalcas", &[&networks, &format!("rule={rule}")], &["climb_rate=-22.5"]);
        let mut states = BTreeSet::from([state(number("-129"), number("-22.5"), Rational::from(25), 0)]);
        let mut highest = Vec::new();
        for _ in 0..3 {
            let choices: Vec<_> = states.iter().flat_map(|s| loaded.permitted(s)).collect();
            states = choices.into_iter().flat_map(successors).collect();
            assert!(states.iter().all(|s| loaded.int(s, "adv") == 4), "CL1500 is issued every time");
            highest.push(states.iter().max_by_key(|s| loaded.value(s, "h").clone()).unwrap().clone());
        }
        assert_eq!(*loaded.value(&highest[0], "h"), number("-110.525"));
        assert_eq!(*loaded.value(&highest[1], "h"), number("-100.1"), "safe after two seconds, by a tenth of a foot");
        assert_eq!(highest[2], state(number("-97.725"), number("1.65"), Rational::from(22), 4));
    }
}

/// Verdicts of `AX^k (h > 100 | h < -100)` for k = 1, 2, ..., and the least distance to |h| <= 100 where it holds.
///
/// Both ends of the start interval run along the same accelerations, and must get the same advisories. What lies between
/// them is taken to move with them: that is a check of the model, no proof.
fn verdicts(loaded: &Loaded, rate: &str, seconds: usize) -> (String, Rational) {
    let start = |h: &str| state(number(h), number(rate), Rational::from(25), 0);
    let mut pairs = BTreeSet::from([(start("-133"), start("-129"))]);
    let (mut shown, mut least) = (String::new(), Rational::from(1000));
    for _ in 0..seconds {
        let step = |state: &State| loaded.permitted(state).into_iter().flat_map(successors).collect::<Vec<_>>();
        let next = |(low, high): &(State, State)| {
            let (low, high) = (step(low), step(high));
            assert_eq!(low.len(), high.len());
            low.into_iter().zip(high).collect::<Vec<_>>()
        };
        pairs = pairs.iter().flat_map(next).collect();
        assert!(pairs.iter().all(|(low, high)| low.0[2..] == high.0[2..]), "the same advisories at both ends");
        // The intruder is below at first: a positive distance is outside, a negative one within.
        let hundred = Rational::from(100);
        let distance = pairs.iter().map(|(low, high)| {
            let (low, high) = (loaded.value(low, "h"), loaded.value(high, "h"));
            (low - &hundred).max(&-&hundred - high)
        });
        let nearest = distance.min().expect("a state");
        shown.push(if nearest > Rational::ZERO { 'T' } else { 'F' });
        if nearest > Rational::ZERO {
            least = least.min(nearest);
        }
    }
    (shown, least)
}

#[test]
fn verdicts_of_the_first_seconds_are_the_published_ones() {
    let Some(folder) = networks() else { return };
    for (rate, expected, margin) in [
        ("-19.5", "TTTTT", Some("6.1")),
        ("-22.5", "TTFTT", Some("0.1")),
        ("-25.5", "TFFFT", Some("2.125")),
        ("-28.5", "TFFFF", None),
        ("-31.5", "TFFFF", Some("1.525")),
    ] {
        let constant = format!("climb_rate={rate}");
        let loaded = Loaded::new("verticalcas", &[&format!("networks={}", folder.display())], &[&constant]);
        let (found, least) = verdicts(&loaded, rate, expected.len());
        assert_eq!(found, expected, "{rate}");
        if let Some(margin) = margin {
            assert_eq!(least, number(margin), "{rate}");
        }
    }
}

#[test]
fn networks_are_selected_by_the_previous_advisory_and_read_alike_from_either_format() {
    let Some(folder) = networks() else { return };
    let onnx = tempfile::tempdir().unwrap();
    for i in 1..=9 {
        let name = format!("vcas_{i}.onnx");
        std::fs::copy(folder.join(&name), onnx.path().join(&name)).unwrap();
    }
    let load = |folder: &Path, units: &str| {
        let networks = format!("networks={}", folder.display());
        Loaded::new("verticalcas", &[&networks, &format!("units={units}")], &["climb_rate=0"])
    };
    let (nnet, other) = (load(&folder, "paper"), load(onnx.path(), "paper"));
    let readings = [("competition", 1), ("physical", 25), ("minute", 60)]
        .map(|(units, factor)| (load(&folder, units), load(onnx.path(), units), Rational::from(factor)));
    let outputs = |loaded: &Loaded, state: &State| {
        let policy = loaded.policy.as_ref().unwrap();
        let interpreter = Interpreter::new(&loaded.lowered.model);
        (policy.network_at(&interpreter, state).unwrap(), policy.outputs_at(&interpreter, state).unwrap())
    };
    let mut random = Random::new(3);
    for adv in 0..9 {
        let h = Rational::from(random.between(-3000, 3000));
        let v = fraction(random.between(-400, 400), 8);
        let tau = Rational::from(random.between(0, 40));
        let here = state(h.clone(), v.clone(), tau.clone(), adv);
        let (network, exact) = outputs(&nnet, &here);
        assert_eq!(network, adv);
        assert_eq!(outputs(&other, &here).1, exact);
        for (nnets, onnxs, factor) in &readings {
            let as_paper = outputs(&nnet, &state(h.clone(), &v * factor, tau.clone(), adv)).1;
            assert_eq!((&outputs(nnets, &here).1, &outputs(onnxs, &here).1), (&as_paper, &as_paper), "{factor}");
        }
    }
    let policy = nnet.policy.as_ref().unwrap();
    assert_eq!((policy.networks.len(), policy.filter), (9, false));
}

/// Nine networks whose first score is the rate as they see it; the header divides it by `range`.
fn rate_readers(range: i64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = format!("1,3,9,9,\n3,9,\n0,\n-8000,-100,0,\n8000,100,40,\n0,0,0,0,\n1,{range},1,1,\n0,1,0,\n");
    text.push_str(&"0,0,0,\n".repeat(8));
    text.push_str(&"0,\n".repeat(9));
    for i in 1..=9 {
        std::fs::write(folder.path().join(format!("vcas_{i}.nnet")), &text).expect("a file can be written");
    }
    folder
}

/// A reading is the same whatever header the weights come with; a range that nobody published is believed.
#[test]
fn the_rate_is_read_alike_under_both_published_headers() {
    // What a network sees of v = 1 ft/s: with the headers 5000 and 200, without a scale, and with somebody's own.
    let seen =
        [("paper", (1, 5000), 1), ("competition", (1, 5000), 1), ("physical", (1, 200), 1), ("minute", (3, 250), 60)];
    for range in [5000, 200, 1, 77] {
        let folder = rate_readers(range);
        let networks = format!("networks={}", folder.path().display());
        for (units, (numerator, denominator), per_second) in seen {
            let loaded = Loaded::new("verticalcas", &[&networks, &format!("units={units}")], &["climb_rate=0"]);
            let expected = if range == 77 { fraction(per_second, 77) } else { fraction(numerator, denominator) };
            let policy = loaded.policy.as_ref().unwrap();
            let interpreter = Interpreter::new(&loaded.lowered.model);
            for (v, adv) in [(1, 0), (-37, 8), (0, 3)] {
                let here = state(number("-600"), Rational::from(v), Rational::from(7), adv);
                let found = policy.outputs_at(&interpreter, &here).unwrap();
                assert_eq!(found[0], &expected * &Rational::from(v), "{units}, header {range}, v = {v}");
            }
        }
    }
}

#[test]
fn the_folder_of_an_instance_is_complete() {
    let Some(folder) = networks() else { return };
    let instance = generate("verticalcas", &[&format!("networks={}", folder.display())]);
    assert_eq!(instance.networks.len(), 9);
    for (i, network) in instance.networks.iter().enumerate() {
        assert_eq!(network.name, format!("vcas_{}.nnet", i + 1));
        assert_eq!(network.bytes, std::fs::read(folder.join(&network.name)).unwrap());
    }
    assert!(instance.properties.contains("policy.policy.json"));
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    assert!(error("verticalcas", &["rule=papers"]).contains("paper | simulation | relaxed | never"));
    assert!(error("verticalcas", &["h_low=5"]).contains("h_low=5 is above h_high=-129"));
    assert!(error("verticalcas", &["climb_rate=3"]).contains("no parameter 'climb_rate'"));
    assert!(error("verticalcas", &["networks=nowhere"]).contains("no such folder"));
    let empty = tempfile::tempdir().unwrap();
    let given = format!("networks={}", empty.path().display());
    assert!(error("verticalcas", &[&given]).contains("vcas_1.nnet or vcas_1.onnx"));
    if let Some(folder) = networks() {
        std::fs::copy(folder.join("frozenlake_agent.nnet"), empty.path().join("vcas_1.nnet")).unwrap();
        assert!(error("verticalcas", &[&given]).contains("9 inputs and 4 outputs, but 3 inputs and 9 outputs"));
    }
}
