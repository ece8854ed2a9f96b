//! The rules as edges. Guards are linear and updates too, so that engines that reason symbolically can take them.
//!
//! With the simple collision check a step is one edge: for every acceleration, and for every set of coordinates in which
//! the car is at its top speed already, one edge each for moving on, finishing and crashing. A failing acceleration
//! makes an edge of two outcomes, and every combination of what becomes of them an edge of its own.
//!
//! The full check depends on the velocity in ways that are no linear condition. There a step is two edges: the
//! acceleration changes the velocity and sets `car0_moving`; then, silently, the car moves, by an edge that knows the
//! velocity and the set of places from which a move like that goes on, finishes or crashes.

use serde_json::{Value, json};

use super::cover::{rectangles, within};
use super::solvable::velocities;
use super::track::{Cell, Collision, Pair, Track, Travel};
use super::{CRASHED, DX, DY, FINISHED, MOVING, X, Y};
use crate::text::{add, all, and, any, certain, div, edge, eq, ge, gt, le, lt, not, outcome, set};

/// The name of an acceleration.
pub(super) fn label((ax, ay): Pair) -> String {
    format!("accel0_{ax}_{ay}")
}

/// All accelerations, in the order of the policy's outputs.
pub(super) fn accelerations() -> impl Iterator<Item = Pair> {
    (-1..=1).flat_map(|ax| (-1..=1).map(move |ay| (ax, ay)))
}

/// What the edges are made for.
pub(super) struct Rules<'a> {
    pub(super) track: &'a Track,
    pub(super) collision: Collision,
    /// The largest velocity per coordinate.
    pub(super) limit: i64,
    /// In how many of a hundred cases an acceleration has no effect.
    pub(super) failure: i64,
}

/// What becomes of a car: when, and what it assigns.
struct Case {
    guard: Value,
    assignments: Vec<Value>,
}

impl Rules<'_> {
    /// All edges.
    pub(super) fn edges(&self) -> Vec<Value> {
        let mut edges = Vec::new();
        for chosen in accelerations() {
            for (felt, speed) in self.felt(chosen) {
                match self.collision {
                    Collision::Simple => self.one_step(chosen, felt, &speed, &mut edges),
                    Collision::Full => edges.push(self.accelerate(chosen, felt, &speed)),
                }
            }
        }
        if self.collision == Collision::Full {
            velocities(self.limit).for_each(|velocity| self.move_with(velocity, &mut edges));
        }
        edges
    }

    /// The accelerations that a chosen one can be, with the condition on the velocity: none in a coordinate at top speed.
    fn felt(&self, (ax, ay): Pair) -> Vec<(Pair, Value)> {
        let coordinate = |a: i64, name: &str| match a {
            0 => vec![(0, None)],
            1 => vec![(1, Some(lt(name, self.limit))), (0, Some(eq(name, self.limit)))],
            _ => vec![(-1, Some(gt(name, -self.limit))), (0, Some(eq(name, -self.limit)))],
        };
        let (across, down) = (coordinate(ax, DX), coordinate(ay, DY));
        let both = across.iter().flat_map(|x| down.iter().map(move |y| (x, y)));
        both.map(|((ax, when_x), (ay, when_y))| ((*ax, *ay), all([when_x, when_y].into_iter().flatten().cloned())))
            .collect()
    }

    fn running() -> Value {
        and(not(CRASHED), not(FINISHED))
    }

    /// Outcomes with and without the acceleration.
    fn outcomes(&self, works: &[Value], fails: &[Value]) -> Vec<Value> {
        let percent = |n: i64| div(n, 100);
        match self.failure {
            0 => vec![certain(works)],
            _ => vec![outcome(percent(100 - self.failure), works), outcome(percent(self.failure), fails)],
        }
    }

    fn one_step(&self, chosen: Pair, felt: Pair, speed: &Value, edges: &mut Vec<Value>) {
        let works = self.cases(felt);
        // Where nothing is felt, or nothing fails, there is one outcome.
        if self.failure == 0 || felt == (0, 0) {
            for case in works {
                let guard = all([Self::running(), speed.clone(), case.guard]);
                edges.push(edge(Some(&label(chosen)), guard, &[certain(&case.assignments)]));
            }
            return;
        }
        let fails = self.cases((0, 0));
        for work in &works {
            for fail in &fails {
                let guard = all([Self::running(), speed.clone(), work.guard.clone(), fail.guard.clone()]);
                let outcomes = self.outcomes(&work.assignments, &fail.assignments);
                edges.push(edge(Some(&label(chosen)), guard, &outcomes));
            }
        }
    }

    /// Moving on, finishing and crashing where only the last cell counts.
    fn cases(&self, (ax, ay): Pair) -> Vec<Case> {
        let (dx, dy) = (plus(DX.into(), ax), plus(DY.into(), ay));
        let (x, y) = (add(X, dx.clone()), add(Y, dy.clone()));
        let velocity: Vec<Value> = [(DX, ax, &dx), (DY, ay, &dy)]
            .into_iter()
            .filter(|(_, a, _)| *a != 0)
            .map(|(v, _, d)| set(v, d.clone()))
            .collect();
        let case = |guard: Value, more: &[Value]| Case { guard, assignments: [&velocity, more].concat() };
        let inside = |cells: Vec<Pair>| within(&rectangles(cells), &x, &y);
        let walls: Vec<Pair> = self.track.of(Cell::Wall).collect();
        let off =
            [lt(x.clone(), 0), ge(x.clone(), self.track.width), lt(y.clone(), 0), ge(y.clone(), self.track.height)];
        let wall = (!walls.is_empty()).then(|| inside(walls));
        let place = [set(X, x.clone()), set(Y, y.clone())];
        vec![
            case(inside(self.track.open().collect()), &place),
            case(inside(self.track.of(Cell::Goal).collect()), &[&place[..], &[set(FINISHED, true)]].concat()),
            case(any(off.into_iter().chain(wall)), &[set(CRASHED, true)]),
        ]
    }

    /// The first half of a step with the full check.
    fn accelerate(&self, chosen: Pair, (ax, ay): Pair, speed: &Value) -> Value {
        let changed = [(DX, ax), (DY, ay)].into_iter().filter(|(_, a)| *a != 0).map(|(d, a)| set(d, plus(d.into(), a)));
        let works: Vec<Value> = changed.chain([set(MOVING, true)]).collect();
        let guard = all([Self::running(), not(MOVING), speed.clone()]);
        let fails = [set(MOVING, true)];
        let outcomes = if works == fails { vec![certain(&works)] } else { self.outcomes(&works, &fails) };
        edge(Some(&label(chosen)), guard, &outcomes)
    }

    /// The second half.
    fn move_with(&self, velocity: Pair, edges: &mut Vec<Value>) {
        // Where a move ends, relative to where it begins, tells what it assigns.
        let mut kinds: Vec<(Travel, Vec<Pair>)> = Vec::new();
        for place in self.track.open() {
            let relative = |(x, y): Pair| (x - place.0, y - place.1);
            let kind = match self.track.travel(place, velocity, self.collision) {
                Travel::Free(end) => Travel::Free(relative(end)),
                Travel::Finish(end) => Travel::Finish(relative(end)),
                Travel::Crash => Travel::Crash,
            };
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, places)) => places.push(place),
                None => kinds.push((kind, vec![place])),
            }
        }
        for (kind, places) in kinds {
            let here = within(&rectangles(places), &json!(X), &json!(Y));
            let guard = all([json!(MOVING), eq(DX, velocity.0), eq(DY, velocity.1), here]);
            let shift = |(dx, dy): Pair| {
                [(X, dx), (Y, dy)].into_iter().filter(|(_, d)| *d != 0).map(|(v, d)| set(v, plus(v.into(), d)))
            };
            let mut assignments = vec![set(MOVING, false)];
            match kind {
                Travel::Free(end) => assignments.extend(shift(end)),
                Travel::Finish(end) => {
                    assignments.extend(shift(end));
                    assignments.push(set(FINISHED, true));
                }
                Travel::Crash => assignments.push(set(CRASHED, true)),
            }
            edges.push(edge(None, guard, &[certain(&assignments)]));
        }
    }
}

fn plus(value: Value, n: i64) -> Value {
    if n == 0 { value } else { add(value, n) }
}

/// That a car is at a place with a velocity within bounds, and not in the middle of a step: what start conditions consist of.
pub(super) fn at(places: impl IntoIterator<Item = Pair>, limit: i64, collision: Collision) -> Value {
    let slow = [DX, DY].map(|d| if limit == 0 { eq(d, 0) } else { and(le(-limit, d), le(d, limit)) });
    let flags = [not(CRASHED), not(FINISHED)];
    let still = (collision == Collision::Full).then(|| not(MOVING));
    all([within(&rectangles(places), &json!(X), &json!(Y))].into_iter().chain(slow).chain(flags).chain(still))
}
