//! Links of older systems, taken over in the dashboard.

mod bounds;
mod checked;
mod ends;
mod jobs;
mod stage;
mod tenants;

use app::import::files::parse_offset;
use app::import::runs::{self, Press};
use app::import::uploads::{self, NewImport};
use app::work::catch_up_with_people;
use domain::import::ImportKind;
use testkit::{Tenant, TestApp, discord, steam};

/// A file that is imported, and one that is not; everybody in it is called so.
pub async fn import_files(test: &TestApp, tenant: &Tenant, name: &str) {
    for press in [Press::Start, Press::Cancel] {
        let new = NewImport {
            guild: tenant.guild.clone(),
            server: None,
            kind: ImportKind::Users,
            offset: parse_offset("+00:00").unwrap(),
        };
        let (app, by) = (&test.app, tenant.owner.id.clone());
        let mut upload = uploads::begin(app, tenant.scope, new, by.clone()).await.unwrap();
        let file = format!(
            "discord_id,steam_id,steam_name\n{},{},{name}\n",
            discord(5),
            steam(5)
        );
        assert!(upload.feed(file.into_bytes()).await.unwrap());
        let run = upload.finish().await.unwrap();
        catch_up_with_people(app).await.unwrap();
        runs::press(app, tenant.scope, run.id, press, by).await.unwrap();
        catch_up_with_people(app).await.unwrap();
    }
}
