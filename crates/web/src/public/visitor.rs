//! Who opens a public page: the flow of their browser, where they come from, the language they read.

use axum::extract::FromRequestParts;
use domain::flow::FlowToken;
use domain::link::Country;
use domain::network::ClientAddress;
use http::header::{ACCEPT_LANGUAGE, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::error::Failure;
use crate::extract::cookie;
use crate::public::texts::{self, Texts};
use crate::serve::Peer;
use crate::state::{Settings, WebState};

const LANGUAGE_COOKIE: &str = "symbolon-language";

pub struct Visitor {
    pub flow: Option<FlowToken>,
    pub address: ClientAddress,
    pub country: Option<Country>,
    pub texts: &'static Texts,
    /// The language was chosen with this request and is to be remembered.
    pub chose_language: bool,
    /// What a form sent is from a page of ours, as far as the browser tells.
    pub is_same_site: bool,
}

impl FromRequestParts<WebState> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let peer = Peer::of(&parts.extensions);
        let (headers, settings) = (&parts.headers, &*state.settings);
        let query = parts.uri.query().unwrap_or_default();
        let asked = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "lang");
        let asked = asked.map(|(_, value)| value.into_owned());
        let accepts = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let texts = texts::choose(asked.as_deref(), cookie(headers, LANGUAGE_COOKIE), accepts);
        let address = settings.client(peer, headers);
        Ok(Self {
            flow: cookie(headers, settings.flow_cookie()).and_then(|text| FlowToken::parse(text).ok()),
            address,
            country: state.country(peer, headers, address),
            texts,
            chose_language: asked.is_some_and(|asked| asked == texts.code),
            is_same_site: is_same_site(headers, settings),
        })
    }
}

fn is_same_site(headers: &HeaderMap, settings: &Settings) -> bool {
    let site = headers.get("sec-fetch-site");
    let origin = headers.get(ORIGIN);
    // A page without a referrer sends "null" as the origin of its forms; the other header then tells where it is from.
    site.is_none_or(|site| site == "same-origin")
        && origin.is_none_or(|origin| origin == "null" || origin.as_bytes() == settings.public_url.as_bytes())
        && !(site.is_none() && origin.is_some_and(|origin| origin == "null"))
}

/// Ties flows to this browser.
pub fn set_flow(settings: &Settings, token: &FlowToken) -> HeaderValue {
    settings.cookie(
        settings.flow_cookie(),
        token.expose(),
        domain::flow::LIFETIME_MS / 1000,
    )
}

pub fn set_language(texts: &Texts) -> HeaderValue {
    let text = format!(
        "{LANGUAGE_COOKIE}={}; Path=/; Max-Age=31536000; SameSite=Lax",
        texts.code
    );
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
