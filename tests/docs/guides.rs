//! What the guides tell people to write down does what they say.

use domain::plan::Tier;
use http::Method;
use serde_json::Value;
use testkit::{TestApp, both_databases, discord, steam};

const MIGRATING: &str = include_str!("../../docs/migrating.md");
const PROXY: &str = include_str!("../../docs/operations/proxy.md");

both_databases! {
    async fn an_old_plugin_works_with_the_lines_of_the_guide_until_keys_in_addresses_are_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let lines: Vec<&str> =
            MIGRATING.lines().filter_map(|line| line.strip_prefix("https://link.example/")).collect();
        let [setting, in_source] = lines[..] else { panic!("{lines:?}") };
        let joined = format!("{setting}?action=findBySteam&id={{steam}}&secret={{key}}");
        assert_eq!(joined, in_source);
        let uri = format!("/{in_source}").replace("{steam}", steam(1).as_str()).replace("{key}", &tenant.key);
        let found = test.client().get(&uri).await;
        assert_eq!((found.status.as_u16(), found.text()), (200, format!("\"{}\"", discord(1)).as_str()));

        let owner = test.person(&test.session(&tenant.owner).await);
        let settings = format!("/orgs/{}/settings", tenant.org);
        let switched = owner.send(Method::PATCH, &settings, r#"{"refuse_query_keys":true}"#.into()).await;
        assert_eq!(switched.status, 204, "{}", switched.text());
        let refused = test.client().get(&uri).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "QUERY_KEY_REFUSED"));
        assert!(refused.text().contains("No users"));
        test.finish().await;
    }
}

#[test]
fn the_error_pages_of_both_proxies_say_no_users() {
    let pages: Vec<&str> = PROXY
        .lines()
        .filter_map(|line| Some(&line[line.find("{\"")?..=line.rfind("\"}")? + 1]))
        .collect();
    assert_eq!(pages.len(), 2, "nginx and Caddy: {pages:?}");
    for page in pages {
        let failure: Value = serde_json::from_str(page).expect(page);
        assert_eq!(failure["code"], failure["error"]);
        assert!(
            failure["message"].as_str().unwrap().contains("No users"),
            "{page}"
        );
    }
}
