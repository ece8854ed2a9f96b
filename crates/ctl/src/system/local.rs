//! What can happen at given locations.

use surefoot_linear::Formula;
use surefoot_model::LabelId;
use surefoot_model::policy::Outputs;
use surefoot_symbolic::{Lowering, SymbolicOperator, SymbolicPolicy};
use surefoot_text::diagnostic::Diagnostic;

/// More operators per synchronisation vector and locations are refused.
const MOST_OPERATORS: usize = 100_000;

/// What can happen at given locations, one per instance. Formulas are over the slots (and outputs, where the policy computes
/// values), and meant at these locations only.
#[derive(Debug, Clone)]
pub struct Local {
    /// Where the guards have values, as far as they are looked at.
    pub guards_defined: Formula,
    /// The operators that may be enabled, in the order of vectors and edges.
    pub operators: Vec<SymbolicOperator>,
    /// Positions of operators that the policy has no say in.
    pub environment: Vec<usize>,
    /// Positions of operators per output of the policy.
    pub governed: Vec<Vec<usize>>,
    /// Where the label of each output has an enabled operator.
    pub applicable: Vec<Formula>,
}

impl Local {
    pub(super) fn new(
        lowering: &mut Lowering<'_>,
        policy: Option<&SymbolicPolicy>,
        locations: &[u32],
    ) -> Result<Self, Diagnostic> {
        let labels: &[LabelId] = match policy.map(|policy| &policy.outputs) {
            Some(Outputs::Labels(labels)) => labels,
            _ => &[],
        };
        let (mut operators, mut defined) = (Vec::new(), Vec::new());
        for vector in lowering.model().vector_numbers() {
            let formula = lowering.guards_defined(vector)?;
            defined.push(lowering.at_all_locations(&formula, locations));
            for operator in lowering.operators(vector, Some(locations), MOST_OPERATORS)? {
                operators.push(lowering.operator(&operator)?);
            }
        }
        let mut applicable = Vec::new();
        for label in labels {
            applicable.push(lowering.applicable(*label, Some(locations))?);
        }
        let mut governed = vec![Vec::new(); labels.len()];
        let mut environment = Vec::new();
        for (i, operator) in operators.iter().enumerate() {
            match operator.label.and_then(|label| labels.iter().position(|l| *l == label)) {
                Some(output) => governed[output].push(i),
                None => environment.push(i),
            }
        }
        Ok(Self { guards_defined: Formula::all(defined), operators, environment, governed, applicable })
    }
}
