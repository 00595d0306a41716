//! How long a restart is felt: from starting the process to the first right answer.

use std::time::{Duration, Instant};

use crate::data::Dataset;
use crate::load::{Call, Calls, ask_once};
use crate::report::{heading, line, median};
use crate::store::{Binaries, Store};
use crate::{Fallible, phase::Mistakes};

const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN_TRIES: Duration = Duration::from_millis(1);

/// The median over `starts`, in seconds. Each start follows a kill, so recovery is part of it.
pub fn cold_starts(
    starts: usize,
    store: &Store,
    binaries: &Binaries,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<f64> {
    let calls = Calls::new(Call::FindBySteam, data);
    let mut seconds = Vec::new();
    for number in 0..starts as u64 {
        let begun = Instant::now();
        let mut server = store.serve(binaries)?;
        // Nobody listens at first, so failures to connect are part of the wait.
        let right = loop {
            match ask_once(server.addr, &calls, number) {
                Ok(right) => break right,
                Err(_) => server.must_run()?,
            }
            if begun.elapsed() > PATIENCE {
                return Err("the server does not answer after a start".into());
            }
            std::thread::sleep(BETWEEN_TRIES);
        };
        seconds.push(begun.elapsed().as_secs_f64());
        mistakes.add(u64::from(!right), "the first answer after a start");
    }
    heading("Cold start: from spawn to the first findBySteam");
    let all: Vec<String> = seconds.iter().map(|each| format!("{:.0}", each * 1e3)).collect();
    line(&format!(
        "{:<10} median {:.0} ms of {} ms",
        store.name,
        median(&seconds) * 1e3,
        all.join(", ")
    ));
    Ok(median(&seconds))
}
