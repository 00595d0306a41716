//! A new rule in a large Guild: how long it takes to play it through, and what it costs others that all are marked.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use domain::job::LaneKind;
use storage::migrate::Migrate;
use storage::{Db, jobs};

use crate::Fallible;
use crate::data::{Dataset, LARGE_LINKS, VIP_ROLE};
use crate::load::Call;
use crate::phase::{COLUMNS, Mistakes, WARM_UP, open_phase};
use crate::process::Server;
use crate::removal::{ALWAYS_FINE_MS, LOOK_EVERY, PER_SECOND, sign_in};
use crate::report::{Target, heading, line};
use crate::store::{Binaries, Store};

/// What was found, at its worst.
pub struct Found {
    dry_run: Duration,
    /// By how much the p99 passes what is allowed: twice that of the same calls at rest, or 5 ms.
    p99: f64,
}

impl Found {
    pub fn targets(&self) -> [Target; 2] {
        let most = |what, goal, unit, figure| Target {
            what,
            goal,
            at_least: false,
            unit,
            figure: Some(figure),
        };
        [
            most(
                "dry run of a rule for a large Guild",
                5.0,
                " s",
                self.dry_run.as_secs_f64(),
            ),
            most(
                "findBySteam while all are marked, p99 of allowed",
                1.0,
                "",
                self.p99,
            ),
        ]
    }
}

pub async fn new_rule(
    length: Duration,
    stores: &[Store],
    binaries: &Binaries,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<Found> {
    heading(&format!(
        "A new rule for a Guild of {LARGE_LINKS} links beside findBySteam at {PER_SECOND} requests a second of others"
    ));
    line(COLUMNS);
    let mut found = Found {
        dry_run: Duration::ZERO,
        p99: 0.0,
    };
    let mut ends = Vec::new();
    for store in stores {
        let cookie = sign_in(store, data).await?;
        let server = store.serve_ready(binaries).await?;
        let rest = open_phase(&server, Call::FindBySteam, data, length, PER_SECOND, mistakes).await?;
        rest.print(1, &format!("{} at rest", store.name), None);
        let beside = open_phase(&server, Call::FindBySteam, data, length, PER_SECOND, mistakes);
        let (beside, took) = tokio::join!(beside, save(store, &server, &cookie, data));
        let (beside, (dry_run, marked)) = (beside?, took?);
        beside.print(1, &format!("{} new rule", store.name), None);
        ends.push(format!(
            "{:<10} dry run in {:.2} s, all marked after {:.1} s",
            store.name,
            dry_run.as_secs_f64(),
            marked.as_secs_f64()
        ));
        let ms = |micros: u64| micros as f64 / 1000.0;
        let allowed = (2.0 * ms(rest.p99_micros)).max(ALWAYS_FINE_MS);
        found.p99 = found.p99.max(ms(beside.p99_micros) / allowed);
        found.dry_run = found.dry_run.max(dry_run);
    }
    line("");
    for end in ends {
        line(&end);
    }
    Ok(found)
}

/// Plays a rule through and saves it. Returns how long the first took, and how long it took until all were marked.
async fn save(
    store: &Store,
    server: &Server,
    cookie: &str,
    data: &Dataset,
) -> Fallible<(Duration, Duration)> {
    let db = Db::open_beside(store.options(Migrate::Require)).await?;
    let rule = format!(
        r#"{{"group":"vip","role_id":"{VIP_ROLE}","direction":"to_discord","authority":"game","on_loss":"remove"}}"#
    );
    let address = format!("/orgs/{}/servers/{}/roles", data.large.org, data.large.server);
    tokio::time::sleep(WARM_UP).await;
    let begun = Instant::now();
    let body = format!(r#"{{"rules":[{rule}]}}"#);
    let answer = ask(
        server.addr,
        cookie,
        ("POST", &format!("{address}/dry-run")),
        &body,
    )
    .await?;
    let dry_run = begun.elapsed();
    let expected = format!(r#""add":{}"#, LARGE_LINKS / 2);
    if !answer.contains(&expected) {
        let start: String = answer.chars().take(600).collect();
        return Err(format!("the dry run was answered with {start}").into());
    }
    let body = format!(r#"{{"revision":0,"rules":[{rule}]}}"#);
    let begun = Instant::now();
    let answer = ask(server.addr, cookie, ("PUT", &address), &body).await?;
    if !answer.starts_with("HTTP/1.1 200") {
        return Err(format!("the rule was answered with {answer}").into());
    }
    let marks = |waiting: &jobs::Waiting| waiting.lanes == LaneKind::Guild.as_str();
    while jobs::count_waiting(&db).await?.iter().any(marks) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let marked = begun.elapsed();
    db.close().await;
    Ok((dry_run, marked))
}

pub async fn ask(
    addr: SocketAddr,
    cookie: &str,
    (method, path): (&str, &str),
    body: &str,
) -> Fallible<String> {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(addr)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        std::io::Result::Ok(answer)
    });
    Ok(asked.await??)
}
