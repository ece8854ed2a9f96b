//! What processes take, as far as the system tells: CPU seconds and peak memory of a child, and how busy the machine is.
//!
//! Linux tells it in `/proc`; elsewhere nothing is known, and tables have an empty cell. A child that has ended, but was not waited for, still has its CPU time
//! there: so it is looked at once more before it is waited for. The peak of memory is gone by then; it is the one that was last seen.

use std::fs;

/// Ticks of a second in `/proc/PID/stat`: the same on all Linux systems, whatever the kernel's own clock.
const TICKS: f64 = 100.0;

/// What a process has taken so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Taken {
    /// Seconds of CPU, those of the system for it included.
    pub cpu: Option<f64>,
    /// The most memory it had at a time, in bytes.
    pub peak: Option<u64>,
}

/// Looks at a child again and again.
#[derive(Debug)]
pub struct Meter {
    process: u32,
    taken: Taken,
}

impl Meter {
    /// A meter for a process.
    #[must_use]
    pub fn new(process: u32) -> Self {
        Self { process, taken: Taken::default() }
    }

    /// Looks at it; whether it has ended, where that is known.
    pub fn look(&mut self) -> Option<bool> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process)).unwrap_or_default();
        if let Some(peak) = peak_of(&status) {
            self.taken.peak = self.taken.peak.max(Some(peak));
        }
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process)).unwrap_or_default();
        let (state, cpu) = state_and_cpu(&stat)?;
        self.taken.cpu = Some(cpu);
        Some(state == 'Z')
    }

    /// What it has taken, as far as it was seen.
    #[must_use]
    pub fn taken(&self) -> Taken {
        self.taken
    }
}

/// The average number of processes that wanted to run in the last minute.
#[must_use]
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The peak of resident memory in `/proc/PID/status`.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The state and the CPU seconds in `/proc/PID/stat`. The name of the program comes first, in brackets, and may contain anything.
fn state_and_cpu(stat: &str) -> Option<(char, f64)> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let state = fields.first()?.chars().next()?;
    // The 14th and 15th field of the line: time in user mode and in the kernel.
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((state, (ticks(11)? + ticks(12)?) / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_do_not_confuse() {
        let stat = "42 (a) R b) Z 1 42 42 0 -1 4 1 0 0 0 250 50 0 0 20 0 1 0 1 1 1";
        assert_eq!(state_and_cpu(stat), Some(('Z', 3.0)));
        assert_eq!(state_and_cpu(""), None);
        assert_eq!(peak_of("VmPeak: 9 kB\nVmHWM:\t   2048 kB\n"), Some(2 << 20));
        assert_eq!(peak_of("VmHWM: many"), None);
    }
}
