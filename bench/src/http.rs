//! The product and the bare server under the same load, turn by turn.

use std::time::Duration;

use crate::Fallible;
use crate::data::Dataset;
use crate::load::{CONNECTIONS, Call};
use crate::phase::{COLUMNS, Mistakes, Ratio, closed_phase, open_phase};
use crate::process::Server;
use crate::report::{heading, line, median};

/// As many players as one evening of a large community brings to its link page, all at once.
const PAGES_PER_SECOND: u64 = 500;
/// A busy evening of a few thousand game servers, and far below what the product can do.
const OPEN_PER_SECOND: u64 = 2_000;

/// A running server and what was seen of its memory.
pub struct Contestant {
    pub name: &'static str,
    pub server: Server,
    pub idle_bytes: u64,
    /// The most at the end of any closed loop.
    pub loaded_bytes: u64,
}

/// For each kind of phase its ratios to the bare server, one a round.
#[derive(Default)]
pub struct Ratios(Vec<(String, Vec<Ratio>)>);

impl Ratios {
    /// The median ratio of requests in a second.
    pub fn median_of(&self, label: &str) -> Option<f64> {
        let (_, ratios) = self.0.iter().find(|(known, _)| known == label)?;
        Some(medians(ratios).rate)
    }

    fn add(&mut self, label: String, ratio: Ratio) {
        match self.0.iter_mut().find(|(known, _)| *known == label) {
            Some((_, ratios)) => ratios.push(ratio),
            None => self.0.push((label, vec![ratio])),
        }
    }

    fn print(&self) {
        line("");
        for (label, ratios) in &self.0 {
            let rounds: Vec<String> = ratios.iter().map(|ratio| format!("{:.3}", ratio.rate)).collect();
            let Ratio { rate, cpu } = medians(ratios);
            line(&format!(
                "{label:<22} median ratio {rate:.3} (by CPU {cpu:.3}) of {}",
                rounds.join(", ")
            ));
        }
    }
}

fn medians(ratios: &[Ratio]) -> Ratio {
    let of = |pick: fn(&Ratio) -> f64| median(&ratios.iter().map(pick).collect::<Vec<_>>());
    Ratio {
        rate: of(|ratio| ratio.rate),
        cpu: of(|ratio| ratio.cpu),
    }
}

/// Rounds of the bare server and then each contestant with each call, so that noise which outlasts a phase meets
/// all of them.
pub async fn closed_rounds(
    rounds: usize,
    length: Duration,
    baseline: &Server,
    contestants: &mut [Contestant],
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<Ratios> {
    let seconds = length.as_secs();
    heading(&format!(
        "Closed loop: {CONNECTIONS} connections, {seconds} s each after a warm-up"
    ));
    line(COLUMNS);
    let mut ratios = Ratios::default();
    for round in 1..=rounds {
        let reference = closed_phase(baseline, Call::Baseline, data, length, mistakes).await?;
        reference.print(round, Call::Baseline.name(), None);
        for call in [Call::FindBySteam, Call::Count, Call::SteamChecks] {
            for contestant in &mut *contestants {
                let phase = closed_phase(&contestant.server, call, data, length, mistakes).await?;
                contestant.loaded_bytes = contestant.loaded_bytes.max(phase.private_bytes);
                let label = format!("{} {}", contestant.name, call.name());
                let ratio = phase.compared_with(&reference);
                phase.print(round, &label, Some(ratio));
                ratios.add(label, ratio);
            }
        }
    }
    ratios.print();
    Ok(ratios)
}

/// One call on one server in turn with the bare one, for as long as somebody wants to look at it.
pub async fn one_call_for(
    call: Call,
    seconds: usize,
    name: &str,
    server: &Server,
    baseline: &Server,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<()> {
    line(COLUMNS);
    let length = Duration::from_secs(4);
    let label = format!("{name} {}", call.name());
    let mut ratios = Ratios::default();
    // A phase takes a second to warm up, and each round has two of them.
    for round in 1..=seconds.div_ceil(10) {
        let reference = closed_phase(baseline, Call::Baseline, data, length, mistakes).await?;
        reference.print(round, Call::Baseline.name(), None);
        let phase = closed_phase(server, call, data, length, mistakes).await?;
        let ratio = phase.compared_with(&reference);
        phase.print(round, &label, Some(ratio));
        ratios.add(label.clone(), ratio);
    }
    ratios.print();
    Ok(())
}

/// A fixed rate, timed from the moment each request was due. Returns the p99 of the link page in milliseconds.
pub async fn open_phases(
    length: Duration,
    baseline: &Server,
    contestants: &[Contestant],
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<f64> {
    heading(&format!(
        "Open loop: findBySteam at {OPEN_PER_SECOND} requests a second, {} s",
        length.as_secs()
    ));
    line(COLUMNS);
    let rate = OPEN_PER_SECOND;
    let phase = open_phase(baseline, Call::Baseline, data, length, rate, mistakes).await?;
    phase.print(1, Call::Baseline.name(), None);
    for Contestant { name, server, .. } in contestants {
        let phase = open_phase(server, Call::FindBySteam, data, length, rate, mistakes).await?;
        phase.print(1, &format!("{name} findBySteam"), None);
    }
    let mut slowest_ms = 0.0_f64;
    for Contestant { name, server, .. } in contestants {
        let phase = open_phase(server, Call::LinkPage, data, length, PAGES_PER_SECOND, mistakes).await?;
        phase.print(1, &format!("{name} link page"), None);
        slowest_ms = slowest_ms.max(phase.p99_micros as f64 / 1000.0);
    }
    Ok(slowest_ms)
}
