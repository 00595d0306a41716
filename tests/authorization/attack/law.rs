//! What must never happen, whoever tries whatever.

use std::collections::BTreeMap;

use domain::permission::{Permission, PermissionSet, Role};
use serde_json::Value;
use storage::db::Statement;
use storage::testing::statement;
use testkit::{Reply, Tenant, TestApp};
use web::routes::{Access, RouteSpec};

use super::actor::{Actor, Call, LearnedIds, Standing, is_key, objects, standing_in};
use crate::secrecy::rows::Rows;

/// Whether somebody may have this, or hand it out.
fn covers((role, permissions): Standing, wanted: Standing) -> bool {
    wanted.0 <= role && wanted.1.is_subset_of(permissions)
}

/// A page's button and a trip to a provider succeed by sending the browser on.
pub fn succeeded(reply: &Reply) -> bool {
    let goes_on = reply
        .header("location")
        .is_some_and(|place| !place.contains("notice="));
    reply.status.is_success() || (reply.status == 303 && goes_on)
}

/// Who is what in the attacked Org, what each was ever given, and the other Org as it was.
pub struct Law {
    ours: Tenant,
    theirs: Tenant,
    standing: BTreeMap<i64, Standing>,
    given: BTreeMap<i64, Standing>,
    members: &'static Statement,
    others: Rows,
    others_before: Vec<String>,
}

impl Law {
    pub async fn begin(test: &TestApp, ours: &Tenant, theirs: &Tenant) -> Law {
        let others = Rows::of_org(&test.db.db, theirs.scope.num()).await;
        let num = ours.scope.num();
        let members = format!(
            "SELECT CAST(account_num AS TEXT) || ' ' || role || ' ' || CAST(permissions AS TEXT) FROM members \
             WHERE org_num = {num} UNION ALL \
             SELECT CAST(owner_account_num AS TEXT) || ' owner' FROM orgs WHERE num = {num}"
        )
        .leak();
        let mut law = Law {
            ours: ours.clone(),
            theirs: theirs.clone(),
            standing: BTreeMap::new(),
            given: BTreeMap::new(),
            members: statement(members, members),
            others_before: others.all(&test.db.db).await,
            others,
        };
        assert!(law.others_before.len() > 10, "{:?}", law.others_before);
        law.standing = law.members(test).await;
        law.given = law.standing.clone();
        law
    }

    /// After the Owner took somebody on.
    pub async fn look_again(&mut self, test: &TestApp) {
        self.standing = self.members(test).await;
    }

    pub fn standing(&self, actor: &Actor) -> Option<Standing> {
        self.standing.get(&actor.account.num.0).copied()
    }

    /// The Owner hands somebody an invitation.
    pub fn give(&mut self, actor: &Actor, standing: Standing) {
        self.given.insert(actor.account.num.0, standing);
    }

    /// Everybody of the attacked Org, by the number of their account.
    async fn members(&self, test: &TestApp) -> BTreeMap<i64, Standing> {
        let rows: Vec<String> = test.db.db.list(self.members, &[]).await.expect("members");
        let read = rows.iter().map(|row| {
            let mut parts = row.split(' ');
            let account = parts.next().and_then(|num| num.parse().ok());
            let role = parts.next().and_then(Role::parse);
            let bits = parts.next().map_or(Some(PermissionSet::ALL), |bits| {
                bits.parse().ok().and_then(PermissionSet::from_bits)
            });
            (
                account.expect("a number"),
                (role.expect("a role"), bits.expect("a set")),
            )
        });
        read.collect()
    }

    /// Holds an answer, and what it changed, against the law.
    pub async fn judge(
        &mut self,
        test: &TestApp,
        route: &RouteSpec,
        (actor, call, reply): (&Actor, &Call, &Reply),
        known: &LearnedIds,
    ) -> Result<(), String> {
        // The Stripe of these tests is silent.
        if reply.status.is_server_error() && !reply.text().contains("BILLING_UNAVAILABLE") {
            return Err(format!("a failure of ours: {}", reply.text()));
        }
        let before = self.standing(actor);
        let is_ours = call.uri.contains(self.ours.org.as_str());
        let is_done = succeeded(reply);
        if is_done && matches!(route.access, Access::Bot | Access::Sender) {
            return Err("what is for programs answered a person".to_owned());
        }
        if is_done && route.access == Access::Operator && !actor.is_operator {
            return Err("the operators' routes answered somebody else".to_owned());
        }
        // Operators look at every Org.
        if is_done && route.access != Access::Operator {
            self.judge_access(route, before, call)?;
            if is_ours {
                judge_secrets(before, reply)?;
                judge_revocation(route, before, call, known)?;
            }
        }
        let now = self.members(test).await;
        let is_about_member = is_ours && is_done && route.path == "/orgs/{org}/team/{account}";
        self.judge_changes(actor, before.filter(|_| is_about_member), &now)?;
        self.standing = now;
        for (account, standing) in &self.standing {
            match self.given.get(account) {
                Some(given) if covers(*given, *standing) => {}
                given => {
                    return Err(format!(
                        "account {account} is {standing:?} and was given no more than {given:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Success takes what the table says.
    fn judge_access(&self, route: &RouteSpec, before: Option<Standing>, call: &Call) -> Result<(), String> {
        let of_others = |tenant: &Tenant| call.uri.contains(tenant.org.as_str());
        if of_others(&self.theirs) {
            return Err("another Org answered".to_owned());
        }
        if !of_others(&self.ours) {
            return Ok(());
        }
        let holds = |permission: Permission| before.is_some_and(|(_, set)| set.contains(permission));
        let may = match route.access {
            Access::Public | Access::PluginKey | Access::SignedIn | Access::Operator => true,
            Access::Bot | Access::Sender => false,
            Access::Member => before.is_some(),
            Access::Permission(permission) => holds(permission),
            Access::Owner(_) => before.is_some_and(|(role, _)| role == Role::Owner),
        };
        may.then_some(())
            .ok_or_else(|| format!("{:?} was let in as {before:?}", route.access))
    }

    /// Whoever changed or removed a member outranked them, and gave nothing that they lacked. People leave by themselves.
    fn judge_changes(
        &mut self,
        actor: &Actor,
        by: Option<Standing>,
        now: &BTreeMap<i64, Standing>,
    ) -> Result<(), String> {
        for (account, before) in &self.standing {
            let after = now.get(account);
            if after == Some(before) || (after.is_none() && *account == actor.account.num.0) {
                continue;
            }
            let by = by.ok_or_else(|| format!("account {account} was {before:?} and is {after:?}"))?;
            let outranks = by.0 == Role::Owner || by.0 > before.0;
            let gives_own = after.is_none_or(|after| covers(by, (after.0, after.1.difference(before.1))));
            if !outranks || !gives_own {
                return Err(format!("{by:?} made {after:?} of {before:?}"));
            }
            if let Some((role, set)) = after {
                let given = self.given.entry(*account).or_insert((*role, *set));
                *given = (given.0.max(*role), given.1.iter().chain(set.iter()).collect());
            }
        }
        Ok(())
    }

    /// Nothing of the other Org has changed.
    pub async fn judge_others(&self, test: &TestApp) -> Result<(), String> {
        let now = self.others.all(&test.db.db).await;
        if now == self.others_before {
            return Ok(());
        }
        let new = now.iter().filter(|line| !self.others_before.contains(line));
        let gone = self.others_before.iter().filter(|line| !now.contains(line));
        Err(format!(
            "the other Org changed: {:#?} in place of {:#?}",
            new.collect::<Vec<_>>(),
            gone.collect::<Vec<_>>()
        ))
    }
}

/// Keys are shown to those who hold them, and the address of an invitation to those who could have made it.
fn judge_secrets(viewer: Option<Standing>, reply: &Reply) -> Result<(), String> {
    let viewer = viewer.ok_or("a stranger got an answer")?;
    let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    for object in objects(&json) {
        let is_shown =
            |name: &str, is: fn(&str) -> bool| object.get(name).and_then(Value::as_str).is_some_and(is);
        if is_shown("key", is_key) && !viewer.1.contains(Permission::ServersKeys) {
            return Err(format!("{viewer:?} was shown a key"));
        }
        if is_shown("url", |url| url.contains("/invite/")) {
            let made = standing_in(object).ok_or("an invitation without a role")?;
            if !covers(viewer, made) {
                return Err(format!("{viewer:?} was shown an invitation to be {made:?}"));
            }
        }
    }
    Ok(())
}

/// Only who could have made an invitation ends it.
fn judge_revocation(
    route: &RouteSpec,
    by: Option<Standing>,
    call: &Call,
    known: &LearnedIds,
) -> Result<(), String> {
    if route.path != "/orgs/{org}/invites/{invite}/revoke" {
        return Ok(());
    }
    let id = call.uri.split('/').find(|part| part.starts_with("inv_"));
    let made = id.and_then(|id| known.invites.get(id)).copied();
    match (by, made) {
        (Some(by), Some(made)) if !covers(by, made) => {
            Err(format!("{by:?} revoked an invitation to be {made:?}"))
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}
