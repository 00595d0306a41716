//! Another tenant's things do not exist.

use domain::id::{AccountId, GuildId, ImportId, InviteId, KeyId, OrgId, ServerId};
use domain::plan::Tier;
use domain::random::SeededRandom;
use serde_json::Value;
use testkit::{Client, START_MS, TestApp, both_databases};
use web::routes::{Access, RouteSpec};

use super::examples::{Example, Target, example, prefixes};
use crate::secrecy::rows::Rows;

type Field = fn(&mut Target) -> &mut String;

/// What a parameter of a path names. A route with one that is not here fails the test.
const PARAMETERS: [(&str, Field); 9] = [
    ("{org}", |target| &mut target.org),
    ("{guild}", |target| &mut target.guild),
    ("{server}", |target| &mut target.server),
    ("{key}", |target| &mut target.key),
    ("{account}", |target| &mut target.account),
    ("{invite}", |target| &mut target.invite),
    ("{session}", |target| &mut target.session),
    ("{user}", |target| &mut target.user),
    ("{import}", |target| &mut target.import),
];

/// The fields of bodies that name something by an id of ours. Those of Discord belong to nobody here.
const FIELDS: [(&str, Option<Field>); 9] = [
    ("guild_id", Some(|target| &mut target.guild)),
    ("server_id", Some(|target| &mut target.server)),
    ("account_id", Some(|target| &mut target.account)),
    ("discord_guild_id", None),
    ("log_channel_id", None),
    ("bot_user_id", None),
    ("application_id", None),
    ("channel_id", None),
    ("user_id", None),
];

/// The ids in a route's body, by the type of that body: a field that is not in the list above fails the test.
fn ids_in_body(route: &RouteSpec) -> Vec<(String, Field)> {
    let Some(described) = route.takes.map(|takes| takes()) else {
        return Vec::new();
    };
    let whole = described.schemas.iter().find(|(name, _)| *name == described.name);
    let schema = serde_json::to_value(&whole.expect("its own schema").1).expect("a schema");
    let fields = schema["properties"].as_object().expect("fields");
    let ids = fields.keys().filter(|name| name.ends_with("_id"));
    let known = ids.filter_map(|name| {
        let known = FIELDS.iter().find(|(known, _)| known == name);
        let (_, field) = known.unwrap_or_else(|| panic!("{name}: nobody tries another tenant's"));
        field.map(|field| (name.clone(), field))
    });
    known.collect()
}

/// Whether a call of a route can name something that is another tenant's. Operators may name everybody's.
fn names_things(route: &RouteSpec) -> bool {
    let in_path = PARAMETERS.iter().any(|(name, _)| route.path.contains(name));
    route.access != Access::Operator && (in_path || !ids_in_body(route).is_empty())
}

/// Somebody of our tenant who may call a route.
fn caller<'a>(route: &RouteSpec, person: &'a Client) -> &'a Client {
    match route.access {
        Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) => person,
        Access::Public | Access::PluginKey | Access::Operator | Access::Bot | Access::Sender => {
            panic!("{}: nobody calls it with another tenant's things", route.path)
        }
    }
}

/// Whose things a call may name.
struct Tenants {
    own: Target,
    foreign: Target,
    missing: Target,
}

impl Tenants {
    /// Calls of a route with ids that are somebody else's, nobody's, or no ids at all.
    fn strange_calls(&self, route: &RouteSpec) -> Vec<Example> {
        let mut targets = Vec::new();
        for part in route.path.split('/').filter(|part| part.starts_with('{')) {
            let known = PARAMETERS.iter().find(|(name, _)| *name == part);
            let (_, field) = known.unwrap_or_else(|| panic!("{part}: nobody tries another tenant's"));
            for strange in self.strange_values(*field) {
                // Among things of one's own, and among things that all belong to the other one.
                for around in [&self.own, &self.foreign] {
                    let mut target = around.clone();
                    target.org.clone_from(&self.own.org);
                    *field(&mut target) = strange.clone();
                    targets.push(target);
                }
            }
        }
        let mut calls: Vec<Example> = targets.iter().map(|target| example(route, target)).collect();
        calls.extend(self.strange_bodies(route));
        calls
    }

    fn strange_values(&self, field: Field) -> Vec<String> {
        let of = |target: &Target| field(&mut target.clone()).clone();
        let mut values = vec![of(&self.foreign), of(&self.missing), self.own.server.clone()];
        // An id of another kind is none, except where a Server is asked for.
        values.retain(|value| *value != of(&self.own));
        for text in ["org_", "x", "%ff", "org_%2e%2e"] {
            values.push(text.to_owned());
        }
        values
    }

    /// A correct body in which one id is another tenant's, or nobody's.
    fn strange_bodies(&self, route: &RouteSpec) -> Vec<Example> {
        let good = example(route, &self.own);
        let mut calls = Vec::new();
        for (name, field) in ids_in_body(route) {
            for others in [&self.foreign, &self.missing] {
                let body = good.body.as_deref().expect("a body");
                let mut body: Value = serde_json::from_str(body).expect("an object");
                body[&name] = field(&mut others.clone()).as_str().into();
                calls.push(Example {
                    body: Some(body.to_string()),
                    ..good.clone()
                });
            }
        }
        calls
    }
}

both_databases! {
    async fn foreign_missing_and_malformed_ids_are_answered_with_the_same_bytes(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let (ours, theirs) = (
            test.full_tenant(1, Tier::Standard).await,
            test.full_tenant(2, Tier::Standard).await,
        );
        let person = test.person(&test.session(&ours.owner).await);
        let stranger = test.person(&test.session(&theirs.owner).await);
        let random = SeededRandom::new(99);
        // Every word is the right one, so that nothing but the ids stands in the way.
        let (own, foreign) = (
            Target { confirm: "org-1".to_owned(), ..Target::from(&ours) },
            Target {
                confirm: "guild-2".to_owned(),
                session: stranger.get("/account/sessions").await.json()["sessions"][0]["id"].as_str().unwrap().to_owned(),
                ..Target::from(&theirs)
            },
        );
        let missing = Target {
            org: OrgId::generate(START_MS, &random).to_string(),
            guild: GuildId::generate(START_MS, &random).to_string(),
            server: ServerId::generate(START_MS, &random).to_string(),
            key: KeyId::generate(START_MS, &random).to_string(),
            account: AccountId::generate(START_MS, &random).to_string(),
            invite: InviteId::generate(START_MS, &random).to_string(),
            user: testkit::discord(1_234).to_string(),
            import: ImportId::generate(START_MS, &random).to_string(),
            ..own.clone()
        };
        let tenants = Tenants { own, foreign, missing };
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let mut tried = 0;
        for route in web::table().iter().filter(|route| names_things(route)) {
            let person = caller(route, &person);
            for call in tenants.strange_calls(route) {
                for prefix in prefixes(route) {
                    let call = call.clone().below(prefix);
                    let reply = call.send(person).await;
                    let first = test.client().get("/orgs/nothing/here").await;
                    let place = format!("{} {} {:?}", call.method, call.uri, call.body);
                    assert_eq!(reply.snapshot(), first.snapshot(), "{place}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 500, "{tried} calls");
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }
}
