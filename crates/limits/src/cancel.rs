//! The switch: set once, seen by all who hold it.

use std::sync::{Arc, OnceLock};

use crate::Stop;

/// A switch that says to stop, and why. Clones are the same switch; the first reason stays.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    own: Arc<OnceLock<Stop>>,
    /// Those of which this one is a part.
    above: Option<Arc<Self>>,
}

impl Cancel {
    /// Says to stop. Only the first reason counts.
    pub fn stop(&self, why: Stop) {
        // Where another reason came first, that one stays: nothing to do.
        let _ = self.own.set(why);
    }

    /// Why to stop, if someone said so.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.own.get().copied().or_else(|| self.above.as_ref().and_then(|above| above.stopped()))
    }

    /// A switch that is set with this one, and can be set without it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { own: Arc::default(), above: Some(Arc::new(self.clone())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    #[test]
    fn the_first_reason_stays() {
        for why in [Stop::Time, Stop::Memory, Stop::Interrupted, Stop::Most(Unit::Paths, 7)] {
            let cancel = Cancel::default();
            let other = cancel.clone();
            other.stop(why);
            other.stop(Stop::Time);
            assert_eq!(cancel.stopped(), Some(why));
        }
    }

    #[test]
    fn a_part_stops_with_the_whole_and_not_the_other_way_round() {
        let whole = Cancel::default();
        let part = whole.child();
        part.stop(Stop::Interrupted);
        assert_eq!((whole.stopped(), part.stopped()), (None, Some(Stop::Interrupted)));
        let other = whole.child();
        whole.stop(Stop::Memory);
        assert_eq!((other.stopped(), part.stopped()), (Some(Stop::Memory), Some(Stop::Interrupted)));
    }
}
