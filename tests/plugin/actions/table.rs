//! Every action with every kind of key.

use domain::action::{ACTIONS, ActionSet};
use domain::plan::Tier;
use testkit::{TestApp, both_databases, steam};

/// An action without a file would have no answer on record.
#[test]
fn every_action_has_a_file_of_its_own() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/plugin/actions");
    let modules = std::fs::read_to_string(format!("{here}/mod.rs")).unwrap();
    for spec in ACTIONS {
        let mut name = String::new();
        for letter in spec.name.chars() {
            if letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        assert!(
            modules.contains(&format!("\nmod {name};\n")),
            "mod.rs has no {name}"
        );
        let file = std::fs::read_to_string(format!("{here}/{name}.rs")).unwrap_or_default();
        let call = format!("assert_cases(engine, Action::{:?}, ", spec.action);
        assert!(file.contains(&call), "{name}.rs does not list its cases");
    }
}

both_databases! {
    async fn each_action_answers_each_kind_of_key_as_its_allow_list_says(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let bot = test.bot_key(&ours).await;
        let (_, everything) = test.custom_key(&ours, ActionSet::ALL, true).await;
        let (revoked_id, revoked) = test.custom_key(&ours, ActionSet::ALL, true).await;
        app::keys::custom_keys::revoke(&test.app, ours.scope, revoked_id, domain::audit::Actor::System).await.unwrap();
        for spec in ACTIONS {
            let uri = format!("/api?action={}&id={}", spec.name, steam(1));
            let mut one = ActionSet::EMPTY;
            one.insert(spec.action);
            let all_others: ActionSet = ACTIONS.iter().map(|other| other.action).filter(|other| *other != spec.action).collect();
            let (with_id, with) = test.custom_key(&ours, one, true).await;
            let code = |reply: testkit::Reply| match reply.json().is_object() && reply.json().get("code").is_some() {
                true => reply.code(),
                false => String::new(),
            };
            for key in [&everything, &with] {
                let code = code(test.plugin(key).get(&uri).await);
                assert!(!["PERMISSION_DENIED", "UNKNOWN_ACTION", "UNAUTHORIZED"].contains(&code.as_str()), "{} {code}", spec.name);
            }
            let name = domain::name::DisplayName::parse("Edited").unwrap();
            let edit = app::keys::custom_keys::KeyEdit { name, actions: all_others, revision: None };
            app::keys::custom_keys::edit(&test.app, ours.scope, with_id, edit, domain::audit::Actor::System).await.unwrap();
            assert_eq!(code(test.plugin(&with).get(&uri).await), "PERMISSION_DENIED", "{}", spec.name);
            assert_eq!(code(test.plugin(&revoked).get(&uri).await), "KEY_REVOKED", "{}", spec.name);
            let foreign = format!("{uri}&guild_id={}", theirs.guild);
            assert_eq!(code(test.plugin(&everything).get(&foreign).await), "SCOPE_MISMATCH", "{}", spec.name);
            let plugin = code(test.plugin(&ours.key).get(&uri).await);
            assert_eq!(plugin == "PERMISSION_DENIED", !spec.plugin, "{} {plugin}", spec.name);
            let bot = code(test.plugin(&bot).get(&uri).await);
            assert_eq!(bot == "PERMISSION_DENIED", !ActionSet::BOT.contains(spec.action), "{} {bot}", spec.name);
            let others = code(test.plugin(&theirs.key).get(&format!("{uri}&guild_id={}", ours.guild)).await);
            assert_eq!(others, "SCOPE_MISMATCH", "{}", spec.name);
        }
        app::tenancy::servers::set_active(&test.app, ours.scope, ours.server.clone(), false, domain::audit::Actor::System).await.unwrap();
        for spec in ACTIONS {
            let uri = format!("/api?action={}&id={}", spec.name, steam(1));
            for key in [&everything, &ours.key, &bot] {
                assert_eq!(test.plugin(key).get(&uri).await.code(), "SERVER_INACTIVE", "{}", spec.name);
            }
        }
        test.finish().await;
    }
}
