//! Time and memory on large generated processes: `solve [states] [shape] [precision]`.
//!
//! Shapes: `layers` (no cycles but self-loops), `local` (branches to nearby states, one large component),
//! `random` (branches anywhere), `walk` (slow mixing, states arranged on a line). Each is also solved by the reference.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a small program")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

use std::time::Instant;

use surefoot_mdp::{Direction, Mdp, MdpBuilder, Options, StateSet, Until, solve, solve_reference};

/// Marsaglia's xorshift: the same process everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }
}

fn generate(states: u32, shape: &str) -> Mdp {
    let mut random = Random(88_172_645_463_325_252);
    let mut builder = MdpBuilder::new();
    let distributions =
        [["0.5", "0.3", "0.15", "0.05"], ["0.7", "0.2", "0.08", "0.02"], ["0.25", "0.25", "0.25", "0.25"]]
            .map(|values| values.map(|value| builder.probability(&value.parse().unwrap()).unwrap()));
    for state in 0..states {
        builder.begin_state().unwrap();
        if state + 2 >= states {
            continue;
        }
        for _ in 0..2 + random.below(2) {
            builder.begin_choice().unwrap();
            for (index, &probability) in distributions[random.below(3) as usize].iter().enumerate() {
                let last = states - 1;
                let target = match shape {
                    "layers" if index == 2 => state,
                    "layers" => (state + 1 + random.below(100)).min(last),
                    "local" => (state + random.below(2000)).saturating_sub(990).min(last),
                    "walk" => (state + random.below(5)).saturating_sub(2).min(last),
                    _ => random.below(states),
                };
                // Every choice may end the run, well or badly.
                let ends = index == 3 && (shape != "walk" || random.below(1000) == 0);
                builder.branch(if ends { last - random.below(2) } else { target }, probability).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let states = arguments.next().map_or(1_000_000, |text| text.parse().unwrap());
    let shapes = arguments.next().map_or_else(|| vec!["layers".into(), "local".into(), "random".into()], |s| vec![s]);
    let precision = arguments.next().map_or(1e-6, |text| text.parse().unwrap());
    for shape in shapes {
        let begin = Instant::now();
        let mdp = generate(states, &shape);
        let branches = mdp.num_branches();
        println!(
            "{shape}: {states} states, {} choices, {branches} branches, {:.1} bytes per branch, built in {:.2?}",
            mdp.num_choices(),
            mdp.bytes() as f64 / branches as f64,
            begin.elapsed()
        );
        let until = Until::eventually(StateSet::from_members(states as usize, [states - 2]));
        for direction in [Direction::Max, Direction::Min] {
            let begin = Instant::now();
            let options = Options { precision, ..Options::default() };
            let solution = solve(&mdp, direction, &until, &options).unwrap();
            let s = solution.statistics;
            println!(
                "  {direction:?}: [{:.9}, {:.9}] {:?} in {:.2?} (graph {:.2?}, arithmetic {:.2?}), width {:.1e}; \
                 {} components, largest {}, {} sweeps, {} accelerated, {} exact",
                solution.bounds.lower[0],
                solution.bounds.upper[0],
                solution.ending,
                begin.elapsed(),
                s.preparation,
                s.arithmetic,
                solution.bounds.width(0..states),
                s.components,
                s.largest_component,
                s.sweeps,
                s.accelerated,
                s.exact_components
            );
            let begin = Instant::now();
            let reference = solve_reference(&mdp, direction, &until, &options).unwrap();
            println!("    reference: {:?} in {:.2?}", reference.ending, begin.elapsed());
        }
    }
}
