//! Parts of the path, parsed into ids. What does not parse does not exist.

use app::error::RequestError;
use axum::extract::{FromRequestParts, RawPathParams};
use domain::action::Action;
use domain::flag::Flag;
use domain::id::{
    AccountId, AnnouncementId, BlockId, GuildId, ImportId, InviteId, KeyId, OrgId, RegistrationId, ServerId,
};
use domain::platform_id::EitherId;
use domain::plugin_build::PluginVersion;
use http::request::Parts;

use crate::error::Failure;
use crate::state::WebState;

/// A path parameter with a name and a type.
pub trait Segment: Sized {
    const NAME: &'static str;
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! segments {
    ($($id:ident $name:literal)+) => {$(
        impl Segment for $id {
            const NAME: &'static str = $name;

            fn parse(text: &str) -> Option<Self> {
                $id::parse(text).ok()
            }
        }
    )+};
}

segments! {
    OrgId "org"
    GuildId "guild"
    ServerId "server"
    KeyId "key"
    AccountId "account"
    InviteId "invite"
    ImportId "import"
    AnnouncementId "announcement"
    BlockId "block"
    RegistrationId "registration"
}

impl Segment for Flag {
    const NAME: &'static str = "flag";

    fn parse(text: &str) -> Option<Self> {
        Flag::parse(text)
    }
}

impl Segment for PluginVersion {
    const NAME: &'static str = "version";

    fn parse(text: &str) -> Option<Self> {
        PluginVersion::parse(text)
    }
}

/// By which operators name a job.
pub struct JobNumber(pub i64);

impl Segment for JobNumber {
    const NAME: &'static str = "job";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

/// Somebody of an Org by either id.
impl Segment for EitherId {
    const NAME: &'static str = "user";

    fn parse(text: &str) -> Option<Self> {
        EitherId::parse(text).ok()
    }
}

/// The name of a session in its owner's list.
pub struct SessionName(pub String);

impl Segment for SessionName {
    const NAME: &'static str = "session";

    fn parse(text: &str) -> Option<Self> {
        let is_name = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| Self(text.to_owned()))
    }
}

impl Segment for Action {
    const NAME: &'static str = "action";

    fn parse(text: &str) -> Option<Self> {
        Action::parse(text)
    }
}

/// One path parameter as its type.
pub struct Segments<T>(pub T);

impl<T: Segment + Send> FromRequestParts<WebState> for Segments<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| RequestError::NotFound)?;
        let found = params
            .iter()
            .find(|(name, _)| *name == T::NAME)
            .and_then(|(_, value)| T::parse(value));
        Ok(Self(found.ok_or(RequestError::NotFound)?))
    }
}
