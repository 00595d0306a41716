//! A page of another site cannot make a browser change anything.

use domain::plan::Tier;
use testkit::{TestApp, both_databases};

const SITES: [Option<&str>; 5] = [
    None,
    Some("same-origin"),
    Some("same-site"),
    Some("cross-site"),
    Some("none"),
];

both_databases! {
    async fn changes_are_taken_from_our_own_pages_and_from_programs_only(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let person = test.person(&test.session(&tenant.owner).await);
        let list = format!("/orgs/{}/servers", tenant.org);
        let revoke = format!("{list}/{}/key/revoke", tenant.server);
        let ours = test.state.settings.public_url.clone();
        let origins = [
            None,
            Some(ours.clone()),
            Some("https://evil.example".to_owned()),
            Some("null".to_owned()),
            Some(format!("{ours}.evil.example")),
            Some(ours.to_uppercase()),
            Some(format!("{ours}/")),
            Some(String::new()),
        ];
        for site in SITES {
            for origin in &origins {
                let mut caller = person.clone();
                if let Some(site) = site {
                    caller = caller.header("sec-fetch-site", site);
                }
                if let Some(origin) = origin {
                    caller = caller.header("origin", origin);
                }
                let place = format!("Sec-Fetch-Site {site:?}, Origin {origin:?}");
                let trusted = matches!(site, None | Some("same-origin"))
                    && origin.as_ref().is_none_or(|origin| *origin == ours);
                let reply = caller.post(&revoke, "").await;
                if trusted {
                    assert_eq!(reply.status, 204, "{place}");
                } else {
                    assert_eq!(
                        (reply.status.as_u16(), reply.code().as_str()),
                        (403, "CROSS_SITE"),
                        "{place}"
                    );
                }
                let read = caller.get(&list).await;
                assert_eq!(read.status, 200, "{place}");
                for reply in [reply, read] {
                    assert_eq!(reply.header("access-control-allow-origin"), None, "{place}");
                    assert_eq!(reply.header("access-control-allow-credentials"), None, "{place}");
                }
            }
            test.clock.advance_ms(5_000);
        }
        test.finish().await;
    }

    async fn a_refused_cross_site_change_does_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let evil = test
            .person(&test.session(&tenant.owner).await)
            .header("sec-fetch-site", "cross-site");
        let keys = format!("/orgs/{}/servers/{}/key", tenant.org, tenant.server);
        for what in ["revoke", "regenerate", "reveal"] {
            let reply = evil.post(&format!("{keys}/{what}"), "").await;
            assert_eq!(reply.code(), "CROSS_SITE");
            assert!(!reply.text().contains("svc_live_"));
        }
        let reply = test.plugin(&tenant.key).get("/api?action=count").await;
        assert_eq!(reply.status, 200);
        test.finish().await;
    }

    async fn forms_and_plain_text_are_not_taken_for_json(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let cookie = format!("symbolon={}", test.session(&tenant.owner).await);
        let revoke = format!("/orgs/{}/servers/{}/key/revoke", tenant.org, tenant.server);
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/jsonp",
            "text/plain; application/json",
            "",
        ] {
            let caller = test
                .client()
                .header("cookie", &cookie)
                .header("content-type", kind);
            let reply = caller.post(&revoke, "{}").await;
            assert_eq!(
                (reply.status.as_u16(), reply.code().as_str()),
                (415, "UNSUPPORTED_MEDIA_TYPE"),
                "{kind}"
            );
        }
        let bare = test.client().header("cookie", &cookie);
        assert_eq!(bare.post(&revoke, "").await.status, 415);
        for kind in ["application/json", "Application/JSON; charset=utf-8"] {
            let caller = bare.clone().header("content-type", kind);
            assert_eq!(caller.post(&revoke, "").await.status, 204, "{kind}");
        }
        test.finish().await;
    }
}
