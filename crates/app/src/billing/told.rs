//! Writing down what Stripe says of a subscription.

use domain::audit::AuditAction;
use domain::billing::{Bought, Catalogue};
use domain::id::GuildId;
use platform::stripe::Subscription;
use serde_json::json;
use storage::Tx;
use storage::billing::subscriptions::{Known, Told};
use storage::billing::{checkouts, subscriptions};
use storage::records::audit::Act;
use storage::tenancy::guilds;

use crate::error::AppError;

/// Under the Org's lock. The Guild that a bot is for has to be one of this Org: what stands beside a subscription was
/// written by us, and can be changed by whoever is let into the Stripe account.
pub(super) async fn write_down(
    tx: &mut Tx<'_>,
    act: &Act,
    catalogue: &Catalogue,
    known: Option<&Known>,
    told: &Subscription,
    told_at: i64,
) -> Result<(), AppError> {
    let scope = act.scope;
    let bought = Bought::of(catalogue, told.prices.iter().map(String::as_str));
    let guild = match told.guild.as_deref().map(GuildId::parse) {
        Some(Ok(guild)) if bought.bot => guilds::find_num(tx, scope, &guild).await?,
        _ => None,
    };
    let offers = told.prices.iter().filter_map(|price| catalogue.offer_of(price));
    let row = Told {
        id: &told.id,
        guild,
        status: told.status,
        bought,
        interval: offers.map(|offer| offer.interval).next(),
        told_at,
        started_at_ms: ms(told.created),
        period_end_ms: told.period_end.map(ms),
        cancel_at_ms: told.cancel_at.map(ms),
        ended_at_ms: told.ended_at.map(ms),
        checkout: told.checkout.as_deref(),
    };
    subscriptions::put(tx, scope, &row).await?;
    if let Some(checkout) = &told.checkout {
        checkouts::end(tx, scope, checkout, act.now_ms).await?;
    }
    let is_same = known.is_some_and(|known| {
        (known.status, known.tier, known.bot, known.cancel_at_ms)
            == (told.status, bought.tier, bought.bot, row.cancel_at_ms)
    });
    if is_same {
        return Ok(());
    }
    let detail = json!({
        "status": told.status,
        "tier": bought.tier,
        "bot": bought.bot,
        "ends_at_ms": row.cancel_at_ms,
    });
    Ok(act
        .note(tx, AuditAction::SubscriptionChanged, None, &detail)
        .await?)
}

/// Stripe counts seconds.
fn ms(seconds: i64) -> i64 {
    seconds.saturating_mul(1_000)
}
