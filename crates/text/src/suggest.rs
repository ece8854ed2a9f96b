//! Near misses: which known word was probably meant.
//!
//! The measure is the optimal-string-alignment distance (insert, delete, replace, swap neighbours), cut off at a
//! third of the word's length: beyond that a suggestion confuses more than it helps.

/// Longer words are never typing errors of each other in a way worth the quadratic time.
const LONGEST: usize = 80;

/// The candidate nearest to `word`, if one is near enough; the first of equally near ones.
///
/// ```
/// use surefoot_text::suggest;
/// assert_eq!(suggest("gaurd", ["action", "guard"].into_iter()), Some("guard"));
/// assert_eq!(suggest("x", ["action", "guard"].into_iter()), None);
/// ```
pub fn suggest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let mut limit = word.len().div_ceil(3).min(4);
    let mut best = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        if letters.is_empty() || letters.len() > LONGEST {
            continue;
        }
        if let Some(distance) = distance_within(&word, &letters, limit) {
            // One wrong letter of one is a different name, not a misspelt one.
            if distance >= word.len().max(letters.len()) {
                continue;
            }
            best = Some(candidate);
            if distance == 0 {
                break;
            }
            limit = distance - 1;
        }
    }
    best
}

/// The distance of two words, letter case counting nothing, when it is at most `limit`.
fn distance_within(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let same = |x: char, y: char| x == y || x.to_lowercase().eq(y.to_lowercase());
    let mut before_previous = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    let mut current = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        current[0] = i;
        for j in 1..=b.len() {
            let replace = previous[j - 1] + usize::from(!same(a[i - 1], b[j - 1]));
            let mut cost = replace.min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                cost = cost.min(before_previous[j - 2] + 1);
            }
            current[j] = cost;
        }
        std::mem::swap(&mut before_previous, &mut previous);
        std::mem::swap(&mut previous, &mut current);
    }
    Some(previous[b.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["destinations", "location", "guard", "action", "x1", "x2"];
        for (word, expected) in [
            ("destination", Some("destinations")),
            ("Guard", Some("guard")),
            ("gaurd", Some("guard")),
            ("loaction", Some("location")),
            ("x3", Some("x1")),
            ("y", None),
            ("probability", None),
            ("", None),
        ] {
            assert_eq!(suggest(word, words.into_iter()), expected, "{word}");
        }
    }

    #[test]
    fn endless_words_take_no_time() {
        let long = "a".repeat(1_000_000);
        assert_eq!(suggest(&long, std::iter::once(long.as_str())), None);
    }
}
