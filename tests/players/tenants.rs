//! Two Orgs full of people with the same ids: neither ever sees anything of the other.

use std::collections::BTreeSet;

use domain::plan::Tier;
use http::Method;
use testkit::{Client, Tenant, TestApp, both_databases, discord, steam};
use web::extract::Asks;
use web::routes::{Access, RouteSpec};

use super::crowd::{Who, call, link, owner, start, users, who};
use crate::authorization::examples::{Target, example};

async fn marked(test: &TestApp, number: u64, mark: &str) -> Tenant {
    let tenant = test.full_tenant(number, Tier::Pro).await;
    let (discord_name, steam_name) = (format!("{mark} discord"), format!("{mark} steam"));
    for person in 1..=5 {
        let who = Who {
            discord_name: &discord_name,
            steam_name: &steam_name,
            country: Some(if number == 1 { "DE" } else { "FR" }),
            // The same people in both, one account of each apart.
            steam: if person == 5 { 100 + number } else { person },
            ..who(person, "")
        };
        link(test, &tenant, &tenant.guild, &who).await;
        let uri = format!("/api?action=updateOxideGroups&id={}&groups={mark}", steam(person));
        test.plugin(&tenant.key).get(&uri).await;
    }
    test.drain_jobs().await;
    tenant
}

/// What must not be told of the other Org.
struct Other {
    mark: &'static str,
    ids: Vec<String>,
    /// Of somebody's second page there.
    cursor: String,
}

impl Other {
    async fn of(test: &TestApp, tenant: &Tenant, mark: &'static str, apart: u64) -> Self {
        let uri = format!("{}?limit=1", users(tenant));
        let page = call(&owner(test, tenant).await, Method::GET, &uri, "", 200)
            .await
            .json();
        let ids = [
            steam(apart).to_string(),
            tenant.guild.to_string(),
            tenant.server.to_string(),
            tenant.org.to_string(),
            tenant.owner.id.to_string(),
        ];
        Self {
            mark,
            ids: ids.to_vec(),
            cursor: page["next"].as_str().expect("a second page").to_owned(),
        }
    }

    /// What a route can be asked, one thing at a time; where something can be named, that is theirs.
    fn questions(&self, route: &RouteSpec) -> Vec<(&'static str, String)> {
        let mut questions = vec![("", String::new())];
        for asks in route.asks {
            let values: Vec<String> = match asks {
                Asks::OneOf(_, words) => words.iter().copied().map(str::to_owned).collect(),
                Asks::Number(_) => ["0", "1", "200", "365", "4000000000000"]
                    .map(str::to_owned)
                    .to_vec(),
                Asks::Text(name) => self.texts(name),
            };
            questions.extend(values.into_iter().map(|value| (asks.name(), value)));
        }
        questions
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let some = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect();
        match name {
            "country" => some(&["DE", "FR"]),
            "cursor" | "before" => vec![self.cursor.clone()],
            "from" | "to" => some(&["2025-12-01", "2026-01-01"]),
            "code" => some(&["NOT_FOUND", "INVALID_PARAMETER"]),
            "route" => some(&["%2Forgs%2F%7Borg%7D%2Fusers"]),
            "action" => some(&["user.viewed", "link.created"]),
            // Ids, and what is looked for by its beginning.
            _ => {
                let both = [discord(3).to_string(), steam(3).to_string()];
                let theirs = self.ids.iter().cloned().chain([self.mark.to_owned()]);
                theirs.chain(both).collect()
            }
        }
    }

    fn assert_not_in(&self, uri: &str, text: &str) {
        for trace in self.ids.iter().map(String::as_str).chain([self.mark]) {
            assert!(!text.contains(trace), "{uri} tells of {trace}: {text}");
        }
    }
}

/// Everything that somebody can read, with everything that can be asked. Which questions were answered.
async fn read_all(client: &Client, tenant: &Tenant, other: &Other) -> BTreeSet<&'static str> {
    let mut target = Target::from(tenant);
    target.user = discord(3).to_string();
    let mut answered = BTreeSet::new();
    let is_read = |route: &&RouteSpec| {
        route.method == Method::GET
            && matches!(
                route.access,
                Access::SignedIn | Access::Permission(_) | Access::Member | Access::Owner(_)
            )
    };
    for route in web::table().iter().filter(is_read) {
        let example = example(route, &target);
        let base = example.uri.split('?').next().unwrap_or_default();
        for (name, value) in other.questions(route) {
            let uri = format!("{base}?{name}={value}");
            let uri = if name.is_empty() { base } else { uri.as_str() };
            let reply = client.get(uri).await;
            if reply.status == 200 {
                answered.insert(name);
            }
            other.assert_not_in(uri, reply.text());
        }
    }
    answered
}

/// What people are found by, and what logs and numbers are filtered by.
const ANSWERED: [&str; 15] = [
    "", "q", "tier", "country", "status", "sort", "limit", "cursor", "format", "days", "action", "actor",
    "code", "member", "table",
];

both_databases! {
    async fn no_route_and_no_filter_tells_one_org_of_another(engine) {
        let test = start(engine).await;
        let (one, two) = (marked(&test, 1, "markone").await, marked(&test, 2, "marktwo").await);
        for (own, mark, theirs, apart) in [(&one, "marktwo", &two, 102), (&two, "markone", &one, 101)] {
            let other = Other::of(&test, theirs, mark, apart).await;
            let client = owner(&test, own).await;
            let answered = read_all(&client, own, &other).await;
            for name in ANSWERED {
                assert!(answered.contains(name), "nothing was answered to {name}: {answered:?}");
            }
            // What is asked of the other Org itself does not exist.
            for path in ["", "/choices", "/export", "/700000000000000003", "/700000000000000003/graph"] {
                let reply = client.get(&format!("/orgs/{}/users{path}", theirs.org)).await;
                assert_eq!(reply.status, 404, "{path}");
            }
        }
        test.finish().await;
    }
}
