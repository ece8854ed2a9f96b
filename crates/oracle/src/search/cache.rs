//! Networks and applications prepared once and kept: questions come by the million, networks do not.

use std::sync::Arc;

use surefoot_network::Network;

use crate::bounds::{Folded, Prepared};
use crate::question::Application;

/// More applications than this are not kept at once.
const KEPT: usize = 256;

/// Prepared networks and applications, found by the addresses of what they were made from; those are kept alive here,
/// so that an address cannot come to mean something else.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    networks: Vec<(Arc<Network>, Arc<Prepared>)>,
    applications: Vec<(Application, usize, Arc<Folded>)>,
}

impl Cache {
    /// The application as a function of `variables` variables.
    pub(crate) fn folded(&mut self, application: &Application, variables: usize) -> Arc<Folded> {
        let same = |(known, n, _): &&(Application, usize, Arc<Folded>)| {
            Arc::ptr_eq(&known.network, &application.network)
                && (Arc::ptr_eq(&known.inputs, &application.inputs) || known.inputs == application.inputs)
                && *n == variables
        };
        if let Some((_, _, folded)) = self.applications.iter().find(same) {
            return folded.clone();
        }
        let prepared = self.prepared(&application.network);
        let folded = Arc::new(Folded::new(prepared, &application.inputs, variables));
        if self.applications.len() >= KEPT {
            self.applications.remove(0);
        }
        self.applications.push((application.clone(), variables, folded.clone()));
        folded
    }

    fn prepared(&mut self, network: &Arc<Network>) -> Arc<Prepared> {
        if let Some((_, prepared)) = self.networks.iter().find(|(known, _)| Arc::ptr_eq(known, network)) {
            return prepared.clone();
        }
        let prepared = Arc::new(Prepared::new(network));
        if self.networks.len() >= KEPT {
            self.networks.remove(0);
        }
        self.networks.push((network.clone(), prepared.clone()));
        prepared
    }
}
