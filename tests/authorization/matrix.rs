//! Every route against every kind of caller.

use app::tenancy::{invites, servers, team};
use axum::body::Body;
use domain::audit::Actor;
use domain::permission::{Permission, PermissionSet, Role};
use http::Method;
use testkit::{Client, Engine, Reply, Tenant, both_databases};
use web::routes::{Access, RouteSpec};

use super::callers::{BELOW_API, EVERYONE, Outcome, Who, outcome};
use super::examples::{Example, example, prefixes};
use super::world::World;
use crate::secrecy::rows::is_of;

const DENIED: (u16, &str) = (403, "MISSING_PERMISSION");

impl World {
    /// Everybody at one route. Below `/api` stands the same handler, so a few are enough there.
    async fn check_all(&self, route: &RouteSpec) {
        let permission = match route.access {
            Access::Permission(permission) | Access::Owner(permission) => Some(permission),
            Access::Public
            | Access::PluginKey
            | Access::SignedIn
            | Access::Member
            | Access::Operator
            | Access::Bot
            | Access::Sender => None,
        };
        for prefix in prefixes(route) {
            let here = |who: &Who| prefix.is_empty() || BELOW_API.contains(who);
            let (changing, leaving): (Vec<Who>, Vec<Who>) = EVERYONE
                .into_iter()
                .filter(here)
                // Whether something changes does not hang on what a success is called.
                .partition(|who| changes(&outcome(route, 200, *who)));
            if !leaving.is_empty() {
                self.check_some(route, prefix, permission, &leaving).await;
            }
            for who in changing {
                self.check_some(route, prefix, permission, &[who]).await;
            }
        }
    }

    /// What a call acts on: members with what the route asks for, and a Server and an invitation that may be changed or
    /// deleted. Callers who change nothing share it.
    async fn check_some(
        &self,
        route: &RouteSpec,
        prefix: &str,
        permission: Option<Permission>,
        callers: &[Who],
    ) {
        self.grant(permission).await;
        let (app, created) = (&self.test.app, self.short_lived().await);
        let (invite, code) = self.test.invite(&self.ours, Role::Staff, &[]).await;
        let target = self.target(&created.id, &invite, code).await;
        let call = example(route, &target).below(prefix);
        let mut clients = Vec::new();
        for who in callers {
            clients.push((*who, self.client(*who, created.key.expose()).await));
        }
        let mut stored = self.stored(&outcome(route, call.success, callers[0])).await;
        for (who, client) in clients {
            stored = self.check(route, &call, (who, &client), &created, stored).await;
        }
        // Gone already where the call deleted it, and nobody may own many Orgs.
        drop(servers::delete(app, self.ours.scope, created.id, Actor::System).await);
        drop(invites::revoke(app, self.ours.scope, self.ours.owner_actor(), invite).await);
    }

    /// One caller at one route. Takes everything that was stored before the call and returns what is stored after it.
    async fn check(
        &self,
        route: &RouteSpec,
        call: &Example,
        (who, client): (Who, &Client),
        created: &servers::CreatedServer,
        before: Vec<String>,
    ) -> Vec<String> {
        let expected = outcome(route, call.success, who);
        let reply = call.send(client).await;
        self.test.settle().await;
        let after = self.stored(&expected).await;
        let place = format!("{who:?} at {} {}", call.method, call.uri);
        match expected {
            Outcome::Success => {
                assert_eq!(reply.status.as_u16(), call.success, "{place}: {}", reply.text());
                let foreign = matches!(who, Who::ForeignMember | Who::ForeignOwner);
                let is_theirs = route.access == Access::SignedIn && foreign;
                let others = if is_theirs { &self.ours } else { &self.theirs };
                if route.access != Access::Operator {
                    self.assert_silent_about(others, &reply, &place);
                }
            }
            Outcome::Shown(status) => {
                assert_eq!(reply.status.as_u16(), status, "{place}: {}", reply.text());
                assert_eq!(before, after, "{place}");
                self.assert_silent_about(&self.theirs, &reply, &place);
                self.assert_sent_on(route, &reply, &place);
            }
            Outcome::Joins => {
                assert_eq!(reply.status, 303, "{place}: {}", reply.text());
                self.assert_sent_on(route, &reply, &place);
                self.assert_joined(who, &place).await;
            }
            Outcome::Refused(status, code) => {
                let told = (reply.status.as_u16(), reply.code());
                assert_eq!(told, (status, code.to_owned()), "{place}");
                assert_eq!(before, after, "{place}");
                self.assert_silent_about(&self.ours, &reply, &place);
                assert!(!reply.text().contains(&created.key.expose()[..12]), "{place}");
                assert!(!reply.text().contains(created.id.as_str()), "{place}");
            }
            Outcome::Denied(permission) => {
                assert_eq!(reply.json()["permission"], permission.as_str(), "{place}");
                let lacking = format!(r#""permission":"{permission}""#);
                self.assert_noted(&reply, DENIED, (&before, &after), (lacking, who), &place)
                    .await;
            }
            Outcome::Noted(status, code, role) => {
                let lacking = format!(r#""role":"{role}""#);
                self.assert_noted(&reply, (status, code), (&before, &after), (lacking, who), &place)
                    .await;
            }
        }
        if route.path == "/orgs" && reply.status == 201 {
            remove_org(client, &reply).await;
        }
        after
    }

    /// A refusal that leaves an entry in the audit log, and nothing else.
    async fn assert_noted(
        &self,
        reply: &Reply,
        refusal: (u16, &str),
        (before, after): (&[String], &[String]),
        lacking: (String, Who),
        place: &str,
    ) {
        let told = reply.code();
        assert_eq!((reply.status.as_u16(), told.as_str()), refusal, "{place}");
        self.assert_only_noted(before, after, lacking, place).await;
        self.assert_silent_about(&self.ours, reply, place);
    }

    /// Everything that is stored, where it may not change.
    async fn stored(&self, expected: &Outcome) -> Vec<String> {
        if changes(expected) {
            return Vec::new();
        }
        self.rows.all(&self.test.db.db).await
    }

    /// A denied call leaves one audit entry and no other trace.
    async fn assert_only_noted(
        &self,
        before: &[String],
        after: &[String],
        (lacking, who): (String, Who),
        place: &str,
    ) {
        let account = self.account(who).await.expect("somebody with an account");
        let others = |lines: &[String]| -> Vec<String> {
            let other = |line: &&String| !is_of(line, "audit") && !is_of(line, "audit_heads");
            lines.iter().filter(other).cloned().collect()
        };
        assert_eq!(others(before), others(after), "{place}");
        let added: Vec<&String> = after
            .iter()
            .filter(|line| is_of(line, "audit") && !before.contains(line))
            .collect();
        assert_eq!(added.len(), 1, "{place}: {added:?}");
        // What a database shows of a text may have its quotes doubled.
        let entry = added[0].replace("\"\"", "\"");
        for part in ["access.denied", &lacking, account.id.as_str()] {
            assert!(entry.contains(part), "{place}: {added:?}");
        }
    }

    /// Where a browser is sent, it is a page of ours and the right one.
    fn assert_sent_on(&self, route: &RouteSpec, reply: &Reply, place: &str) {
        let expected = match (reply.status.as_u16(), route.path) {
            (303, "/invite/{code}/accept") => Some(format!("/app/orgs/{}", self.ours.org)),
            (303, "/app") => Some("/auth/discord/login?return_to=%2Fapp".to_owned()),
            (303, "/app/") => Some("/auth/discord/login?return_to=%2Fapp%2F".to_owned()),
            (303, "/app/admin") => Some("/auth/discord/login?return_to=%2Fapp%2Fadmin".to_owned()),
            (303, "/app/admin/") => Some("/auth/discord/login?return_to=%2Fapp%2Fadmin%2F".to_owned()),
            (303, "/app/admin/{*rest}") => {
                Some("/auth/discord/login?return_to=%2Fapp%2Fadmin%2Forgs".to_owned())
            }
            (303, _) => Some("/auth/discord/login?return_to=%2Fapp%2Forgs".to_owned()),
            (_, _) => None,
        };
        assert_eq!(reply.header("location"), expected.as_deref(), "{place}");
    }

    /// They are what the invitation says and nothing more; then they are a stranger again.
    async fn assert_joined(&self, who: Who, place: &str) {
        let account = self.account(who).await.expect("somebody with an account");
        let team = team::list(&self.test.app, self.ours.scope).await.expect("a team");
        let member = team.iter().find(|member| member.account == account.id);
        let standing = member.map(|member| (member.role, member.permissions));
        assert_eq!(standing, Some((Role::Staff, PermissionSet::EMPTY)), "{place}");
        team::remove(
            &self.test.app,
            self.ours.scope,
            self.ours.owner_actor(),
            account.id,
        )
        .await
        .expect("a stranger again");
    }

    fn assert_silent_about(&self, tenant: &Tenant, reply: &Reply, place: &str) {
        let number = if tenant.org == self.ours.org { 1 } else { 2 };
        let words = [
            tenant.org.to_string(),
            tenant.guild.to_string(),
            tenant.server.to_string(),
            tenant.discord_guild.to_string(),
            tenant.key[..12].to_owned(),
            format!("Org {number}"),
            format!("Guild {number}"),
            format!("Server {number}"),
        ];
        for word in words {
            assert!(
                !reply.text().contains(&word),
                "{place} tells {word}: {}",
                reply.text()
            );
        }
    }
}

/// Whether something else may be stored after a call than before it.
fn changes(expected: &Outcome) -> bool {
    match expected {
        Outcome::Success | Outcome::Joins => true,
        Outcome::Shown(_) | Outcome::Refused(..) | Outcome::Denied(_) | Outcome::Noted(..) => false,
    }
}

/// Removes the Org that an answer says was made.
async fn remove_org(owner: &Client, made: &Reply) {
    let made = made.json();
    let (org, slug) = (made["id"].as_str().expect("an id"), &made["slug"]);
    let body = Body::from(format!(r#"{{"confirm":{slug}}}"#));
    let reply = owner.send(Method::DELETE, &format!("/orgs/{org}"), body).await;
    assert_eq!(reply.status, 204);
}

/// Routes are tried a few at a time: what is stored is compared around every refused call, and it grows.
const AT_A_TIME: usize = 6;

async fn walk(engine: Engine, part: usize) {
    let table = web::table();
    let mine: Vec<&RouteSpec> = table.iter().skip(part).step_by(PARTS).collect();
    assert!(mine.len() > 10);
    for routes in mine.chunks(AT_A_TIME) {
        let world = World::new(engine).await;
        for route in routes {
            // Whatever changes something without asking who it is says what stops strangers.
            let is_form = route.access == Access::Public && route.method != Method::GET;
            assert_eq!(route.stop.is_some(), is_form, "{} {}", route.method, route.path);
            world.check_all(route).await;
        }
        world.test.finish().await;
    }
}

/// Together these cover the whole table.
const PARTS: usize = 4;

both_databases! {
    async fn every_route_answers_every_kind_of_caller_as_the_table_says_1_of_4(engine) {
        walk(engine, 0).await;
    }

    async fn every_route_answers_every_kind_of_caller_as_the_table_says_2_of_4(engine) {
        walk(engine, 1).await;
    }

    async fn every_route_answers_every_kind_of_caller_as_the_table_says_3_of_4(engine) {
        walk(engine, 2).await;
    }

    async fn every_route_answers_every_kind_of_caller_as_the_table_says_4_of_4(engine) {
        walk(engine, 3).await;
    }
}
