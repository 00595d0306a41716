//! The text that is printed and kept.

use std::fs;

#[expect(clippy::print_stdout, reason = "the report is what this program is for")]
pub fn line(text: &str) {
    println!("{text}");
}

pub fn heading(text: &str) {
    line(&format!("\n{text}\n{}", "-".repeat(text.chars().count())));
}

/// The machine, as far as it matters for reading the figures.
pub fn machine() {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (processor, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let value = |text: &str, name: &str| {
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_default();
        found.trim_start_matches([' ', '\t', ':']).to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    line(&format!(
        "processor  {} x {}",
        cores,
        value(&processor, "model name")
    ));
    line(&format!("memory     {}", value(&memory, "MemTotal")));
    line(&format!(
        "kernel     {}",
        read("/proc/sys/kernel/osrelease").trim()
    ));
    line(&format!("sqlite     {}", rusqlite::version()));
}

pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    }
}

/// One promise and what was measured of it.
pub struct Target {
    pub what: &'static str,
    pub goal: f64,
    /// Whether the figure must reach the goal or stay below it.
    pub at_least: bool,
    pub unit: &'static str,
    /// None when it was not measured.
    pub figure: Option<f64>,
}

pub fn targets(targets: &[Target]) {
    heading("Targets");
    for target in targets {
        let sign = if target.at_least { "≥" } else { "≤" };
        let goal = format!("{sign} {:.2}{}", target.goal, target.unit);
        let (figure, verdict) = match target.figure {
            None => ("not measured".to_owned(), "-"),
            Some(figure) => (format!("{figure:.2}{}", target.unit), verdict(target, figure)),
        };
        line(&format!("{:<44} {goal:>12} {figure:>14}  {verdict}", target.what));
    }
}

fn verdict(target: &Target, figure: f64) -> &'static str {
    let met = if target.at_least {
        figure >= target.goal
    } else {
        figure <= target.goal
    };
    if met { "PASS" } else { "MISS" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_not_moved_by_one_bad_round() {
        assert!((median(&[0.5, 9.0, 0.4]) - 0.5).abs() < 1e-9);
        assert!((median(&[1.0, 2.0]) - 1.5).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_figure_that_is_no_number_never_passes() {
        let target = Target {
            what: "",
            goal: 1.0,
            at_least: false,
            unit: "",
            figure: None,
        };
        assert_eq!(verdict(&target, f64::NAN), "MISS");
        assert_eq!(verdict(&target, 1.0), "PASS");
    }
}
