//! The dashboard's pages as the server gives them out. They are built before these tests run.

use domain::plan::Tier;
use testkit::{TestApp, both_databases};

/// Without the style of the public pages, of which the dashboard shows a preview.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html link-page-preview";

both_databases! {
    async fn the_page_is_for_people_who_are_signed_in_and_its_files_are_kept_for_ever(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let out = test.client().get("/app/orgs/x/team?tab=invites").await;
        assert_eq!((out.status.as_u16(), out.header("location")), (303, Some("/auth/discord/login?return_to=%2Fapp%2Forgs%2Fx%2Fteam%3Ftab%3Dinvites")));
        let person = test.person(&test.session(&tenant.owner).await);
        let page = person.get("/app/orgs/x/team").await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (200, Some("text/html; charset=utf-8")));
        let front = test.client().get("/").await;
        let allowed = front.header("content-security-policy").unwrap();
        let source = allowed.split("style-src ").nth(1).and_then(|rest| rest.split(';').next()).expect("a style");
        let policy = page.header("content-security-policy").unwrap();
        assert_eq!((policy.replace(&format!(" {source}"), "").as_str(), page.header("cache-control")), (POLICY, Some("no-cache")));
        assert!(policy.contains(&format!("style-src 'self' {source};")), "{policy}");
        let tag = page.header("etag").unwrap().to_owned();
        let again = person.clone().header("if-none-match", &tag).get("/app/").await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
        let html = page.text().to_owned();
        assert!(!html.contains("<script>") && !html.contains("<style"), "nothing inline: {html}");
        let script = html.split("src=\"/app/").find_map(|rest| rest.split('"').next().filter(|path| path.starts_with("assets/"))).expect("a script");
        let plain = test.client().get(&format!("/app/{script}")).await;
        assert_eq!((plain.status.as_u16(), plain.header("cache-control")), (200, Some("public, max-age=31536000, immutable")));
        assert_eq!(plain.header("content-type"), Some("text/javascript; charset=utf-8"));
        let packed = test.client().header("accept-encoding", "gzip, br").get(&format!("/app/{script}")).await;
        assert_eq!((packed.header("content-encoding"), packed.header("vary")), (Some("br"), Some("accept-encoding")));
        assert!(packed.body.len() < plain.body.len() / 2);
        let gone = test.client().get("/app/assets/index-gone.js").await;
        assert_eq!(gone.status, 404, "a script that is gone is not answered with the page");
        test.finish().await;
    }
}
