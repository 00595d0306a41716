//! Every route against every kind of caller.

use app::{accounts, servers, sessions};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::permission::{Permission, PermissionSet};
use domain::plan::Tier;
use testkit::{Client, Engine, Reply, Tenant, TestApp, both_databases};
use web::routes::{Access, RouteSpec};

use super::examples::{Target, example, prefixes};
use crate::secrecy::rows::{Rows, is_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Nobody,
    Garbage,
    Expired,
    PluginKey,
    ForeignMember,
    ForeignOwner,
    Operator,
    /// A member who holds everything but what the route asks for.
    Without,
    /// A member who holds nothing but what the route asks for.
    With,
    Owner,
}

const EVERYONE: [Who; 10] = [
    Who::Nobody,
    Who::Garbage,
    Who::Expired,
    Who::PluginKey,
    Who::ForeignMember,
    Who::ForeignOwner,
    Who::Operator,
    Who::Without,
    Who::With,
    Who::Owner,
];

const WITHOUT: u64 = 11;
const WITH: u64 = 12;

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Success,
    Refused(u16, &'static str),
    Denied(Permission),
}

fn outcome(access: Access, who: Who) -> Outcome {
    match access {
        Access::Public => Outcome::Success,
        Access::PluginKey if who == Who::PluginKey => Outcome::Success,
        Access::PluginKey => Outcome::Refused(401, "UNAUTHORIZED"),
        Access::Permission(permission) => match who {
            Who::Nobody | Who::Garbage | Who::Expired | Who::PluginKey => {
                Outcome::Refused(401, "SIGN_IN_REQUIRED")
            }
            Who::ForeignMember | Who::ForeignOwner | Who::Operator => Outcome::Refused(404, "NOT_FOUND"),
            Who::Without => Outcome::Denied(permission),
            Who::With | Who::Owner => Outcome::Success,
        },
    }
}

struct World {
    test: TestApp,
    rows: Rows,
    ours: Tenant,
    theirs: Tenant,
    tokens: Vec<(Who, String)>,
}

impl World {
    async fn new(engine: Engine) -> World {
        let test = TestApp::start_with(
            engine,
            |limits| {
                limits.dashboard.burst = 10_000;
                limits.link_starts.burst = 10_000;
            },
            |_| {},
        )
        .await;
        let (ours, theirs) = (
            test.full_tenant(1, Tier::Pro).await,
            test.full_tenant(2, Tier::Pro).await,
        );
        let all: Vec<Permission> = Permission::ALL.to_vec();
        let expired = sessions::start(&test.app, &ours.owner, 1)
            .await
            .expect("a session");
        let operator = test.account(13).await;
        accounts::grant_operator(&test.app, operator.clone())
            .await
            .expect("an operator");
        let tokens = vec![
            (Who::Expired, expired.expose().to_owned()),
            (Who::ForeignMember, test.member(&theirs, 10, &all).await),
            (Who::ForeignOwner, test.session(&theirs.owner).await),
            (Who::Operator, test.session(&operator).await),
            (Who::Without, test.member(&ours, WITHOUT, &[]).await),
            (Who::With, test.member(&ours, WITH, &[]).await),
            (Who::Owner, test.session(&ours.owner).await),
        ];
        test.clock.advance_ms(10);
        let rows = Rows::of(&test.db.db).await;
        World {
            test,
            rows,
            ours,
            theirs,
            tokens,
        }
    }

    fn client(&self, who: Who, key: &str) -> Client {
        let json = |client: Client| client.header("content-type", "application/json");
        match who {
            Who::Nobody => json(self.test.client()),
            Who::PluginKey => json(self.test.plugin(key)),
            Who::Garbage => self.test.person("garbage\u{7e}=;symbolon=x"),
            Who::Expired
            | Who::ForeignMember
            | Who::ForeignOwner
            | Who::Operator
            | Who::Without
            | Who::With
            | Who::Owner => {
                let token = self.tokens.iter().find(|(whose, _)| *whose == who);
                self.test.person(&token.expect("a token").1)
            }
        }
    }

    async fn grant(&self, permission: Permission) {
        let mut only = PermissionSet::EMPTY;
        only.insert(permission);
        for (number, set) in [(WITHOUT, PermissionSet::ALL.without(permission)), (WITH, only)] {
            let account = self.test.account(number).await;
            self.test.set_permissions(&self.ours, &account, set).await;
        }
    }

    /// One caller at one route, with a Server of its own that may be changed or deleted.
    async fn check(&self, route: &RouteSpec, prefix: &str, who: Who) {
        let app = &self.test.app;
        let name = DisplayName::parse("Short lived").expect("a name");
        let created = servers::create(app, self.ours.scope, self.ours.guild.clone(), name, Actor::System)
            .await
            .expect("a Server");
        let target = Target {
            server: created.id.to_string(),
            ..Target::from(&self.ours)
        };
        let client = self.client(who, created.key.expose());
        let before = self.rows.all(&self.test.db.db).await;
        let call = example(route, &target).below(prefix);
        let reply = call.send(&client).await;
        self.test.settle().await;
        let after = self.rows.all(&self.test.db.db).await;
        let place = format!("{who:?} at {} {}", call.method, call.uri);
        match outcome(route.access, who) {
            Outcome::Success => {
                assert_eq!(reply.status.as_u16(), call.success, "{place}: {}", reply.text());
                self.assert_silent_about(&self.theirs, &reply, &place);
            }
            Outcome::Refused(status, code) => {
                assert_eq!(
                    (reply.status.as_u16(), reply.code()),
                    (status, code.to_owned()),
                    "{place}"
                );
                assert_eq!(before, after, "{place}");
                self.assert_silent_about(&self.ours, &reply, &place);
                assert!(!reply.text().contains(&created.key.expose()[..12]), "{place}");
                assert!(!reply.text().contains(created.id.as_str()), "{place}");
            }
            Outcome::Denied(permission) => {
                assert_eq!(
                    (reply.status.as_u16(), reply.code().as_str()),
                    (403, "MISSING_PERMISSION"),
                    "{place}"
                );
                assert_eq!(reply.json()["permission"], permission.as_str(), "{place}");
                self.assert_only_noted(&before, &after, permission, &place).await;
                self.assert_silent_about(&self.ours, &reply, &place);
            }
        }
        // Gone already where the call deleted it.
        drop(servers::delete(app, self.ours.scope, created.id, Actor::System).await);
    }

    /// A denied call leaves one audit entry and no other trace.
    async fn assert_only_noted(
        &self,
        before: &[String],
        after: &[String],
        permission: Permission,
        place: &str,
    ) {
        let others = |lines: &[String]| -> Vec<String> {
            let other = |line: &&String| !is_of(line, "audit") && !is_of(line, "audit_heads");
            lines.iter().filter(other).cloned().collect()
        };
        assert_eq!(others(before), others(after), "{place}");
        let added: Vec<&String> = after
            .iter()
            .filter(|line| is_of(line, "audit") && !before.contains(line))
            .collect();
        let who = self.test.account(WITHOUT).await.id;
        assert_eq!(added.len(), 1, "{place}: {added:?}");
        for part in ["access.denied", permission.as_str(), who.as_str()] {
            assert!(added[0].contains(part), "{place}: {added:?}");
        }
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

both_databases! {
    async fn every_route_answers_every_kind_of_caller_as_the_table_says(engine) {
        let world = World::new(engine).await;
        let table = web::table();
        assert!(
            table
                .iter()
                .any(|route| matches!(route.access, Access::Permission(_)))
        );
        for route in &table {
            if let Access::Permission(permission) = route.access {
                world.grant(permission).await;
            }
            for prefix in prefixes(route) {
                for who in EVERYONE {
                    world.check(route, prefix, who).await;
                }
            }
        }
        world.test.finish().await;
    }
}
