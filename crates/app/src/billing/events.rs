//! What Stripe tells us by itself. An event says what was true at its time: it is written down unless something newer is
//! known, and Stripe is asked soon after in any case.

use domain::audit::Actor;
use domain::billing::{Catalogue, is_news};
use domain::job::Job;
use domain::plan::Plans;
use platform::stripe::Subscription;
use serde::Deserialize;
use serde_json::value::RawValue;
use storage::billing::{checkouts, payers, stripe_events, subscriptions};
use storage::jobs::Moment;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{Tx, Work, jobs};

use super::derive::derive;
use super::told::write_down;
use super::{asked, selling};
use crate::error::AppError;
use crate::state::App;

/// The events that are sent to us because something is done with them.
pub const KINDS: [&str; 7] = [
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    PAID,
    EXPIRED,
];
const PAID: &str = "checkout.session.completed";
const EXPIRED: &str = "checkout.session.expired";
/// Longer ids are none of Stripe's.
const LONGEST_ID: usize = 255;

#[derive(Deserialize)]
struct Envelope<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    created: i64,
    #[serde(default)]
    livemode: bool,
    /// Of an account that is connected to ours; nothing is sold through those.
    #[serde(default)]
    account: Option<String>,
    /// Events of a newer kind have none.
    #[serde(borrow, default)]
    data: Option<Data<'a>>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    object: &'a RawValue,
}

/// The object of an event, as far as all of them have it.
#[derive(Deserialize)]
struct Whose {
    #[serde(default)]
    customer: Option<String>,
}

/// What stands with a purchase.
#[derive(Deserialize)]
struct Purchase {
    #[serde(default)]
    metadata: Option<Marks>,
}

#[derive(Deserialize)]
struct Marks {
    #[serde(default)]
    checkout: Option<String>,
}

enum About {
    Subscription(Box<Subscription>),
    /// A page that somebody paid on, by our name for it.
    Paid(Option<String>),
    /// A page whose time is over.
    Expired(Option<String>),
    /// Something of the customer's that we cannot read: Stripe is asked what it is.
    Unread,
}

/// Takes in an event whose signature was checked. What is not for us is answered like what is: Stripe would send it again.
pub async fn take(app: &App, body: &[u8]) -> Result<(), AppError> {
    let selling = selling(app)?;
    let unreadable = |_| AppError::invalid("body", "is not an event");
    let event: Envelope<'_> = serde_json::from_slice(body).map_err(unreadable)?;
    if event.livemode != selling.api.is_live() || event.account.is_some() {
        tracing::warn!(
            kind = event.kind,
            "an event of another mode or account was ignored"
        );
        return Ok(());
    }
    if !KINDS.contains(&event.kind.as_str()) || event.id.is_empty() || event.id.len() > LONGEST_ID {
        return Ok(());
    }
    let Some((customer, about)) = read(&event) else {
        tracing::warn!(
            kind = event.kind,
            "an event that tells of no customer was ignored"
        );
        return Ok(());
    };
    // The customer says whose it is, and nothing that stands beside it does.
    let Some(scope) = payers::find_org(&app.db, &customer).await? else {
        tracing::info!(kind = event.kind, "an event of an unknown customer was ignored");
        return Ok(());
    };
    let work = Take {
        id: event.id,
        created: event.created,
        about,
        catalogue: selling.catalogue.clone(),
        plans: app.plans,
        moment: app.moment(),
    };
    app.db.write_for(app.act(scope, Actor::System), work).await?;
    app.bell.ring();
    Ok(())
}

fn read(event: &Envelope<'_>) -> Option<(String, About)> {
    let object = event.data.as_ref()?.object.get();
    if event.kind.starts_with("customer.subscription.")
        && let Some(told) = Subscription::read(object)
    {
        return Some((told.customer.clone(), About::Subscription(Box::new(told))));
    }
    let whose: Whose = serde_json::from_str(object).ok()?;
    Some((whose.customer?, about_purchase(&event.kind, object)))
}

fn about_purchase(kind: &str, object: &str) -> About {
    let about = match kind {
        PAID => About::Paid,
        EXPIRED => About::Expired,
        _ => return About::Unread,
    };
    match serde_json::from_str::<Purchase>(object) {
        Ok(purchase) => about(purchase.metadata.and_then(|marks| marks.checkout)),
        Err(_) => About::Unread,
    }
}

struct Take {
    id: String,
    created: i64,
    about: About,
    catalogue: Catalogue,
    plans: Plans,
    moment: Moment,
}

impl Work for Take {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "take_stripe_event";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let org = orgs::lock_if_there(tx, scope).await?;
        if !stripe_events::take(tx, scope, &self.id, act.now_ms).await? {
            return Ok(());
        }
        match &self.about {
            About::Subscription(told) => {
                let known = subscriptions::list_known(tx, scope).await?;
                let known = known.iter().find(|known| known.id == told.id);
                let before = known.map(|known| (known.status, known.told_at));
                let is_foreign = known.is_none() && subscriptions::is_of_another(tx, scope, &told.id).await?;
                if is_news(before, told.status, self.created) && !is_foreign {
                    write_down(tx, act, &self.catalogue, known, told, self.created).await?;
                }
            }
            About::Paid(Some(checkout)) => {
                checkouts::end(tx, scope, checkout, act.now_ms).await?;
            }
            About::Expired(Some(checkout)) => {
                checkouts::close(tx, scope, checkout, act.now_ms).await?;
            }
            About::Paid(None) | About::Expired(None) | About::Unread => {}
        }
        if let Some(org) = &org {
            derive(tx, act, &self.plans, org).await?;
        }
        want(tx, act, self.moment).await
    }
}

/// Has Stripe asked about an Org, as soon as it may be asked again: a question that waits because it failed, or because it
/// was not urgent, waits no longer. Under the Org's lock.
pub(super) async fn want(tx: &mut Tx<'_>, act: &Act, moment: Moment) -> Result<(), AppError> {
    payers::want(tx, act.scope).await?;
    let job = Job::ReadBilling {
        org: orgs::get_id(tx, act.scope).await?,
    };
    jobs::enqueue(tx, act.scope, &job, act.now_ms).await?;
    let asked_at_ms = payers::find_in(tx, act.scope)
        .await?
        .map(|payer| payer.asked_at_ms);
    let within_ms = asked::pause_left(asked_at_ms.unwrap_or_default(), act.now_ms);
    Ok(jobs::hurry(tx, &job.lane(), within_ms, moment).await?)
}
