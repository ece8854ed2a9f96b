//! Random automata.

use serde_json::{Value, json};

use super::Context;
use super::expression::{Readable, Scope, binary, clamp, ite, unary};
use surefoot_fixtures::Random;

/// A variable that edges may write.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) lower: i64,
    pub(super) upper: i64,
    pub(super) is_bool: bool,
    pub(super) length: Option<usize>,
}

impl Declared {
    pub(super) fn readable(&self) -> Readable {
        let name = self.name.clone();
        match (self.is_bool, self.length) {
            (true, Some(length)) => Readable::BoolArray(name, length),
            (false, Some(length)) => Readable::IntArray(name, length),
            (true, None) => Readable::Bool(name),
            (false, None) => Readable::Int(name),
        }
    }
}

/// A random automaton.
#[derive(Debug, Clone)]
pub(super) struct Automaton {
    pub(super) name: String,
    /// Whether the system has it twice.
    pub(super) repeated: bool,
    pub(super) locations: usize,
    pub(super) locals: Vec<Declared>,
    pub(super) json: Value,
}

/// What the edges of one automaton may use.
struct Edges<'a> {
    scope: Scope,
    writable: Vec<Declared>,
    /// Transient variables: name, and whether boolean.
    transients: Vec<(String, bool)>,
    actions: &'a [String],
    locations: usize,
    depth: usize,
}

pub(super) fn random_automaton(
    random: &mut Random,
    context: &mut Context,
    index: usize,
    repeated: bool,
    (count, last): (usize, bool),
    edges: usize,
) -> Automaton {
    let name = format!("m{index}");
    let copies = if repeated { 2 } else { 1 };
    let mut locations = 1 + random.below(3);
    while (locations as u64).pow(copies) > context.room.max(1) {
        locations -= 1;
    }
    context.room /= (locations as u64).pow(copies);
    let (mut locals, mut variables) = (Vec::new(), Vec::new());
    for i in 0..random.below(3) {
        variables.extend(context.declare(random, &format!("v{index}_{i}"), Some((&mut locals, copies))));
    }
    let mut scope = context.scope.clone();
    scope.readable.extend(locals.iter().map(Declared::readable));
    let mut transients: Vec<(String, bool)> = Vec::new();
    for readable in &context.scope.readable {
        match readable {
            Readable::Int(name) if name == "t0" => transients.push((name.clone(), false)),
            Readable::Bool(name) if name == "t1" => transients.push((name.clone(), true)),
            _ => {}
        }
    }
    if random.percent(20) {
        let local = format!("u{index}");
        variables.push(json!({"name": local, "type": "int", "transient": true, "initial-value": 1}));
        scope.readable.push(Readable::Int(local.clone()));
        transients.push((local, false));
    }
    // Tame models give every global one writer, so that synchronised edges do not contradict each other.
    let owns = |i: usize| scope.wild || (!repeated && (i % count == index || (last && i % count >= count)));
    let mut writable: Vec<Declared> =
        context.globals.iter().enumerate().filter(|(i, _)| owns(*i)).map(|(_, g)| g.clone()).collect();
    writable.extend(locals.iter().cloned());
    let generator = Edges { scope, writable, transients, actions: &context.actions, locations, depth: context.depth };
    let list: Vec<Value> =
        (0..edges.div_ceil(2) + random.below(edges / 2 + 1)).map(|_| generator.edge(random)).collect();
    let places: Vec<Value> = (0..locations).map(|l| generator.location(random, l)).collect();
    let mut initial: Vec<String> = vec![format!("l{}", random.below(locations))];
    if locations > 1 && random.percent(20) {
        let more = format!("l{}", random.below(locations));
        if !initial.contains(&more) {
            initial.push(more);
        }
    }
    let mut json = json!({"name": name, "locations": places, "initial-locations": initial, "edges": list});
    if !variables.is_empty() {
        json["variables"] = variables.into();
    }
    if random.percent(10) {
        let tame = Scope { wild: false, ..generator.scope.clone() };
        json["restrict-initial"] = json!({"exp": binary("∨", tame.bool(random, 1), tame.bool(random, 1))});
    }
    Automaton { name, repeated, locations, locals, json }
}

impl Edges<'_> {
    /// A location, sometimes with values for transient variables; those read no other transient variables.
    fn location(&self, random: &mut Random, number: usize) -> Value {
        let mut json = json!({"name": format!("l{number}")});
        let mut scope = self.scope.clone();
        scope.readable.retain(
            |r| !matches!(r, Readable::Int(n) | Readable::Bool(n) if self.transients.iter().any(|t| t.0 == *n)),
        );
        let mut values = Vec::new();
        for (name, is_bool) in &self.transients {
            if random.percent(35) {
                let value = if *is_bool { scope.bool(random, 2) } else { scope.int(random, 2) };
                values.push(json!({"ref": name, "value": value}));
            }
        }
        if !values.is_empty() {
            json["transient-values"] = values.into();
        }
        json
    }

    fn edge(&self, random: &mut Random) -> Value {
        let mut edge = json!({"location": self.place(random)});
        if random.percent(75) {
            edge["action"] = json!(random.pick(self.actions));
        }
        if random.percent(70) {
            let depth = random.below(self.depth + 1);
            edge["guard"] = json!({"exp": self.scope.bool(random, depth)});
        }
        let probabilities = self.probabilities(random);
        edge["destinations"] = probabilities
            .into_iter()
            .map(|probability| {
                let mut destination = json!({"location": self.place(random), "assignments": self.assignments(random)});
                if let Some(probability) = probability {
                    destination["probability"] = json!({"exp": probability});
                }
                destination
            })
            .collect();
        edge
    }

    fn place(&self, random: &mut Random) -> String {
        format!("l{}", random.below(self.locations))
    }

    /// Probabilities that sum to one by construction, except in some wild models.
    fn probabilities(&self, random: &mut Random) -> Vec<Option<Value>> {
        let list = |values: &[f64]| values.iter().map(|p| Some(json!(p))).collect();
        match random.below(12) {
            0..=4 => vec![None],
            5 => list(&[0.3, 0.7]),
            6 => list(&[0.0, 1.0]),
            7 => list(&[0.5, 0.0, 0.5]),
            8 => vec![Some(binary("/", 1, 3)), Some(binary("/", 2, 3))],
            9 => {
                let condition = self.scope.bool(random, 1);
                let low = if random.percent(50) { json!(0) } else { json!(0.25) };
                let first = ite(&condition, &low, &json!(0.75));
                vec![Some(first.clone()), Some(binary("-", 1, first))]
            }
            10 if self.scope.wild && !self.scope.int_variables().is_empty() => {
                let first = binary("/", *random.pick(&self.scope.int_variables()), 2);
                vec![Some(first), Some(json!(0.5))]
            }
            _ => {
                // A number from 0 to 3, over 3: zero and one occur.
                let first = binary("/", clamp(self.scope.int(random, 1), 0, 3), 3);
                let half = binary("/", first.clone(), 2);
                vec![Some(half.clone()), Some(binary("-", 1, first)), Some(half)]
            }
        }
    }

    /// Assignments of one destination: at once, or in sequence and through transient variables.
    fn assignments(&self, random: &mut Random) -> Vec<Value> {
        let sequence = random.percent(30);
        let mut list: Vec<Value> = Vec::new();
        let mut taken: Vec<(String, i64)> = Vec::new();
        for _ in 0..random.below(5) {
            let index = if sequence { random.between(-1, 2) } else { 0 };
            let mut assignment = if sequence && !self.transients.is_empty() && random.percent(40) {
                let (name, is_bool) = random.pick(&self.transients);
                let value = if *is_bool { self.scope.bool(random, 1) } else { self.scope.int(random, 1) };
                json!({"ref": name, "value": value})
            } else if let Some(assignment) = self.assignment(random) {
                assignment
            } else {
                continue;
            };
            // One assignment per variable or array and index.
            let reference = &assignment["ref"];
            let key = (reference.as_str().or(reference["exp"].as_str()).unwrap_or_default().to_owned(), index);
            if taken.contains(&key) {
                continue;
            }
            taken.push(key);
            if sequence {
                assignment["index"] = json!(index);
            }
            list.push(assignment);
        }
        list
    }

    fn assignment(&self, random: &mut Random) -> Option<Value> {
        if self.writable.is_empty() {
            return None;
        }
        let variable = random.pick(&self.writable);
        let reference = match variable.length {
            // All cells at once.
            Some(length) if random.percent(20) => {
                let elements: Vec<Value> = (0..length).map(|_| self.value(random, variable)).collect();
                return Some(json!({"ref": variable.name, "value": {"op": "av", "elements": elements}}));
            }
            Some(length) => {
                let index = self.scope.index(random, length, self.depth);
                json!({"op": "aa", "exp": variable.name, "index": index})
            }
            None => json!(variable.name),
        };
        if !variable.is_bool && random.percent(12) {
            let lower = self.in_domain(random, variable);
            let upper = match random.below(3) {
                0 => json!(variable.upper + 3),
                1 => binary("+", lower.clone(), random.between(0, 1)),
                _ if self.scope.wild => self.scope.int(random, 1),
                _ => json!(variable.upper),
            };
            return Some(json!({"ref": reference, "lower-bound": lower, "upper-bound": upper}));
        }
        Some(json!({"ref": reference, "value": self.value(random, variable)}))
    }

    fn value(&self, random: &mut Random, variable: &Declared) -> Value {
        if variable.is_bool {
            return self.scope.bool(random, self.depth.min(2));
        }
        // Deliberately out of the domain, now and then.
        if self.scope.wild && random.percent(12) {
            return self.scope.int(random, 1);
        }
        self.in_domain(random, variable)
    }

    /// An int expression whose value is in the variable's domain.
    fn in_domain(&self, random: &mut Random, variable: &Declared) -> Value {
        let (lower, upper) = (variable.lower, variable.upper);
        match random.below(8) {
            0 => json!(random.between(lower, upper)),
            1..=3 if variable.length.is_none() => {
                let next = binary(random.word(&["+", "-"]), variable.name.clone(), random.between(1, 2));
                let inside =
                    binary("∧", binary("≤", lower, next.clone()), unary("¬", binary(">", next.clone(), upper)));
                ite(&inside, &next, &json!(variable.name))
            }
            4 => {
                let remainder = binary("%", self.scope.int(random, self.depth.min(2)), upper - lower + 1);
                binary("+", remainder, lower)
            }
            _ => clamp(self.scope.int(random, self.depth), lower, upper),
        }
    }
}
