//! Random small JANI models.
//!
//! A model uses, with some chance each, everything the class of models has: several automata, one of them twice; local
//! variables, arrays, constants, functions; nested guards and updates; synchronisation vectors with gaps and without
//! result; input-enabled actions; assignments in sequence, through transient variables; values of transient variables at
//! locations; probabilities that are zero or depend on the state; non-deterministic assignments; free and restricted
//! initial values. Most models are tame: every expression has a value and every update stays in its domain. Some are
//! wild, so that errors are compared too.
//!
//! Each model carries [`PROPERTIES`] safety properties named `p0`, `p1`, and so on, with start, reach and goal conditions.

mod automaton;
pub mod chance;
mod expression;

use serde_json::{Value, json};

use automaton::{Automaton, Declared};
use expression::{Readable, Scope, binary};
use surefoot_fixtures::Random;

/// How many properties a model has.
pub const PROPERTIES: usize = 4;

/// Upper limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Automata, the repeated one not counted.
    pub automata: usize,
    /// Edges per automaton.
    pub edges: usize,
    /// Global variables and arrays.
    pub globals: usize,
    /// Nesting of expressions.
    pub depth: usize,
    /// Product of the sizes of all domains.
    pub states: u64,
}

impl Default for Size {
    fn default() -> Self {
        Self { automata: 3, edges: 7, globals: 4, depth: 3, states: 3000 }
    }
}

impl Size {
    /// All smaller sizes, the smallest first.
    #[must_use]
    pub fn smaller(&self) -> Vec<Self> {
        let mut sizes = Vec::new();
        for automata in 1..=self.automata {
            for edges in 1..=self.edges {
                for globals in 1..=self.globals {
                    for depth in 0..=self.depth {
                        let states = if depth < 2 { self.states.min(100) } else { self.states };
                        sizes.push(Self { automata, edges, globals, depth, states });
                    }
                }
            }
        }
        sizes.retain(|size| size != self);
        sizes.sort_by_key(|size| size.automata + size.edges + size.globals + size.depth);
        sizes
    }
}

/// The parts of a model that everything else refers to.
struct Context {
    scope: Scope,
    globals: Vec<Declared>,
    actions: Vec<String>,
    /// Room left in the product of all domains.
    room: u64,
    depth: usize,
}

/// A random model as JANI text.
#[must_use]
pub fn random_model(random: &mut Random, size: &Size) -> String {
    let wild = random.percent(25);
    let mut context = Context {
        scope: Scope { readable: vec![Readable::Int("K".to_owned()), Readable::Bool("B".to_owned())], wild },
        globals: Vec::new(),
        actions: (0..1 + random.below(4)).map(|a| format!("a{a}")).collect(),
        room: size.states,
        depth: size.depth,
    };
    let constants = constants(random, &mut context.scope);
    let functions = functions(random, &mut context.scope, size.depth);
    let mut variables = Vec::new();
    for i in 0..1 + random.below(size.globals) {
        variables.extend(context.declare(random, &format!("g{i}"), None));
    }
    for (name, ty, initial) in [("t0", "int", json!(random.between(-1, 2))), ("t1", "bool", json!(random.percent(50)))]
    {
        if random.percent(50) {
            variables.push(json!({"name": name, "type": ty, "transient": true, "initial-value": initial}));
            let name = name.to_owned();
            context.scope.readable.push(if ty == "int" { Readable::Int(name) } else { Readable::Bool(name) });
        }
    }
    let automata = automata(random, &mut context, size);
    let mut elements: Vec<usize> = (0..automata.len()).collect();
    elements.extend(automata.iter().position(|a| a.repeated));
    let properties: Vec<Value> = (0..PROPERTIES)
        .map(|p| {
            let property = property(random, &context, &automata, &elements);
            json!({"name": format!("p{p}"), "expression": property})
        })
        .collect();
    let mut model = json!({
        "jani-version": 1,
        "name": "random",
        "type": "mdp",
        "features": ["arrays", "derived-operators", "functions"],
        "actions": context.actions.iter().map(|a| json!({"name": a})).collect::<Vec<_>>(),
        "constants": constants,
        "functions": functions,
        "variables": variables,
    });
    if random.percent(25) {
        // A disjunct that is often true keeps the start set from being empty all the time.
        let restriction = binary("∨", context.tame().bool(random, size.depth), context.tame().bool(random, 0));
        model["restrict-initial"] = json!({"exp": restriction});
    }
    model["automata"] = automata.iter().map(|a| a.json.clone()).collect();
    model["system"] = system(random, &context, &automata, &elements);
    model["properties"] = properties.into();
    serde_json::to_string_pretty(&model).unwrap_or_else(|error| panic!("a model is JSON: {error}"))
}

impl Context {
    /// The scope without expressions that may have no value.
    fn tame(&self) -> Scope {
        Scope { wild: false, ..self.scope.clone() }
    }

    /// Declares a variable, if there is room for its values. `local` collects the declarations of an automaton, and is
    /// told how many copies of it there are.
    fn declare(&mut self, random: &mut Random, name: &str, local: Option<(&mut Vec<Declared>, u32)>) -> Option<Value> {
        let lower = random.between(-1, 1);
        let upper = lower + random.between(1, 3);
        let (is_bool, length) = match random.below(10) {
            0..=1 => (true, None),
            2 => (true, Some(2)),
            3..=4 => (false, Some(2 + random.below(2))),
            _ => (false, None),
        };
        let (lower, upper) = if is_bool { (0, 1) } else { (lower, upper) };
        let copies = local.as_ref().map_or(1, |(_, copies)| *copies);
        let cells = u32::try_from(length.unwrap_or(1)).expect("arrays are short");
        let values = (upper - lower + 1).unsigned_abs().pow(cells * copies);
        if values > self.room {
            return None;
        }
        self.room /= values;
        let scalar = |random: &mut Random| {
            let value = random.between(lower, upper);
            if is_bool { json!(value == 1) } else { json!(value) }
        };
        let base = if is_bool {
            json!("bool")
        } else {
            // Bounds may be expressions over constants: K is 2.
            let upper = if upper == 2 && random.percent(30) { json!("K") } else { json!(upper) };
            json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper})
        };
        let owned = name.to_owned();
        let (ty, initial, readable) = match (length, is_bool) {
            (Some(length), _) => {
                let elements: Vec<Value> = (0..length).map(|_| scalar(random)).collect();
                let readable =
                    if is_bool { Readable::BoolArray(owned, length) } else { Readable::IntArray(owned, length) };
                (json!({"kind": "array", "base": base}), Some(json!({"op": "av", "elements": elements})), readable)
            }
            (None, true) => (base, Some(scalar(random)), Readable::Bool(owned)),
            (None, false) => (base, Some(scalar(random)), Readable::Int(owned)),
        };
        let mut json = json!({"name": name, "type": ty});
        if let Some(initial) = initial.filter(|_| length.is_some() || random.percent(85)) {
            json["initial-value"] = initial;
        }
        let declared = Declared { name: name.to_owned(), lower, upper, is_bool, length };
        match local {
            Some((locals, _)) => locals.push(declared),
            None => {
                self.globals.push(declared);
                self.scope.readable.push(readable);
            }
        }
        Some(json)
    }
}

fn constants(random: &mut Random, scope: &mut Scope) -> Value {
    scope.readable.push(Readable::IntArray("A".to_owned(), 3));
    let cells: Vec<i64> = (0..3).map(|_| random.between(-1, 3)).collect();
    json!([
        {"name": "K", "type": "int", "value": binary("+", 1, 1)},
        {"name": "B", "type": "bool", "value": random.percent(50)},
        {"name": "R", "type": "real", "value": *random.pick(&[0.5, 1.0, -0.75])},
        {"name": "A", "type": {"kind": "array", "base": "int"}, "value": {"op": "av", "elements": cells}},
    ])
}

/// Functions of parameters and constants.
fn functions(random: &mut Random, scope: &mut Scope, depth: usize) -> Value {
    let mut inner = Scope { wild: false, ..scope.clone() };
    inner.readable.extend(["x", "y"].map(|name| Readable::Int(name.to_owned())));
    let both = inner.bool(random, depth.min(2));
    inner.readable.retain(|r| !matches!(r, Readable::Int(name) if name == "y"));
    inner.readable.push(Readable::Bool("y".to_owned()));
    let number = inner.int(random, depth.min(2));
    scope.readable.push(Readable::IntFunction("f".to_owned()));
    scope.readable.push(Readable::BoolFunction("h".to_owned()));
    let parameters = |second: &str| json!([{"name": "x", "type": "int"}, {"name": "y", "type": second}]);
    json!([
        {"name": "f", "type": "int", "parameters": parameters("bool"), "body": number},
        {"name": "h", "type": "bool", "parameters": parameters("int"), "body": both},
    ])
}

fn automata(random: &mut Random, context: &mut Context, size: &Size) -> Vec<Automaton> {
    let count = 1 + random.below(size.automata);
    let repeated = random.percent(20).then(|| random.below(count));
    (0..count)
        .map(|i| {
            let last = i + 1 == count;
            automaton::random_automaton(random, context, i, repeated == Some(i), (count, last), size.edges)
        })
        .collect()
}

/// Elements in order, the repeated automaton again at the end, and synchronisation vectors.
fn system(random: &mut Random, context: &Context, automata: &[Automaton], elements: &[usize]) -> Value {
    let listed: Vec<Value> = elements
        .iter()
        .map(|a| {
            let mut element = json!({"automaton": automata[*a].name});
            if random.percent(15) {
                element["input-enable"] = json!([random.pick(&context.actions)]);
            }
            element
        })
        .collect();
    if elements.len() == 1 && random.percent(50) {
        return json!({"elements": listed});
    }
    let mut syncs = Vec::new();
    for action in &context.actions {
        // Some move alone.
        if random.percent(50) {
            let mover = random.below(elements.len());
            let alone: Vec<Value> =
                (0..elements.len()).map(|e| if e == mover { json!(action) } else { Value::Null }).collect();
            syncs.push(json!({"synchronise": alone, "result": action}));
        }
        for _ in 0..1 + random.below(2) {
            let entries: Vec<Value> = elements
                .iter()
                .map(|_| match random.below(10) {
                    0..=3 if elements.len() > 1 => Value::Null,
                    4 => json!(random.pick(&context.actions)),
                    _ => json!(action),
                })
                .collect();
            let mut sync = json!({"synchronise": entries});
            match random.below(10) {
                0 => {}
                1 => sync["result"] = json!(random.pick(&context.actions)),
                _ => sync["result"] = json!(action),
            }
            syncs.push(sync);
        }
    }
    json!({"elements": listed, "syncs": syncs})
}

/// Values for some of the scalar variables that a property sees.
fn point(random: &mut Random, context: &Context, automata: &[Automaton], chance: usize) -> Value {
    let locals = automata.iter().filter(|a| !a.repeated).flat_map(|a| &a.locals);
    let mut all = json!(true);
    for variable in context.globals.iter().chain(locals).filter(|v| v.length.is_none()) {
        if random.percent(chance) {
            let value = random.between(variable.lower, variable.upper);
            let value = if variable.is_bool { json!(value == 1) } else { json!(value) };
            all = binary("∧", all, binary("=", variable.name.clone(), value));
        }
    }
    all
}

/// A safety property; its expressions see globals, and locals of automata that are not repeated.
fn property(random: &mut Random, context: &Context, automata: &[Automaton], elements: &[usize]) -> Value {
    let mut scope = context.tame();
    for automaton in automata.iter().filter(|a| !a.repeated) {
        scope.readable.extend(automaton.locals.iter().map(Declared::readable));
    }
    let wild = Scope { wild: context.scope.wild && random.percent(30), ..scope.clone() };
    let locations = |random: &mut Random, chance: usize| -> Vec<Value> {
        let mut listed = Vec::new();
        for (i, element) in elements.iter().enumerate() {
            if random.percent(chance) {
                let index = elements[..i].iter().filter(|e| *e == element).count();
                let location = format!("l{}", random.below(automata[*element].locations));
                listed.push(json!({"automaton": automata[*element].name, "index": index, "location": location}));
            }
        }
        listed
    };
    let mut unsafe_states = wild.bool(random, context.depth);
    // Few states, so that there is a way to go.
    if random.percent(85) {
        unsafe_states = binary("∧", point(random, context, automata, 75), unsafe_states);
    }
    let reach = json!({"op": "state-condition", "locations": locations(random, 15), "exp": unsafe_states});
    let goal = scope.bool(random, context.depth);
    let mut property = json!({"op": "PA", "reach": reach, "objective": {"op": "objective", "goal": goal}});
    match random.below(10) {
        0..=3 => {}
        4..=6 => property["start"] = point(random, context, automata, 90),
        7 => property["start"] = wild.bool(random, context.depth + 1),
        _ => {
            let condition = wild.bool(random, context.depth + 1);
            property["start"] = json!({"op": "state-condition", "locations": locations(random, 50), "exp": condition});
        }
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::load_text;

    #[test]
    fn models_are_read_and_lowered_and_a_seed_gives_the_same_text() {
        for seed in 0..300 {
            let text = random_model(&mut Random::new(seed), &Size::default());
            assert_eq!(text, random_model(&mut Random::new(seed), &Size::default()));
            let mut lowered = load_text(&text);
            let bounds = lowered.model.slots.iter().map(|s| s.domain.int_bounds().unwrap());
            assert!(bounds.map(|(low, high)| (high - low + 1).unsigned_abs()).product::<u64>() <= 3000, "{text}");
            for property in 0..PROPERTIES {
                lowered.question(property).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            }
        }
    }
}
