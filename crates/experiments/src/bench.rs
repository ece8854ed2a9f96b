//! How an experiment's runs are made: instances written out, runs taken from the journal or made, several at once if wanted, in an order that does not depend on it.
//!
//! Everything is in the folder of the experiment, and processes run in it with relative paths: so a line of the journal can be repeated by hand, and the folder can be moved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use surefoot_files::{Inputs, Kind, Origin};
use surefoot_limits::Limits;
use surefoot_verdict::{Event, Figure, Reporter};

use crate::claim::Claims;
use crate::error::Error;
use crate::events::Watch;
use crate::journal::Journal;
use crate::prepare::{Prepared, words};
use crate::run::{By, GRACE, Measured, Run};
use crate::series::Series;
use crate::set::{Instance, Set};

/// What a user can say of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder of the experiment.
    pub out: PathBuf,
    /// The benchmark set.
    pub set: PathBuf,
    /// A minute's version.
    pub quick: bool,
    /// Only what has one of these in its name; everything, if empty.
    pub only: Vec<String>,
    /// How many seeds, where there are seeds.
    pub seeds: Option<u32>,
    /// Seconds of each run.
    pub time_limit: Option<f64>,
    /// Megabytes of each run.
    pub memory_limit: Option<u64>,
    /// How many runs at once.
    pub jobs: usize,
    /// Networks and figures that others published, where they are there.
    pub data: Option<PathBuf>,
    /// A Python interpreter for what needs other programs.
    pub python: Option<PathBuf>,
}

/// How runs are made.
pub struct Bench<'b> {
    /// What the user said.
    pub options: Options,
    /// The benchmark set.
    pub set: Set,
    name: &'static str,
    pub(crate) program: PathBuf,
    hash: String,
    journal: Journal,
    pub(crate) limits: Limits,
    reporter: &'b dyn Reporter,
    claims: Mutex<Claims>,
    hashes: Mutex<BTreeMap<PathBuf, String>>,
    made: AtomicUsize,
    taken: AtomicUsize,
    /// Whether anything was of a name that was asked for.
    matched: AtomicBool,
}

impl<'b> Bench<'b> {
    /// A bench in a folder, which is made if there is none; what is in its journal is not made again.
    ///
    /// # Errors
    /// No set, no folder, no program.
    pub fn open(
        name: &'static str,
        options: Options,
        program: &Path,
        limits: Limits,
        reporter: &'b dyn Reporter,
    ) -> Result<Self, Error> {
        let set = Set::read(&options.set)?;
        let folder = set.folder.canonicalize().map_err(|error| Error::file(&options.set, error))?;
        let wrong = |error: std::io::Error| Error::file(&options.out, error);
        std::fs::create_dir_all(&options.out).map_err(wrong)?;
        let out = options.out.canonicalize().map_err(wrong)?;
        // Runs are made in the folder of the experiment. Links are kept: a virtual environment is known by where its Python lies.
        let python = options.python.as_ref().map(|python| match python.components().count() {
            1 => Ok(python.clone()),
            _ => std::path::absolute(python).map_err(|error| Error::file(python, error)),
        });
        let python = python.transpose()?;
        let hash = hash(program).map_err(|error| Error::file(program, error))?;
        let journal = Journal::open(&out.join("journal.jsonl"))?;
        Ok(Self {
            options: Options { out, python, ..options },
            set: Set { folder, ..set },
            name,
            program: program.to_owned(),
            hash,
            journal,
            limits,
            reporter,
            claims: Mutex::default(),
            hashes: Mutex::default(),
            made: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            matched: AtomicBool::new(false),
        })
    }

    /// What is for the full size, or for the quick one.
    pub fn size<T>(&self, full: T, quick: T) -> T {
        if self.options.quick { quick } else { full }
    }

    /// Seconds of a run: what the user says, or these.
    #[must_use]
    pub fn seconds(&self, full: f64, quick: f64) -> f64 {
        self.options.time_limit.unwrap_or_else(|| self.size(full, quick))
    }

    /// Whether something of this name was asked for.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        let wanted = self.options.only.is_empty() || self.options.only.iter().any(|part| name.contains(part));
        self.matched.fetch_or(wanted, Ordering::Relaxed);
        wanted
    }

    /// That something was of a name that was asked for: tables of nothing help nobody.
    ///
    /// # Errors
    /// Where nothing was.
    pub fn something(&self) -> Result<(), Error> {
        if self.options.only.is_empty() || self.matched.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Error::Nothing(self.options.only.join(",")))
    }

    /// How many runs were made, and how many taken from the journal.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.made.load(Ordering::Relaxed), self.taken.load(Ordering::Relaxed))
    }

    /// The instances of the set that suit and were asked for, in its order.
    pub fn chosen(&self, suits: impl Fn(&Instance) -> bool) -> Vec<Instance> {
        self.set.instances.iter().filter(|instance| suits(instance) && self.wants(&instance.name)).cloned().collect()
    }

    /// A run of a command on an instance, on one thread.
    #[must_use]
    pub fn run(&self, command: &str, on: &Prepared, options: &[&str], time_limit: f64) -> Run {
        Run {
            question: Some(on.name.clone()),
            arguments: [&words(&[command]), &on.arguments[..], &words(options), &words(&["--threads", "1"])].concat(),
            inputs: on.inputs.clone(),
            time_limit,
            memory_limit: self.options.memory_limit,
            watch: Watch::Nothing,
            grace: GRACE,
            broken: on.broken.clone(),
            by: By::Itself,
        }
    }

    /// Holds all answers about an instance against what the set records of it.
    ///
    /// # Errors
    /// A contradiction.
    pub fn hold_against_record(&self, instance: &Instance) -> Result<(), Error> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.record(&instance.name, instance.verdict.as_deref(), instance.value)
    }

    /// Makes all runs of all series, or takes them from the journal; the answer is in the order of the question.
    ///
    /// # Errors
    /// [`Error::Interrupted`], contradictions, and a journal that cannot be written.
    pub fn carry_out(&self, series: &[Series]) -> Result<Vec<Vec<Measured>>, Error> {
        let results: Vec<Mutex<Vec<Measured>>> = series.iter().map(|_| Mutex::default()).collect();
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let of = series.iter().map(|series| series.runs.len()).sum();
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.clamp(1, series.len().max(1)) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(series), Some(place)) = (series.get(index), results.get(index)) else { return };
                        match self.one_by_one(series, &done, of, &failure) {
                            Ok(measured) => *place.lock().unwrap_or_else(PoisonError::into_inner) = measured,
                            Err(error) => {
                                let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                                failure.get_or_insert(error);
                                return;
                            }
                        }
                    }
                });
            }
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(results
                .into_iter()
                .map(|measured| measured.into_inner().unwrap_or_else(PoisonError::into_inner))
                .collect()),
        }
    }

    /// The same for single runs.
    ///
    /// # Errors
    /// As for [`Bench::carry_out`].
    pub fn carry_out_all(&self, runs: Vec<Run>) -> Result<Vec<Measured>, Error> {
        let series: Vec<Series> = runs.into_iter().map(Series::from).collect();
        Ok(self.carry_out(&series)?.into_iter().flatten().collect())
    }

    fn one_by_one(
        &self,
        series: &Series,
        done: &AtomicUsize,
        of: usize,
        failure: &Mutex<Option<Error>>,
    ) -> Result<Vec<Measured>, Error> {
        let mut measured: Vec<Measured> = Vec::new();
        for run in &series.runs {
            if failure.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                return Err(Error::Interrupted);
            }
            let what = run.question.clone().unwrap_or_default();
            self.reporter.tell(&Progress { name: self.name, done: done.load(Ordering::Relaxed), of, what });
            measured.push(self.one(run)?);
            done.fetch_add(1, Ordering::Relaxed);
            if let Some(others) = series.given_up(&measured) {
                done.fetch_add(series.runs.len() - measured.len(), Ordering::Relaxed);
                measured.extend(others);
                break;
            }
        }
        Ok(measured)
    }

    /// One run, or the one that is in the journal.
    fn one(&self, run: &Run) -> Result<Measured, Error> {
        self.limits.check().map_err(|_| Error::Interrupted)?;
        let inputs: Result<Vec<String>, String> = run.inputs.iter().map(|file| self.hash_of(file)).collect();
        let run = match (&run.broken, &inputs) {
            (None, Err(why)) => &Run { broken: Some(why.clone()), ..run.clone() },
            _ => run,
        };
        let key = Journal::key(&self.hash, &inputs.unwrap_or_default(), run);
        let measured = match self.journal.find(&key) {
            Some(kept) if run.broken.is_none() => {
                self.taken.fetch_add(1, Ordering::Relaxed);
                kept.clone()
            }
            _ => {
                let measured = run.make(&self.program, &self.options.out, &self.limits)?;
                if run.broken.is_none() {
                    self.journal.append(key, run, &measured)?;
                }
                self.made.fetch_add(1, Ordering::Relaxed);
                measured
            }
        };
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).add(run, &measured)?;
        Ok(measured)
    }

    /// The hash of a file, each read once.
    fn hash_of(&self, file: &Path) -> Result<String, String> {
        let known = || self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known().get(file) {
            return Ok(hash.clone());
        }
        let hash = hash(&self.options.out.join(file)).map_err(|error| format!("{}: {error}", file.display()))?;
        known().insert(file.to_owned(), hash.clone());
        Ok(hash)
    }
}

fn hash(file: &Path) -> Result<String, String> {
    let mut inputs = Inputs::default();
    inputs.read(file, Kind::Program, Origin::Reached).map_err(|error| error.to_string())?;
    inputs.hashes().pop().map(|(_, hash)| hash).ok_or_else(|| "it has no hash".to_owned())
}

/// How far an experiment is.
struct Progress {
    name: &'static str,
    done: usize,
    of: usize,
    what: String,
}

impl Event for Progress {
    fn figures(&self) -> Vec<Figure> {
        vec![Figure::new("runs", self.done), Figure::new("of_runs", self.of)]
    }

    fn line(&self) -> String {
        format!("{}: {} of {} runs, now {}", self.name, self.done, self.of, self.what)
    }
}
