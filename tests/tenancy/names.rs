//! What a Server may be called.

use domain::plan::Tier;
use testkit::{TestApp, both_databases};

use crate::secrecy::rows::Rows;
use crate::support::{new_server, servers_of};

both_databases! {
    async fn names_that_show_nothing_or_disturb_other_text_are_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for wrong in [
            "",
            "   ",
            "\u{200B}",
            &"x".repeat(65),
            &"é".repeat(65),
            "two\nlines",
            "a\u{7F}b",
            "a\u{1B}[31mb",
            "a\u{202E}b",
            "a\u{2066}b",
        ] {
            let reply = owner
                .post(&servers_of(&tenant), &new_server(&tenant, wrong))
                .await;
            assert_eq!(
                (reply.status.as_u16(), reply.code().as_str()),
                (400, "INVALID_PARAMETER"),
                "{wrong:?}"
            );
            assert_eq!(reply.json()["parameter"], "name");
        }
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn names_of_any_script_up_to_64_characters_are_kept_as_written(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let names = [
            "x".repeat(64),
            "é".repeat(64),
            "שרת ראשי".to_owned(),
            "<b>'\"&amp;</b>".to_owned(),
            "'; DROP TABLE servers; --".to_owned(),
            "🦀 @everyone".to_owned(),
        ];
        for name in &names {
            let reply = owner.post(&servers_of(&tenant), &new_server(&tenant, name)).await;
            assert_eq!(reply.status, 201, "{name}");
        }
        let listed = owner.get(&servers_of(&tenant)).await.json();
        let found: Vec<&str> = listed["servers"].as_array().unwrap()[1..]
            .iter()
            .map(|server| server["name"].as_str().unwrap())
            .collect();
        assert_eq!(found, names.each_ref().map(String::as_str));
        test.finish().await;
    }
}
