//! Imports belong to one Org, and to those of its team who may change its settings.

use domain::permission::Permission;
use domain::plan::Tier;
use testkit::both_databases;

use super::stage::{checked, csv, get, imports, owner, press, send, start};

both_databases! {
    async fn another_orgs_imports_guilds_and_servers_are_not_there(engine) {
        let test = start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let (one, two) = (owner(&test, &ours).await, owner(&test, &theirs).await);
        let bad = |number: u64| format!("{}x{number},y\n", csv([(number, number)]));
        let (uri, _) = checked(&test, &one, &ours, "kind=users", bad(1)).await;
        let (other, _) = checked(&test, &two, &theirs, "kind=users", bad(2)).await;
        let id = other.rsplit('/').next().unwrap();
        let foreign = format!("{}/{id}", imports(&ours));
        assert_eq!(one.get(&foreign).await.status, 404);
        assert_eq!(one.get(&format!("{foreign}/refused")).await.status, 404);
        for button in ["start", "cancel"] {
            press(&one, &foreign, button, 404).await;
            press(&one, &other, button, 404).await;
        }
        assert_eq!(get(&two, &other).await["state"], "checked");
        let listed = get(&one, &imports(&ours)).await;
        assert_eq!(listed["imports"].as_array().unwrap().len(), 1);
        assert!(!listed.to_string().contains(id));
        let refused = one.get(&format!("{uri}/refused?format=json")).await;
        assert_eq!(refused.text().lines().count(), 1, "its own row alone");
        press(&one, &uri, "cancel", 200).await;
        let by_server = format!("kind=users&server_id={}", theirs.server);
        assert_eq!(send(&one, &ours, &by_server, csv([(3, 3)])).await.status, 404);
        let by_guild = format!("{}?guild_id={}&kind=users", imports(&ours), theirs.guild);
        assert_eq!(one.clone().sending_file().post(&by_guild, &csv([(3, 3)])).await.status, 404);
        assert_eq!(test.db.count("imports").await, 2);
        test.finish().await;
    }

    async fn it_takes_the_permission_to_change_settings(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let with = test.person(&test.member(&tenant, 955, &[Permission::OrgSettings]).await);
        let all: Vec<Permission> = Permission::ALL.iter().copied().filter(|one| *one != Permission::OrgSettings).collect();
        let without = test.person(&test.member(&tenant, 956, &all).await);
        let (uri, _) = checked(&test, &with, &tenant, "kind=users", csv([(1, 1)])).await;
        for reply in [
            send(&without, &tenant, "kind=users", csv([(2, 2)])).await,
            without.get(&imports(&tenant)).await,
            without.get(&uri).await,
            without.get(&format!("{uri}/refused")).await,
            without.post(&format!("{uri}/start"), "").await,
            without.post(&format!("{uri}/cancel"), "").await,
        ] {
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (403, "MISSING_PERMISSION"));
        }
        press(&with, &uri, "start", 200).await;
        test.drain_jobs().await;
        assert_eq!(get(&with, &uri).await["state"], "done");
        test.finish().await;
    }

    async fn a_page_of_another_site_cannot_send_a_file(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let evil = owner(&test, &tenant).await.header("sec-fetch-site", "cross-site");
        let reply = send(&evil, &tenant, "kind=users", csv([(1, 1)])).await;
        assert_eq!(reply.code(), "CROSS_SITE");
        assert_eq!(test.db.count("imports").await, 0);
        test.finish().await;
    }
}
