//! Whether a constraint holds in all of a piece, in none of it, or where to cut the piece so that it is decided.
//!
//! The box decides most, in floats rounded outwards or else exactly. What is left is asked of points already known, and then of exact linear programs: an atom holds in
//! all of a piece if its negation has no point there. [`Decider::by_programs`] is the same without the short cuts.

use surefoot_limits::Stop;
use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_num::Rational;
use surefoot_oracle::Limits;

use super::piece::find_point;
use super::{Cut, Piece, Stopped};

/// More points are not remembered.
const MOST_POINTS: usize = 16;

/// What is known of a formula in a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// It holds in all of it.
    Holds,
    /// It holds nowhere in it.
    Fails,
    /// Neither; this cut makes progress.
    Open(Cut),
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::Holds } else { Self::Fails }
    }
}

/// Decides constraints in one piece.
#[derive(Debug)]
pub struct Decider<'l> {
    piece: Piece,
    /// Points of the piece.
    points: Vec<Vec<Rational>>,
    limits: &'l Limits,
    /// Linear programs solved.
    pub programs: u64,
}

impl<'l> Decider<'l> {
    /// A decider for a piece.
    #[must_use]
    pub fn new(piece: Piece, limits: &'l Limits) -> Self {
        let points = vec![piece.point().to_vec()];
        Self { piece, points, limits, programs: 0 }
    }

    /// The piece.
    #[must_use]
    pub fn piece(&self) -> &Piece {
        &self.piece
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &'l Limits {
        self.limits
    }

    /// Stops if it is time to.
    ///
    /// # Errors
    /// [`Stopped`] then.
    pub fn check_limits(&self) -> Result<(), Stopped> {
        self.limits.stop_now().map_or(Ok(()), |limit: Stop| Err(Stopped(limit)))
    }

    /// A formula whose symbols stand for affine images of the parameters.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn formula(&mut self, formula: &Formula, image: &[Linear]) -> Result<Truth, Stopped> {
        match formula {
            Formula::Atom(atom) => {
                let form = atom.form.substitute(&|symbol| Some(image[symbol.index()].clone()));
                self.atom(&Atom { form, relation: atom.relation })
            }
            Formula::All(parts) => self.parts(parts, image, false),
            Formula::Any(parts) => self.parts(parts, image, true),
        }
    }

    /// Parts joined so that one part of truth `deciding` decides.
    fn parts(&mut self, parts: &[Formula], image: &[Linear], deciding: bool) -> Result<Truth, Stopped> {
        let mut open = None;
        for part in parts {
            match self.formula(part, image)? {
                Truth::Open(cut) => {
                    open.get_or_insert(cut);
                }
                decided if decided == Truth::from(deciding) => return Ok(decided),
                _ => {}
            }
        }
        Ok(open.map_or(Truth::from(!deciding), Truth::Open))
    }

    /// An atom over parameters.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn atom(&mut self, atom: &Atom) -> Result<Truth, Stopped> {
        if atom.form.is_constant() {
            return Ok(Truth::from(atom.relation.holds(atom.form.constant())));
        }
        if let Some(positive) = self.piece.float_sign(&atom.form) {
            return Ok(Truth::from(match atom.relation {
                Relation::AtLeastZero | Relation::Positive => positive,
                Relation::Zero => false,
                Relation::NonZero => true,
            }));
        }
        if let Some(holds) = self.piece.range(&atom.form).decides(atom.relation) {
            return Ok(Truth::from(holds));
        }
        let atom = match self.piece.normal(atom) {
            Formula::Atom(atom) => atom,
            constant => return Ok(Truth::from(constant.is_truth())),
        };
        let truths: Vec<bool> = self.points.iter().map(|point| atom.eval(|s| point[s.index()].clone())).collect();
        let first = truths[0];
        if truths.iter().any(|truth| *truth != first) || self.some_point(&atom, !first)? {
            return Ok(Truth::Open(Cut::deciding(&atom)));
        }
        Ok(Truth::from(first))
    }

    /// Whether a cut has points on more than one side.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn parts_by(&mut self, cut: &Cut) -> Result<bool, Stopped> {
        for side in cut.sides() {
            match self.atom(&side)? {
                Truth::Holds => return Ok(false),
                Truth::Open(_) => return Ok(true),
                Truth::Fails => {}
            }
        }
        Ok(false)
    }

    /// An atom by linear programs alone, both ways: slow, and what [`Decider::atom`] is compared with.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn by_programs(&mut self, atom: &Atom) -> Result<Truth, Stopped> {
        Ok(match (self.some_point(atom, true)?, self.some_point(atom, false)?) {
            (true, true) => Truth::Open(Cut::deciding(atom)),
            (true, false) => Truth::Holds,
            (false, _) => Truth::Fails,
        })
    }

    /// Whether the atom has the given truth somewhere in the piece.
    fn some_point(&mut self, atom: &Atom, truth: bool) -> Result<bool, Stopped> {
        let wanted = if truth { atom.clone() } else { atom.negated() };
        let convex = match wanted.relation {
            Relation::NonZero => vec![Atom::positive(wanted.form.clone()), Atom::positive(-&wanted.form)],
            _ => vec![wanted],
        };
        for atom in convex {
            let atom = match self.piece.normal(&atom) {
                Formula::Atom(atom) => atom,
                constant if constant.is_truth() => return Ok(true),
                _ => continue,
            };
            let rows: Vec<Atom> = self.piece.rows().iter().cloned().chain([atom]).collect();
            self.programs += 1;
            if let Some(point) = find_point(self.piece.bounds(), self.piece.integer(), &rows, self.limits)? {
                if self.points.len() < MOST_POINTS {
                    self.points.push(point);
                }
                return Ok(true);
            }
        }
        Ok(false)
    }
}
