//! The service starts only with the master keys that its database needs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use app::tenancy::servers;
use app::vault::VaultError;
use app::{App, StartError};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::plan::Tier;
use domain::random::SeededRandom;
use domain::seal::KeyRing;
use testkit::{TestApp, both_databases};

/// Why a start with this master key file was refused.
async fn refusal(test: &TestApp, file: &Path) -> VaultError {
    let mut parts = test.parts();
    parts.master_key_file = file.to_owned();
    match App::start(parts).await {
        Err(StartError::Vault(error)) => error,
        Err(other) => panic!("refused for another reason: {other}"),
        Ok(_) => panic!("the service started"),
    }
}

/// A private file with this text.
fn written(test: &TestApp, name: &str, text: &str) -> PathBuf {
    let path = test.db.directory().join(name);
    std::fs::write(&path, text).expect("a written file");
    set_mode(&path, 0o600);
    path
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a changed mode");
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

both_databases! {
    async fn the_first_start_makes_a_master_key_that_only_its_user_can_read(engine) {
        let test = TestApp::start(engine).await;
        let path = test.app.vault.path();
        assert_eq!(mode(path), 0o600);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(KeyRing::parse(&text).is_ok());
        test.app.vault.add_key(&*test.app.random).unwrap();
        assert_eq!(mode(test.app.vault.path()), 0o600);
        test.finish().await;
    }

    async fn a_left_over_file_does_not_make_a_new_ring_readable_by_others(engine) {
        let test = TestApp::start(engine).await;
        let left_over = test.app.vault.path().with_extension("new");
        std::fs::write(&left_over, "").unwrap();
        set_mode(&left_over, 0o644);
        test.app.vault.add_key(&*test.app.random).unwrap();
        assert_eq!(mode(test.app.vault.path()), 0o600);
        test.finish().await;
    }

    async fn a_missing_file_is_refused_once_the_database_holds_sealed_values(engine) {
        let test = TestApp::start(engine).await;
        test.tenant(1, Tier::Free).await;
        let path = test.db.directory().join("lost.keys");
        let error = refusal(&test, &path).await;
        assert!(matches!(error, VaultError::Missing { .. }), "{error}");
        assert!(!path.exists(), "no new file may hide the loss");
        test.finish().await;
    }

    async fn another_instances_master_keys_are_refused(engine) {
        let test = TestApp::start(engine).await;
        test.tenant(1, Tier::Free).await;
        let other = KeyRing::generate(&SeededRandom::new(1234)).to_text();
        let error = refusal(&test, &written(&test, "other.keys", &other)).await;
        assert!(matches!(error, VaultError::WrongKeys { .. }), "{error}");
        assert!(!error.to_string().contains(&other[3..20]));
        test.finish().await;
    }

    async fn a_file_that_others_can_read_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let path = test.app.vault.path();
        for open in [0o644, 0o640, 0o604, 0o660, 0o777] {
            set_mode(path, open);
            let error = refusal(&test, path).await;
            assert!(
                matches!(error, VaultError::TooOpen { mode, .. } if mode == open),
                "{error}"
            );
        }
        set_mode(path, 0o600);
        assert!(App::start(test.parts()).await.is_ok());
        test.finish().await;
    }

    async fn a_ring_without_a_key_that_is_needed_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let only_first = std::fs::read_to_string(test.app.vault.path()).unwrap();
        test.app.vault.add_key(&*test.app.random).unwrap();
        let name = DisplayName::parse("Sealed with k2").unwrap();
        servers::create(&test.app, tenant.scope, tenant.guild.clone(), name, Actor::System)
            .await
            .unwrap();
        let error = refusal(&test, &written(&test, "old.keys", &only_first)).await;
        assert!(
            matches!(&error, VaultError::KidMissing { kid, copies: 1, .. } if kid == "k2"),
            "{error}"
        );
        test.finish().await;
    }

    async fn damaged_files_are_refused_without_telling_their_content(engine) {
        let test = TestApp::start(engine).await;
        let good = std::fs::read_to_string(test.app.vault.path()).unwrap();
        let secret = good.split_whitespace().nth(1).unwrap();
        let short = format!("k1 {}\nactive k1\n", &secret[..40]);
        for (name, text) in [
            ("empty.keys", String::new()),
            ("short.keys", short),
            ("inactive.keys", format!("k1 {secret}\n")),
            ("twice.keys", format!("k1 {secret}\nk1 {secret}\nactive k1\n")),
            ("cut.keys", good[..good.len() / 2].to_owned()),
        ] {
            let error = refusal(&test, &written(&test, name, &text)).await;
            assert!(matches!(error, VaultError::Ring { .. }), "{name}: {error}");
            assert!(!error.to_string().contains(&secret[..12]), "{error}");
        }
        test.finish().await;
    }
}
