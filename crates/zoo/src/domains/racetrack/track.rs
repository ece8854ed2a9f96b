//! Tracks: maps of cells, and what happens to a car that moves over them.

use std::path::Path;

use surefoot_files::{Inputs, Kind, Origin};

use crate::ParameterError;
use crate::text::int;

/// Maps that are built in.
const MAPS: [(&str, &str); 5] = [
    ("tiny", include_str!("maps/tiny.txt")),
    ("corridor", include_str!("maps/corridor.txt")),
    ("ring", include_str!("maps/ring.txt")),
    ("zigzag", include_str!("maps/zigzag.txt")),
    ("barto-small", include_str!("maps/barto-small.txt")),
];

/// The largest width and height: sets of solvable states grow with both.
const MOST: usize = 64;

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Wall,
    Free,
    Start,
    Goal,
}

/// Which cells of a move are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collision {
    /// The one where it ends.
    Simple,
    /// All on the way.
    Full,
}

/// A pair of coordinates: across and down.
pub(super) type Pair = (i64, i64);

/// How a move ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Travel {
    Free(Pair),
    Finish(Pair),
    Crash,
}

/// A map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Track {
    pub(super) width: i64,
    pub(super) height: i64,
    cells: Vec<Cell>,
}

impl Track {
    /// The map of a name, or in a file.
    pub(super) fn load(name: &str) -> Result<Self, ParameterError> {
        if let Some((_, text)) = MAPS.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        let bytes = Inputs::default().read(Path::new(name), Kind::Map, Origin::Named).map_err(|error| {
            let known: Vec<&str> = MAPS.iter().map(|(known, _)| *known).collect();
            ParameterError::new(format!(
                "map={name} is no map of ours ({}), and as a file it cannot be read: {error}",
                known.join(", ")
            ))
        })?;
        let text = String::from_utf8(bytes).map_err(|_| ParameterError::new(format!("map={name}: it is not UTF-8")))?;
        Self::parse(name, &text)
    }

    /// Reads a map: `x` walls, `.` free cells, `s` starts, `g` goals, one row per line.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, ParameterError> {
        let failed = |reason: String| ParameterError::new(format!("map={name}: {reason}"));
        let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
        let rows = &rows[..rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1)];
        let width = rows.first().map_or(0, |row| row.chars().count());
        if width == 0 || width > MOST || rows.len() > MOST {
            return Err(failed(format!("{width} columns and {} rows; 1 to {MOST} of each are possible", rows.len())));
        }
        let mut cells = Vec::with_capacity(width * rows.len());
        for (line, row) in rows.iter().enumerate() {
            for (column, character) in row.chars().enumerate() {
                cells.push(match character {
                    'x' => Cell::Wall,
                    '.' => Cell::Free,
                    's' => Cell::Start,
                    'g' => Cell::Goal,
                    other => {
                        let (line, column) = (line + 1, column + 1);
                        return Err(failed(format!(
                            "line {line}, column {column}: '{other}' is no cell; use x (wall), . (free), s (start) and g (goal)"
                        )));
                    }
                });
            }
            if row.chars().count() != width {
                let (line, found) = (line + 1, row.chars().count());
                return Err(failed(format!(
                    "line {line}, column {}: {found} cells, but line 1 has {width}",
                    found + 1
                )));
            }
        }
        for (cell, letter, what) in [(Cell::Start, 's', "start"), (Cell::Goal, 'g', "goal")] {
            if !cells.contains(&cell) {
                return Err(failed(format!("there is no {what}: at least one cell must be {letter}")));
            }
        }
        Ok(Self { width: int(width), height: int(rows.len()), cells })
    }

    /// The cell at a place; what is off the map is wall.
    pub(super) fn cell(&self, (x, y): Pair) -> Cell {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        let index = usize::try_from(y * self.width + x).ok().filter(|_| inside);
        index.map_or(Cell::Wall, |index| self.cells[index])
    }

    /// Places in rows from the top, each from the left.
    pub(super) fn places(&self) -> impl Iterator<Item = Pair> + use<'_> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| (x, y)))
    }

    /// Places where a car can be before a run ends.
    pub(super) fn open(&self) -> impl Iterator<Item = Pair> + use<'_> {
        self.places().filter(|place| self.open_at(*place))
    }

    /// Whether a car can be at a place before a run ends.
    pub(super) fn open_at(&self, place: Pair) -> bool {
        matches!(self.cell(place), Cell::Free | Cell::Start)
    }

    /// Places of a kind.
    pub(super) fn of(&self, kind: Cell) -> impl Iterator<Item = Pair> + use<'_> {
        self.places().filter(move |place| self.cell(*place) == kind)
    }

    /// What becomes of a car that moves with a velocity: the first wall or goal among the cells looked at decides.
    pub(super) fn travel(&self, (x, y): Pair, velocity: Pair, collision: Collision) -> Travel {
        let path = match collision {
            Collision::Simple => vec![velocity],
            Collision::Full => line(velocity),
        };
        for (dx, dy) in path {
            let place = (x + dx, y + dy);
            match self.cell(place) {
                Cell::Wall => return Travel::Crash,
                Cell::Goal => return Travel::Finish(place),
                Cell::Free | Cell::Start => {}
            }
        }
        Travel::Free((x + velocity.0, y + velocity.1))
    }
}

/// The cells of a move, as offsets: one per unit of the longer coordinate, the other one rounded to the nearest, halves
/// away from zero (so that the line is the same in all mirror images).
pub(super) fn line((dx, dy): Pair) -> Vec<Pair> {
    let steps = dx.abs().max(dy.abs());
    let at = |i: i64, d: i64| d.signum() * ((2 * i * d.abs() + steps) / (2 * steps));
    if steps == 0 { vec![(0, 0)] } else { (1..=steps).map(|i| (at(i, dx), at(i, dy))).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_maps_are_maps() {
        for (name, _) in MAPS {
            let track = Track::load(name).unwrap();
            assert!(track.open().count() > 0, "{name}");
        }
        let barto = Track::load("barto-small").unwrap();
        assert_eq!((barto.width, barto.height), (35, 12));
    }

    #[test]
    fn wrong_maps_are_refused_with_their_place() {
        for (text, expected) in [
            ("", "0 columns and 0 rows"),
            ("s.g\n.X.\n", "line 2, column 2: 'X' is no cell"),
            ("s.g\n..\n", "line 2, column 3: 2 cells, but line 1 has 3"),
            ("s.g\n....\n", "line 2, column 5: 4 cells"),
            ("s..\n", "there is no goal"),
            ("g..\n", "there is no start"),
        ] {
            let error = Track::parse("m", text).unwrap_err().to_string();
            assert!(error.starts_with("map=m: ") && error.contains(expected), "{error}");
        }
        assert!(Track::load("tyni").unwrap_err().to_string().contains("tiny, corridor, ring"));
    }

    #[test]
    fn lines_are_symmetric_and_connected() {
        assert_eq!(line((0, 0)), [(0, 0)]);
        assert_eq!(line((4, 2)), [(1, 1), (2, 1), (3, 2), (4, 2)]);
        for dx in -6..=6 {
            for dy in -6..=6 {
                let path = line((dx, dy));
                assert_eq!(path.last(), Some(&(dx, dy)));
                let mirrored: Vec<Pair> = line((-dx, dy)).iter().map(|(x, y)| (-x, *y)).collect();
                assert_eq!(path, mirrored);
                let turned: Vec<Pair> = line((dy, dx)).iter().map(|(x, y)| (*y, *x)).collect();
                assert_eq!(path, turned);
                for pair in [&[(0, 0)], &path[..]].concat().windows(2) {
                    assert!((pair[1].0 - pair[0].0).abs() <= 1 && (pair[1].1 - pair[0].1).abs() <= 1);
                }
            }
        }
    }

    #[test]
    fn looking_at_all_cells_finds_no_fewer_ends() {
        for (name, _) in MAPS {
            let track = Track::load(name).unwrap();
            for place in track.open() {
                for v in (-4..=4).flat_map(|dx| (-4..=4).map(move |dy| (dx, dy))) {
                    let (simple, full) =
                        (track.travel(place, v, Collision::Simple), track.travel(place, v, Collision::Full));
                    if matches!(full, Travel::Free(_)) {
                        assert_eq!(full, simple);
                    }
                    if simple == Travel::Crash {
                        assert!(!matches!(full, Travel::Free(_)), "a crash is one, unless the goal was on the way");
                    }
                }
            }
        }
    }
}
