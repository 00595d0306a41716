//! Two Orgs full of people with the same ids: neither ever sees anything of the other.

use domain::plan::Tier;
use http::Method;
use testkit::{Client, Tenant, TestApp, both_databases, discord, steam};
use web::routes::{Access, RouteSpec};

use super::crowd::{Who, link, owner, start, who};
use crate::authorization::examples::{Target, example};

const FILTERS: [&str; 16] = [
    "",
    "q=mark",
    "q=700000000000000003",
    "q=76561197960265731",
    "tier=Watch",
    "tier=Risk",
    "country=DE",
    "country=FR",
    "status=active",
    "status=archived",
    "sort=name",
    "sort=score",
    "sort=linked_at",
    "limit=200",
    "format=json",
    "days=365",
];

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

/// Everything that somebody can read, with every filter.
async fn read_all(client: &Client, tenant: &Tenant, others_mark: &str, others: &[String]) -> usize {
    let mut target = Target::from(tenant);
    target.user = discord(3).to_string();
    let mut read = 0;
    let is_read = |route: &&RouteSpec| {
        route.method == Method::GET
            && matches!(
                route.access,
                Access::Permission(_) | Access::Member | Access::Owner(_)
            )
    };
    for route in web::table().iter().filter(is_read) {
        let call = example(route, &target);
        let base = call.uri.split('?').next().unwrap_or_default();
        for filter in FILTERS {
            let reply = client.get(&format!("{base}?{filter}")).await;
            read += usize::from(reply.status == 200);
            let text = reply.text();
            assert!(
                !text.contains(others_mark),
                "{base}?{filter} tells of {others_mark}: {text}"
            );
            for id in others {
                assert!(!text.contains(id), "{base}?{filter} tells of {id}: {text}");
            }
        }
    }
    read
}

both_databases! {
    async fn no_route_and_no_filter_tells_one_org_of_another(engine) {
        let test = start(engine).await;
        let (one, two) = (marked(&test, 1, "markone").await, marked(&test, 2, "marktwo").await);
        for (own, mark, other) in [(&one, "marktwo", &two), (&two, "markone", &one)] {
            let client = owner(&test, own).await;
            let apart = if own.org == one.org { 102 } else { 101 };
            let others = [steam(apart).to_string(), other.guild.to_string(), other.server.to_string(), other.org.to_string()];
            let read = read_all(&client, own, mark, &others).await;
            assert!(read > 100, "{read} answers were looked at");
            // What is asked of the other Org itself does not exist.
            for path in ["", "/choices", "/export", "/700000000000000003", "/700000000000000003/graph"] {
                let reply = client.get(&format!("/orgs/{}/users{path}", other.org)).await;
                assert_eq!(reply.status, 404, "{path}");
            }
        }
        test.finish().await;
    }
}
