//! Notes a change for the receivers of its Org, in the transaction of the change. It stands below the areas, as all of
//! them change links.

use domain::flag::Flag;
use domain::id::LinkId;
use domain::job::Job;
use domain::webhook::WebhookEvent;
use storage::admin::flags;
use storage::webhooks::{deliveries, endpoints};
use storage::{GuildNum, OrgScope, Tx, jobs};

use crate::error::AppError;

/// Leaves a message to each receiver. Most Orgs have none, and for them this is one look into an index. Under the Org's
/// lock; the caller rings the bell after the commit.
pub(crate) async fn tell(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    link: &LinkId,
    event: WebhookEvent,
    now_ms: i64,
) -> Result<(), AppError> {
    let open = endpoints::list_open(tx, scope).await?;
    if open.is_empty() {
        return Ok(());
    }
    let set = flags::find_in(tx, Flag::Webhooks).await?;
    if !set.unwrap_or_else(|| Flag::Webhooks.default()) {
        return Ok(());
    }
    // A few at most. Each lane comes before the rows that its worker writes.
    for endpoint in open {
        if endpoint.is_disabled {
            endpoints::leave_out(tx, scope, endpoint.num).await?;
            continue;
        }
        let webhook = endpoint.id;
        jobs::enqueue(tx, scope, &Job::SendWebhook { webhook }, now_ms).await?;
        if deliveries::is_full(tx, endpoint.num).await? {
            endpoints::leave_out(tx, scope, endpoint.num).await?;
        } else {
            deliveries::insert(tx, scope, endpoint.num, guild, link, event, now_ms).await?;
        }
    }
    Ok(())
}
