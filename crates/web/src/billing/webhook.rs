//! Events of Stripe. Nothing of a body is looked at before its signature was.

use app::App;
use app::billing::events;
use http::HeaderMap;
use secrecy::ExposeSecret;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Shown, Signature, Signed};
use crate::routes::{Answer, Found};
use crate::state::WebState;

/// How Stripe signs: the time, a dot and the body.
pub(super) struct OfStripe;

/// Nobody replaces more secrets at a time.
const MOST_CODES: usize = 16;

impl Signature for OfStripe {
    fn shown(headers: &HeaderMap) -> Option<Shown> {
        let mut values = headers.get_all("stripe-signature").iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        shown(value.to_str().ok()?)
    }

    fn secrets(state: &WebState) -> Vec<&[u8]> {
        let selling = state.app.platforms.stripe.iter();
        selling
            .flat_map(|selling| &selling.webhook_secrets)
            .map(|secret| secret.expose_secret().as_bytes())
            .collect()
    }
}

/// Reads `t=1492774577,v1=5257a8…,v1=…`; other schemes beside it are not for us.
fn shown(value: &str) -> Option<Shown> {
    let (mut times, mut codes) = (Vec::new(), Vec::new());
    for part in value.split(',') {
        let (name, text) = part.trim().split_once('=')?;
        match name {
            "t" => times.push(text),
            "v1" => codes.extend(code(text)),
            _ => {}
        }
    }
    let [time] = times.as_slice() else {
        return None;
    };
    let is_number = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !codes.is_empty() && codes.len() <= MOST_CODES).then_some(())?;
    Some(Shown {
        at_s: time.parse().ok()?,
        before_body: [time, "."].concat().into_bytes(),
        codes,
    })
}

fn code(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut code = [0; 32];
    for (byte, pair) in code.iter_mut().zip(digits.chunks(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(code)
}

/// What Stripe is told: that it need not send it again.
#[derive(Serialize, ToSchema)]
pub struct Received {
    received: bool,
}

pub(super) async fn take(app: App, told: Signed<OfStripe>) -> Answer<Found<Received>> {
    events::take(&app, told.body()).await?;
    Ok(Found(Received { received: true }))
}

#[cfg(test)]
mod tests {
    use super::shown;

    const CODE: &str = "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd";

    #[test]
    fn all_codes_of_the_known_scheme_are_tried() {
        let read = shown(&format!("t=1492774577,v1={CODE},v0=00,v1={CODE}")).unwrap();
        assert_eq!((read.at_s, read.codes.len()), (1_492_774_577, 2));
        assert_eq!(read.before_body, b"1492774577.");
    }

    #[test]
    fn what_is_not_of_the_form_shows_nothing() {
        for value in [
            String::new(),
            format!("v1={CODE}"),
            "t=1".to_owned(),
            format!("t=,v1={CODE}"),
            format!("t=-1,v1={CODE}"),
            format!("t=+1,v1={CODE}"),
            format!("t=1,t=2,v1={CODE}"),
            format!("t=1,v1={}", &CODE[1..]),
            format!("t=1,v1={}é", &CODE[2..]),
            format!("t=1,v0={CODE}"),
            format!("t=99999999999999999999,v1={CODE}"),
            format!("t=1,v1{CODE}"),
        ] {
            assert!(shown(&value).is_none(), "{value}");
        }
    }

    #[test]
    fn a_crowd_of_codes_is_refused() {
        let codes = vec![format!("v1={CODE}"); 17].join(",");
        assert!(shown(&format!("t=1,{codes}")).is_none());
    }
}
