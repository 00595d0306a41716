//! The product and the bare server under the same load, turn by turn.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::Fallible;
use crate::data::Dataset;
use crate::load::{CONNECTIONS, Call, Calls, Tally, Window, closed_loop, open_loop};
use crate::process::{Server, own_cpu_time};
use crate::report::{heading, line, median};

const WARM_UP: Duration = Duration::from_secs(1);
/// A busy evening of a few thousand game servers, and far below what the product can do.
const OPEN_PER_SECOND: u64 = 2_000;
const COLUMNS: &str =
    "round  phase                    req/s   p50 µs   p99 µs   server CPU µs   client CPU µs   ratio";

/// A running server and what was seen of its memory.
pub struct Contestant {
    pub name: &'static str,
    pub server: Server,
    pub idle_bytes: u64,
    /// The most at the end of any closed loop, its connections still open.
    pub loaded_bytes: u64,
}

/// Counts what was not answered as it should have been, over the whole run.
#[derive(Default)]
pub struct Mistakes(u64);

impl Mistakes {
    pub fn add(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.0 += count;
            line(&format!("WRONG: {count} x {what}"));
        }
    }

    pub fn none(&self) -> bool {
        self.0 == 0
    }
}

/// For each kind of phase its ratios to the bare server, one a round.
#[derive(Default)]
pub struct Ratios(Vec<(String, Vec<f64>)>);

impl Ratios {
    pub fn median_of(&self, label: &str) -> Option<f64> {
        let (_, ratios) = self.0.iter().find(|(known, _)| known == label)?;
        Some(median(ratios))
    }

    fn add(&mut self, label: String, ratio: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == label) {
            Some((_, ratios)) => ratios.push(ratio),
            None => self.0.push((label, vec![ratio])),
        }
    }

    fn print(&self) {
        line("");
        for (label, ratios) in &self.0 {
            let rounds: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
            line(&format!(
                "{label:<22} median ratio {:.3}   of {}",
                median(ratios),
                rounds.join(", ")
            ));
        }
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
        for call in [Call::FindBySteam, Call::Count] {
            for contestant in &mut *contestants {
                let phase = closed_phase(&contestant.server, call, data, length, mistakes).await?;
                contestant.loaded_bytes = contestant.loaded_bytes.max(phase.private_bytes);
                let label = format!("{} {}", contestant.name, call.name());
                let ratio = phase.per_second / reference.per_second;
                phase.print(round, &label, Some(ratio));
                ratios.add(label, ratio);
            }
        }
    }
    ratios.print();
    Ok(ratios)
}

/// One call on one server, a row of figures every five seconds, for as long as somebody wants to look at it.
pub async fn one_call_for(
    seconds: usize,
    name: &str,
    server: &Server,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<()> {
    line(COLUMNS);
    for row in 1..=seconds.div_ceil(5) {
        let phase = closed_phase(server, Call::FindBySteam, data, Duration::from_secs(4), mistakes).await?;
        phase.print(row, &format!("{name} findBySteam"), None);
    }
    Ok(())
}

/// A fixed rate, timed from the moment each request was due.
pub async fn open_phases(
    length: Duration,
    baseline: &Server,
    contestants: &[Contestant],
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<()> {
    heading(&format!(
        "Open loop: findBySteam at {OPEN_PER_SECOND} requests a second, {} s",
        length.as_secs()
    ));
    line(COLUMNS);
    let phase = open_phase(baseline, Call::Baseline, data, length, mistakes).await?;
    phase.print(1, Call::Baseline.name(), None);
    for contestant in contestants {
        let phase = open_phase(&contestant.server, Call::FindBySteam, data, length, mistakes).await?;
        phase.print(1, &format!("{} findBySteam", contestant.name), None);
    }
    Ok(())
}

/// The figures of one phase.
struct Phase {
    per_second: f64,
    p50_micros: u64,
    p99_micros: u64,
    server_micros: f64,
    client_micros: f64,
    private_bytes: u64,
}

impl Phase {
    fn new(tally: &Tally, length: Duration, used: CpuUse, private_bytes: u64) -> Self {
        let count = tally.latencies.count();
        let each = |total: Duration| total.as_secs_f64() * 1e6 / count.max(1) as f64;
        Self {
            per_second: count as f64 / length.as_secs_f64(),
            p50_micros: tally.latencies.quantile_micros(0.50),
            p99_micros: tally.latencies.quantile_micros(0.99),
            server_micros: each(used.server),
            client_micros: each(used.client),
            private_bytes,
        }
    }

    fn print(&self, round: usize, label: &str, ratio: Option<f64>) {
        let Self {
            per_second,
            p50_micros,
            p99_micros,
            server_micros,
            client_micros,
            ..
        } = self;
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        line(&format!(
            "{round:<6} {label:<20} {per_second:>9.0} {p50_micros:>8} {p99_micros:>8} {server_micros:>15.1} {client_micros:>15.1} {ratio:>7}"
        ));
    }
}

async fn closed_phase(
    server: &Server,
    call: Call,
    data: &Dataset,
    length: Duration,
    mistakes: &mut Mistakes,
) -> Fallible<Phase> {
    let (calls, tally) = (Calls::new(call, data), Arc::new(Tally::new()));
    let window = Window::new(WARM_UP, length);
    let (open, used) = tokio::join!(
        closed_loop(server.addr, &calls, window, &tally),
        cpu_use(server, window)
    );
    let open = open?;
    let phase = Phase::new(&tally, length, used?, server.private_bytes()?);
    drop(open);
    mistakes.add(tally.wrong(), &tally.first_wrong().unwrap_or_default());
    Ok(phase)
}

async fn open_phase(
    server: &Server,
    call: Call,
    data: &Dataset,
    length: Duration,
    mistakes: &mut Mistakes,
) -> Fallible<Phase> {
    let (calls, tally) = (Calls::new(call, data), Arc::new(Tally::new()));
    let window = Window::new(WARM_UP, length);
    let (addr, recorded) = (server.addr, Arc::clone(&tally));
    let load =
        tokio::task::spawn_blocking(move || open_loop(addr, &calls, OPEN_PER_SECOND, window, &recorded));
    let (ended, used) = tokio::join!(load, cpu_use(server, window));
    ended??;
    mistakes.add(tally.wrong(), &tally.first_wrong().unwrap_or_default());
    Ok(Phase::new(&tally, length, used?, server.private_bytes()?))
}

struct CpuUse {
    server: Duration,
    client: Duration,
}

/// Processor time spent within the window.
async fn cpu_use(server: &Server, window: Window) -> io::Result<CpuUse> {
    sleep_until(Instant::from_std(window.from)).await;
    let before = (server.cpu_time()?, own_cpu_time()?);
    sleep_until(Instant::from_std(window.until)).await;
    let after = (server.cpu_time()?, own_cpu_time()?);
    Ok(CpuUse {
        server: after.0 - before.0,
        client: after.1 - before.1,
    })
}
