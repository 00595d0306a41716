//! One server under one kind of load for a few seconds, and the figures of it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::Fallible;
use crate::data::Dataset;
use crate::load::{Call, Calls, Tally, Window, closed_loop, open_loop};
use crate::process::{Server, own_cpu_time};
use crate::report::line;

pub const WARM_UP: Duration = Duration::from_secs(1);

pub const COLUMNS: &str =
    "                                                             CPU µs for each request
round  phase                    req/s   p50 µs   p99 µs   server  database   client     ratio    by CPU";

/// The figures of one phase; processor times are for each request.
pub struct Phase {
    pub per_second: f64,
    pub p50_micros: u64,
    pub p99_micros: u64,
    pub server_micros: f64,
    /// PostgreSQL's processes that work for this server.
    database_micros: f64,
    pub client_micros: f64,
    /// At the end, with the connections of a closed loop still open.
    pub private_bytes: u64,
}

/// How a phase compares with the bare server's.
#[derive(Clone, Copy)]
pub struct Ratio {
    /// Of requests in a second.
    pub rate: f64,
    /// Of processor time for a request, everybody's together. Others who use the machine hardly move it.
    pub cpu: f64,
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
            database_micros: each(used.database),
            client_micros: each(used.client),
            private_bytes,
        }
    }

    pub fn compared_with(&self, reference: &Phase) -> Ratio {
        let all = |phase: &Phase| phase.server_micros + phase.database_micros + phase.client_micros;
        Ratio {
            rate: self.per_second / reference.per_second,
            cpu: all(reference) / all(self),
        }
    }

    pub fn print(&self, round: usize, label: &str, ratio: Option<Ratio>) {
        let ratio = ratio.map_or(String::new(), |Ratio { rate, cpu }| {
            format!("{rate:>9.3} {cpu:>9.3}")
        });
        let row = format!(
            "{round:<6} {label:<20} {:>9.0} {:>8} {:>8} {:>8.1} {:>9.1} {:>8.1} {ratio}",
            self.per_second,
            self.p50_micros,
            self.p99_micros,
            self.server_micros,
            self.database_micros,
            self.client_micros
        );
        line(row.trim_end());
    }
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

pub async fn closed_phase(
    server: &Server,
    call: Call,
    data: &Dataset,
    length: Duration,
    mistakes: &mut Mistakes,
) -> Fallible<Phase> {
    let (calls, tally) = (Calls::new(call, data), Arc::new(Tally::new()));
    let window = Window::new(WARM_UP, length);
    let load = closed_loop(server.addr, &calls, window, &tally);
    let (open, used) = tokio::join!(load, cpu_use(server, window));
    let open = open?;
    let phase = Phase::new(&tally, length, used?, server.private_bytes()?);
    drop(open);
    mistakes.add(tally.wrong(), &tally.first_wrong().unwrap_or_default());
    Ok(phase)
}

pub async fn open_phase(
    server: &Server,
    call: Call,
    data: &Dataset,
    length: Duration,
    per_second: u64,
    mistakes: &mut Mistakes,
) -> Fallible<Phase> {
    let (calls, tally) = (Calls::new(call, data), Arc::new(Tally::new()));
    let window = Window::new(WARM_UP, length);
    let (addr, recorded) = (server.addr, Arc::clone(&tally));
    let load = tokio::task::spawn_blocking(move || open_loop(addr, &calls, per_second, window, &recorded));
    let (ended, used) = tokio::join!(load, cpu_use(server, window));
    ended??;
    mistakes.add(tally.wrong(), &tally.first_wrong().unwrap_or_default());
    Ok(Phase::new(&tally, length, used?, server.private_bytes()?))
}

struct CpuUse {
    server: Duration,
    database: Duration,
    client: Duration,
}

/// Processor time spent within the window.
async fn cpu_use(server: &Server, window: Window) -> io::Result<CpuUse> {
    sleep_until(Instant::from_std(window.from)).await;
    let before = cpu_times(server)?;
    sleep_until(Instant::from_std(window.until)).await;
    let after = cpu_times(server)?;
    Ok(CpuUse {
        server: after.server.saturating_sub(before.server),
        database: after.database.saturating_sub(before.database),
        client: after.client.saturating_sub(before.client),
    })
}

fn cpu_times(server: &Server) -> io::Result<CpuUse> {
    Ok(CpuUse {
        server: server.cpu_time()?,
        database: server.helpers_cpu_time(),
        client: own_cpu_time()?,
    })
}
