//! Figures: what an engine has counted, under the names that result objects and events have for it.

/// A named amount. Names are those of the JSON keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// How much.
    pub amount: Amount,
}

/// How much: a number, words, or nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// So many.
    Count(u64),
    /// So many seconds.
    Seconds(f64),
    /// A probability.
    Probability(f64),
    /// A word or a sentence.
    Text(String),
    /// Several of them.
    List(Vec<String>),
    /// There is none.
    None,
}

impl Figure {
    /// A figure.
    #[must_use]
    pub fn new(name: &'static str, amount: impl Into<Amount>) -> Self {
        Self { name, amount: amount.into() }
    }
}

impl From<u64> for Amount {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Amount {
    fn from(count: u32) -> Self {
        Self::Count(u64::from(count))
    }
}

impl From<usize> for Amount {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<std::time::Duration> for Amount {
    fn from(time: std::time::Duration) -> Self {
        Self::Seconds(time.as_secs_f64())
    }
}

impl From<&str> for Amount {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<String>> for Amount {
    fn from(list: Vec<String>) -> Self {
        Self::List(list)
    }
}

impl<T: Into<Self>> From<Option<T>> for Amount {
    fn from(amount: Option<T>) -> Self {
        amount.map_or(Self::None, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(Figure::new("path", Some(3_usize)).amount, Amount::Count(3));
        assert_eq!(Figure::new("path", None::<usize>).amount, Amount::None);
        assert_eq!(Figure::new("cause", Some("policy")).amount, Amount::Text("policy".to_owned()));
    }
}
