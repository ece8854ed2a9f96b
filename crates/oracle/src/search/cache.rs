//! Networks and applications prepared once and kept: questions come by the million, networks do not.

use std::sync::Arc;

use surefoot_network::Network;

use crate::bounds::{Folded, Prepared, Setting};
use crate::question::Application;

/// More applications than this are not kept at once.
const KEPT: usize = 256;

/// Prepared networks and applications, found by the addresses of what they were made from; those are kept alive here,
/// so that an address cannot come to mean something else.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    networks: Vec<(Arc<Network>, Arc<Prepared>)>,
    applications: Vec<(Application, usize, Arc<Folded>)>,
    /// Found by the address of the application, which they keep alive.
    settings: Vec<Arc<Setting>>,
}

impl Cache {
    /// The application over a root box with `|x_v| <= magnitude[v]`, its bounds beginning at `begin` in a node's data.
    ///
    /// Magnitudes are rounded up to powers of 16, at the price of error bounds that are a little larger: so regions of
    /// one model share few settings, and what a question gets does not depend on the questions before.
    pub(crate) fn setting(&mut self, application: &Application, magnitude: &[f64], begin: usize) -> Arc<Setting> {
        let folded = self.folded(application, magnitude.len());
        let magnitude: Vec<f64> = magnitude.iter().map(|x| power_of_16(*x)).collect();
        let same = |s: &&Arc<Setting>| Arc::ptr_eq(&s.folded, &folded) && s.is_for(&magnitude, begin);
        if let Some(known) = self.settings.iter().find(same) {
            return known.clone();
        }
        let setting = Arc::new(Setting::new(folded, &magnitude, begin));
        if self.settings.len() >= KEPT {
            self.settings.remove(0);
        }
        self.settings.push(setting.clone());
        setting
    }

    /// The application as a function of `variables` variables.
    fn folded(&mut self, application: &Application, variables: usize) -> Arc<Folded> {
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

/// The least power of 16 that is not smaller than a number; 0 for 0.
fn power_of_16(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let exponent = i32::try_from(value.to_bits() >> 52).expect("eleven bits") - 1023;
    // 16^k with 4 k > exponent is larger than any number with that exponent.
    let power = 2f64.powi((exponent + 1).div_euclid(4) * 4);
    if power >= value { power } else { power * 16.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_16_are_not_smaller_and_not_much_larger() {
        for value in
            [1e-300, 1e-9, 0.06, 0.0625, 0.1, 0.99, 1.0, 1.01, 15.9, 16.0, 17.0, 255.0, 256.5, 1e6, 9e15, 1e299]
        {
            let power = power_of_16(value);
            assert!(value <= power && power < 16.0 * value, "{value}: {power}");
            assert_eq!(power.log2() % 4.0, 0.0);
        }
        assert_eq!(power_of_16(0.0), 0.0);
    }
}
