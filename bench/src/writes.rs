//! Writes through the library: durable links, alone and together, and the regeneration of keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use app::App;
use app::linking::links::{LinkRequest, Linked, link};
use domain::audit::Actor;
use domain::platform_id::{DiscordId, SteamId};
use storage::tenancy::guilds;
use storage::{OrgScope, doctor};
use tokio::task::JoinSet;

use crate::Fallible;
use crate::data::{Dataset, TENANTS, discord_id, steam_id};
use crate::histogram::Histogram;
use crate::phase::Mistakes;
use crate::report::{line, median};

const WRITERS: usize = 64;

/// The open store, the scope of each tenant, and the number of the next link to make.
pub struct Writing {
    app: App,
    data: Arc<Dataset>,
    scopes: Vec<OrgScope>,
    next_link: AtomicU64,
}

impl Writing {
    pub async fn new(app: App, data: &Arc<Dataset>) -> Fallible<Arc<Self>> {
        let mut scopes = Vec::new();
        for tenant in &data.tenants {
            let scope = guilds::find_org(&app.db, &tenant.guild).await?;
            scopes.push(scope.ok_or("a seeded Guild is missing")?);
        }
        let next_link = AtomicU64::new(data.links());
        Ok(Arc::new(Self {
            app,
            data: Arc::clone(data),
            scopes,
            next_link,
        }))
    }

    /// Links a second with many writers and with one, turn by turn; gives the median factor between them.
    pub async fn durable_links(
        self: &Arc<Self>,
        name: &str,
        rounds: usize,
        length: Duration,
        mistakes: &mut Mistakes,
    ) -> Fallible<f64> {
        let (mut alone, mut together, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let one = self.links_per_second(1, length, mistakes).await?;
            let many = self.links_per_second(WRITERS, length, mistakes).await?;
            factors.push(many / one);
            alone.push(one);
            together.push(many);
        }
        let all: Vec<String> = factors.iter().map(|factor| format!("{factor:.2}")).collect();
        line(&format!(
            "{name:<10} one writer {:>7.0}/s   {WRITERS} writers {:>7.0}/s   median factor {:.2} of {}",
            median(&alone),
            median(&together),
            median(&factors),
            all.join(", ")
        ));
        Ok(median(&factors))
    }

    async fn links_per_second(
        self: &Arc<Self>,
        writers: usize,
        length: Duration,
        mistakes: &mut Mistakes,
    ) -> Fallible<f64> {
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        for _ in 0..writers {
            let writing = Arc::clone(self);
            tasks.spawn(async move {
                let (mut made, mut failed) = (0, 0);
                while begun.elapsed() < length {
                    match writing.link_next().await {
                        Ok(()) => made += 1,
                        Err(_) => failed += 1,
                    }
                }
                (made, failed)
            });
        }
        let mut total = 0;
        while let Some(ended) = tasks.join_next().await {
            let (made, failed) = ended?;
            total += made;
            mistakes.add(failed, "a link was not made");
        }
        Ok(f64::from(total) / begun.elapsed().as_secs_f64())
    }

    async fn link_next(&self) -> Fallible<()> {
        let number = self.next_link.fetch_add(1, Relaxed);
        let tenant = (number % TENANTS) as usize;
        let request = LinkRequest {
            guild: self.data.tenants[tenant].guild.clone(),
            discord_id: DiscordId::parse(&discord_id(number).to_string())?,
            steam_id: SteamId::parse(&steam_id(number).to_string())?,
            country: None,
        };
        match link(&self.app, self.scopes[tenant], request, Actor::System).await {
            Ok(Linked::Created { .. }) => Ok(()),
            Ok(Linked::Already { .. }) => Err("the pair was linked already".into()),
            Err(error) => Err(error.internal_detail().into()),
        }
    }

    /// Regenerates keys one after the other, each of another Server.
    pub async fn regenerations(&self, name: &str, times: usize) -> Fallible<()> {
        let latencies = Histogram::new();
        for (tenant, scope) in self.data.tenants.iter().zip(&self.scopes).cycle().take(times) {
            let begun = Instant::now();
            let answer =
                app::keys::plugin_keys::regenerate(&self.app, *scope, tenant.server.clone(), Actor::System)
                    .await;
            answer.map_err(|error| error.internal_detail())?;
            latencies.record(begun.elapsed());
        }
        line(&format!(
            "{name:<10} p50 {:>6} µs   p99 {:>6} µs   of {times}",
            latencies.quantile_micros(0.50),
            latencies.quantile_micros(0.99)
        ));
        Ok(())
    }

    /// Closes the store after every invariant of the data was checked.
    pub async fn finish(&self, name: &str, mistakes: &mut Mistakes) -> Fallible<()> {
        let findings = doctor::examine(&self.app.db).await?;
        for finding in &findings {
            mistakes.add(1, finding);
        }
        let made = self.next_link.load(Relaxed) - self.data.links();
        line(&format!(
            "{name:<10} {made} links added, {} invariants broken",
            findings.len()
        ));
        self.app.db.close().await;
        Ok(())
    }
}
