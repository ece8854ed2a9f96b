//! What is made once per location vector.
//!
//! Rules, moves, possible errors and conditions are lowered at given locations; there are few location vectors and many states.

use rustc_hash::FxHashMap;

/// Something per location vector, made when it is first needed.
#[derive(Debug, Clone)]
pub struct ByLocations<T> {
    made: FxHashMap<Box<[u32]>, T>,
}

impl<T> Default for ByLocations<T> {
    fn default() -> Self {
        Self { made: FxHashMap::default() }
    }
}

impl<T> ByLocations<T> {
    /// What there is for given locations; it is made if it is not there.
    ///
    /// # Errors
    /// Those of making it.
    pub fn prepare<E>(&mut self, locations: &[u32], make: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
        if !self.made.contains_key(locations) {
            self.made.insert(locations.into(), make()?);
        }
        Ok(())
    }

    /// What there is for given locations, if it was made.
    #[must_use]
    pub fn get(&self, locations: &[u32]) -> Option<&T> {
        self.made.get(locations)
    }

    /// What there is for given locations.
    ///
    /// # Panics
    /// When it was not made.
    #[must_use]
    pub fn at(&self, locations: &[u32]) -> &T {
        &self.made[locations]
    }
}
