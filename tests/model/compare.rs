//! What is, against what should be.

use app::tenancy::orgs;
use testkit::{Reply, discord, steam};

use super::driver::{Driver, Outcome};

/// The first difference between what is and what should be.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, real: &T, model: &T) -> Outcome {
    if real == model {
        Ok(())
    } else {
        Err(format!("{what}: {real:?} instead of {model:?}"))
    }
}

fn told(reply: &Reply) -> (u16, String) {
    let status = reply.status.as_u16();
    (
        status,
        if status == 200 {
            reply.text().to_owned()
        } else {
            reply.code()
        },
    )
}

impl Driver {
    /// Every key answers as the model says.
    pub async fn compare_answers(&self) -> Outcome {
        for (at, server) in self.servers.iter().enumerate() {
            let reply = self.test.plugin(&server.key).get("/api?action=count").await;
            same("key", &told(&reply), &self.model.answer(at))?;
        }
        if let Some(key) = self.dead.last() {
            let reply = self.test.plugin(key).get("/api?action=count").await;
            same("dead key", &told(&reply), &(401, "UNAUTHORIZED".to_owned()))?;
        }
        Ok(())
    }

    /// Rows and counters are those of the model.
    pub async fn compare_rows(&self) -> Outcome {
        let org = orgs::get(&self.test.app, &self.tenant.org)
            .await
            .map_err(|error| error.internal_detail())?;
        let counters = (org.links, org.servers, org.tier);
        same(
            "counters",
            &counters,
            &(
                self.model.total(),
                self.model.servers.len() as i64,
                self.model.tier,
            ),
        )?;
        let rows = self.rows().await;
        let new = &rows[..rows.len() - self.history];
        let mut stored: Vec<_> = new
            .iter()
            .map(|row| {
                (
                    row.discord_id.clone(),
                    row.steam_id.clone(),
                    row.end_cause.clone(),
                )
            })
            .collect();
        let text = |player: u64, account: u64| {
            (
                discord(player).as_str().to_owned(),
                steam(account).as_str().to_owned(),
            )
        };
        let active = self
            .model
            .links
            .iter()
            .map(|(player, account)| (text(*player, *account), None));
        let ended = self
            .model
            .ended
            .iter()
            .map(|(player, account, cause)| (text(*player, *account), Some((*cause).to_owned())));
        let mut expected: Vec<_> = active
            .chain(ended)
            .map(|((player, account), cause)| (player, account, cause))
            .collect();
        stored.sort();
        expected.sort();
        same("rows", &stored, &expected)?;
        let findings = storage::doctor::examine(&self.test.db.db)
            .await
            .map_err(|error| error.to_string())?;
        same("invariants", &findings, &Vec::new())
    }
}
