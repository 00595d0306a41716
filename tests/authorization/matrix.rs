//! Every route against every kind of caller.

use app::identity::accounts::{self, Account};
use app::identity::sessions;
use app::tenancy::{invites, orgs, servers, team};
use axum::body::Body;
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::id::{InviteId, ServerId};
use domain::name::DisplayName;
use domain::permission::{Permission, PermissionSet, Role};
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Engine, Reply, Tenant, TestApp, both_databases};
use web::routes::{Access, RouteSpec};

use super::callers::{BELOW_API, EVERYONE, Outcome, Who, outcome};
use super::examples::{Target, example, prefixes};
use crate::secrecy::rows::{Rows, is_of};

const WITHOUT: u64 = 11;
const WITH: u64 = 12;
const FOREIGN: u64 = 10;
const OPERATOR: u64 = 13;
/// Somebody of the team who is changed and removed.
const HELPER: u64 = 14;
const OPERATOR_MEMBER: u64 = 15;
const DENIED: (u16, &str) = (403, "MISSING_PERMISSION");

struct World {
    test: TestApp,
    rows: Rows,
    ours: Tenant,
    theirs: Tenant,
    expired: String,
    custom_key: String,
    bot_key: String,
}

impl World {
    async fn new(engine: Engine) -> World {
        let test = TestApp::start_with(
            engine,
            |limits| {
                limits.dashboard.burst = 10_000;
                limits.link_starts.burst = 10_000;
                limits.link_steps.burst = 10_000;
            },
            |_| {},
        )
        .await;
        let (ours, theirs) = (
            test.full_tenant(1, Tier::Pro).await,
            test.full_tenant(2, Tier::Pro).await,
        );
        let expired = sessions::start(&test.app, &ours.owner, 1)
            .await
            .expect("a session");
        for number in [OPERATOR, OPERATOR_MEMBER] {
            let operator = test.account(number).await;
            accounts::grant_operator(&test.app, operator)
                .await
                .expect("an operator");
        }
        test.member(&theirs, FOREIGN, Permission::ALL).await;
        let (_, custom_key) = test.custom_key(&ours, ActionSet::ALL, true).await;
        let bot_key = test.bot_key(&ours).await;
        test.clock.advance_ms(10);
        let rows = Rows::of(&test.db.db).await;
        World {
            test,
            rows,
            ours,
            theirs,
            expired: expired.expose().to_owned(),
            custom_key,
            bot_key,
        }
    }

    /// Everybody comes with a session of their own, since some calls end it.
    async fn client(&self, who: Who, key: &str) -> Client {
        let json = |client: Client| client.header("content-type", "application/json");
        if let Some(account) = self.account(who).await {
            return self.test.person(&self.test.session(&account).await);
        }
        match who {
            Who::PluginKey => json(self.test.plugin(key)),
            Who::CustomKey => json(self.test.plugin(&self.custom_key)),
            Who::BotKey => json(self.test.plugin(&self.bot_key)),
            Who::Garbage => self.test.person("garbage\u{7e}=;symbolon=x"),
            Who::Expired => self.test.person(&self.expired),
            Who::Nobody
            | Who::ForeignMember
            | Who::ForeignOwner
            | Who::Operator
            | Who::OperatorMember
            | Who::Without
            | Who::With
            | Who::Owner => json(self.test.client()),
        }
    }

    /// Who it is, if they are signed in.
    async fn account(&self, who: Who) -> Option<Account> {
        let number = match who {
            Who::ForeignOwner => return Some(self.theirs.owner.clone()),
            Who::Owner => return Some(self.ours.owner.clone()),
            Who::ForeignMember => FOREIGN,
            Who::Operator => OPERATOR,
            Who::OperatorMember => OPERATOR_MEMBER,
            Who::Without => WITHOUT,
            Who::With => WITH,
            Who::Nobody | Who::Garbage | Who::Expired | Who::PluginKey | Who::CustomKey | Who::BotKey => {
                return None;
            }
        };
        Some(self.test.account(number).await)
    }

    /// Both members are there with what this route asks for, whatever calls before did to them.
    async fn grant(&self, permission: Option<Permission>) {
        let mut only = PermissionSet::EMPTY;
        let mut others = PermissionSet::ALL;
        if let Some(permission) = permission {
            only.insert(permission);
            others = others.without(permission);
        }
        for (number, role, set) in [
            (WITHOUT, Role::Staff, others),
            (WITH, Role::Admin, only),
            (HELPER, Role::Staff, PermissionSet::EMPTY),
            (OPERATOR_MEMBER, Role::Staff, PermissionSet::EMPTY),
        ] {
            let account = self.test.account(number).await;
            let (app, scope) = (&self.test.app, self.ours.scope);
            orgs::add_member(app, scope, &account, role)
                .await
                .expect("a member");
            self.test.set_permissions(&self.ours, &account, set).await;
        }
    }

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
            for who in EVERYONE {
                if !prefix.is_empty() && !BELOW_API.contains(&who) {
                    continue;
                }
                self.grant(permission).await;
                self.check(route, prefix, who).await;
            }
        }
    }

    async fn target(&self, server: &ServerId, invite: &InviteId, code: String) -> Target {
        Target {
            server: server.to_string(),
            account: self.test.account(HELPER).await.id.to_string(),
            invite: invite.to_string(),
            code,
            ..Target::from(&self.ours)
        }
    }

    async fn short_lived(&self) -> servers::CreatedServer {
        let name = DisplayName::parse("Short lived").expect("a name");
        let (scope, guild) = (self.ours.scope, self.ours.guild.clone());
        let created = servers::create(&self.test.app, scope, guild, name, Actor::System).await;
        created.expect("a Server")
    }

    /// One caller at one route, with a Server of its own that may be changed or deleted.
    async fn check(&self, route: &RouteSpec, prefix: &str, who: Who) {
        let (app, created) = (&self.test.app, self.short_lived().await);
        let (invite, code) = self.test.invite(&self.ours, Role::Staff, &[]).await;
        let target = self.target(&created.id, &invite, code).await;
        let client = self.client(who, created.key.expose()).await;
        let call = example(route, &target).below(prefix);
        let expected = outcome(route, call.success, who);
        let before = self.stored(&expected).await;
        let reply = call.send(&client).await;
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
        // Gone already where the call deleted it, and nobody may own many Orgs.
        drop(servers::delete(app, self.ours.scope, created.id, Actor::System).await);
        drop(invites::revoke(app, self.ours.scope, self.ours.owner_actor(), invite).await);
        if route.path == "/orgs" && reply.status == 201 {
            remove_org(&client, &reply).await;
        }
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
        match expected {
            Outcome::Success | Outcome::Joins => Vec::new(),
            Outcome::Shown(_) | Outcome::Refused(..) | Outcome::Denied(_) | Outcome::Noted(..) => {
                self.rows.all(&self.test.db.db).await
            }
        }
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
