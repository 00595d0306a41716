//! Stripe: who pays, what they are asked to pay for, and which subscriptions they have.

mod answers;
mod portal;
mod setup;

use std::time::Duration;

use domain::clock::SharedClock;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

pub use self::answers::{PageState, Session, Subscription};
pub use self::portal::FoundPortal;
pub use self::setup::{Endpoint, FoundPrice};
use crate::guard::{Guard, Standing};
use crate::http::{self, Answer, SetupError, Unanswered};
use crate::question::Question;

/// A hundred subscriptions with several items each are about 400 KiB.
const ANSWER_BYTES: usize = 2 * 1024 * 1024;
/// The version whose objects are written down in `answers`; what we are sent may be of another one.
const VERSION: &str = "2025-03-31.basil";
const PAGE: &str = "100";

/// How long to wait for another who asks for the same at the same time.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_600),
];

/// Why Stripe did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// What the question named is not there.
    #[error("Stripe does not know the {0}")]
    Missing(String),
    /// It said no, for a reason that has a name.
    #[error("Stripe refused: {0}")]
    Refused(String),
    /// Our key has not the right to it.
    #[error("billing.secret_key may not do that: {0}")]
    Forbidden(String),
    #[error("Stripe did not answer: {0}")]
    TryAgain(#[from] Unanswered),
}

/// A purchase that somebody is to confirm.
pub struct NewCheckout<'a> {
    pub customer: &'a str,
    pub price: &'a str,
    /// Where the browser goes then.
    pub success_url: &'a str,
    pub cancel_url: &'a str,
    /// In seconds; Stripe keeps one open for at most a day.
    pub expires_at: i64,
    /// Kept with the subscription for people who look at it with Stripe, and so that we know which Guild it is for.
    pub metadata: &'a [(&'a str, &'a str)],
}

/// A client of the API. It has no `Debug`: it holds the key.
pub struct Stripe {
    client: Client,
    base: Url,
    key: SecretString,
    guard: Guard,
}

/// Fields of a form, by their names with brackets.
type Form<'a> = Vec<(String, &'a str)>;

impl Stripe {
    /// `base` is where the key is sent, such as `https://api.stripe.com`.
    pub fn new(base: &str, key: SecretString, clock: SharedClock) -> Result<Self, SetupError> {
        let base = Url::parse(base).ok().filter(|url| !url.cannot_be_a_base());
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            base: base.ok_or_else(|| SetupError("billing.api_url is not an address".to_owned()))?,
            key,
            // One customer's question is enough to learn that the key is rejected.
            guard: Guard::new("Stripe", clock)
                .with_setting("billing.secret_key")
                .that_bans(),
        })
    }

    /// Whether the key is one with which real money is paid.
    pub fn is_live(&self) -> bool {
        let key = self.key.expose_secret();
        key.starts_with("sk_live_") || key.starts_with("rk_live_")
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Makes a customer; the same one for the same `once`.
    pub async fn create_customer(&self, once: &str, name: &str, org: &str) -> Result<String, NotDone> {
        let form = vec![("name".to_owned(), name), ("metadata[org]".to_owned(), org)];
        let answer = self
            .post("POST /v1/customers", &["customers"], Some(once), &form)
            .await?;
        Ok(answer.json::<answers::Named>()?.id)
    }

    /// Opens a page on which somebody pays; the same one for the same `once`.
    pub async fn create_checkout(&self, once: &str, new: &NewCheckout<'_>) -> Result<Session, NotDone> {
        let expires_at = new.expires_at.to_string();
        let mut form: Form<'_> = [
            ("mode", "subscription"),
            ("customer", new.customer),
            ("line_items[0][price]", new.price),
            ("line_items[0][quantity]", "1"),
            ("success_url", new.success_url),
            ("cancel_url", new.cancel_url),
            ("expires_at", expires_at.as_str()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        for (name, value) in new.metadata {
            form.push((format!("metadata[{name}]"), value));
            form.push((format!("subscription_data[metadata][{name}]"), value));
        }
        let path = ["checkout", "sessions"];
        let answer = self
            .post("POST /v1/checkout/sessions", &path, Some(once), &form)
            .await?;
        Ok(answers::session(&answer)?)
    }

    /// Closes such a page. False when it was used before, so that somebody has paid.
    pub async fn expire_checkout(&self, session: &str) -> Result<bool, NotDone> {
        let path = ["checkout", "sessions", session, "expire"];
        let ended = self
            .post("POST /v1/checkout/sessions/{id}/expire", &path, None, &Vec::new())
            .await;
        match ended {
            Ok(_) => Ok(true),
            // It is not open any more, or a payment is under way on it.
            Err(NotDone::Refused(_)) => match self.page_state(session).await? {
                PageState::Over => Ok(true),
                PageState::Paid => Ok(false),
                PageState::Open => Err(Unanswered::Crowded {
                    retry_after_ms: 5_000,
                }
                .into()),
            },
            Err(NotDone::Missing(_)) => Ok(true),
            Err(other) => Err(other),
        }
    }

    /// Whether somebody can still pay on such a page, or has.
    pub async fn page_state(&self, session: &str) -> Result<PageState, NotDone> {
        let path = ["checkout", "sessions", session];
        match self.get("GET /v1/checkout/sessions/{id}", &path, &[]).await {
            Ok(answer) => Ok(answers::page_state(&answer)?),
            Err(NotDone::Missing(_)) => Ok(PageState::Over),
            Err(other) => Err(other),
        }
    }

    /// Opens the page on which a customer changes what they pay for.
    pub async fn create_portal(
        &self,
        once: &str,
        customer: &str,
        return_url: &str,
        configuration: Option<&str>,
    ) -> Result<String, NotDone> {
        let mut form = vec![
            ("customer".to_owned(), customer),
            ("return_url".to_owned(), return_url),
        ];
        form.extend(configuration.map(|id| ("configuration".to_owned(), id)));
        let path = ["billing_portal", "sessions"];
        let answer = self
            .post("POST /v1/billing_portal/sessions", &path, Some(once), &form)
            .await?;
        Ok(answers::portal_url(&answer)?)
    }

    /// A page of all subscriptions that a customer ever had and that Stripe still lists, from the one after this one on,
    /// and whether there are more.
    pub async fn subscriptions(
        &self,
        customer: &str,
        after: Option<&str>,
    ) -> Result<(Vec<Subscription>, bool), NotDone> {
        let mut query = vec![("customer", customer), ("status", "all"), ("limit", PAGE)];
        query.extend(after.map(|last| ("starting_after", last)));
        let answer = self
            .get("GET /v1/subscriptions", &["subscriptions"], &query)
            .await?;
        Ok(answers::subscriptions(&answer)?)
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }

    async fn get(
        &self,
        route: &'static str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Answer, NotDone> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.ask(route, self.client.request(Method::GET, url)).await
    }

    /// With `once`, Stripe does it at most one time however often it is sent.
    async fn post(
        &self,
        route: &'static str,
        path: &[&str],
        once: Option<&str>,
        form: &Form<'_>,
    ) -> Result<Answer, NotDone> {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let mut request = self
            .client
            .request(Method::POST, self.url(path))
            .body(body)
            .header(
                CONTENT_TYPE,
                HeaderValue::from_static("application/x-www-form-urlencoded"),
            );
        if let Some(once) = once {
            request = request.header("idempotency-key", once);
        }
        self.ask(route, request).await
    }

    /// An answer that says no is no failure of Stripe's: the guard hears only of silence and of what fails by itself.
    async fn ask(&self, route: &'static str, request: reqwest::RequestBuilder) -> Result<Answer, NotDone> {
        let request = request
            .bearer_auth(self.key.expose_secret())
            .header("stripe-version", VERSION);
        let call = async {
            for pause in PAUSES {
                let Some(again) = request.try_clone() else {
                    break;
                };
                let answer = http::send(again, ANSWER_BYTES).await?;
                match answer.status.as_u16() {
                    200 | 400 | 402 | 403 | 404 => return Ok(answer),
                    // Another click asked for the same and is not done yet.
                    409 => tokio::time::sleep(pause).await,
                    _ => return Err(answer.unanswered_to_us()),
                }
            }
            // This one request is in another's way; nobody else's is.
            Err(Unanswered::Status(409))
        };
        let answer = self.guard.call(Question::on(route), call).await?;
        if answer.is_ok() {
            Ok(answer)
        } else {
            Err(answers::refusal(&answer))
        }
    }
}
