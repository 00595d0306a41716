//! Blocked accounts in the audit log.

use app::identity::blocklist::{self, BlockRequest};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use testkit::{both_databases, discord};

use super::rows::texts;
use crate::linking::stage::Stage;

both_databases! {
    async fn a_block_is_named_by_its_own_id_when_it_is_made_changed_and_lifted(engine) {
        let stage = Stage::set(engine).await;
        let app = &stage.test.app;
        let entry = BlockEntry::discord(&discord(40));
        let mut ids = Vec::new();
        for reason in ["first", "second"] {
            let request = BlockRequest { entry: entry.clone(), discord_id: None, reason: reason.to_owned(), days: None };
            ids.push(blocklist::block(app, request, Actor::Operator).await.unwrap().to_string());
        }
        let listed = blocklist::list(app, "").await.unwrap();
        assert_eq!((listed[0].id.to_string(), &*listed[0].reason), (ids[0].clone(), "second"));
        blocklist::unblock(app, entry, Actor::Operator).await.unwrap();
        let targets = "SELECT COALESCE(target, '-') FROM audit WHERE chain = 0 AND action IN ('block.added', 'block.removed') ORDER BY seq";
        assert_eq!(texts(&stage.test.db.db, targets).await, vec![ids[0].clone(); 3]);
        assert!(ids[0].starts_with("blk_") && ids[0] == ids[1]);
        stage.finish().await;
    }
}
