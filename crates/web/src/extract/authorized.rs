//! The proof that a signed-in person may do what a route does. A handler cannot run without it.

use std::marker::PhantomData;

use app::error::{HttpError, RequestError, TenancyError};
use app::identity::sessions::Visit;
use app::tenancy::team::{Standing, TeamActor};
use app::{AccountNum, AppError, OrgScope};
use axum::extract::{FromRequestParts, RawPathParams};
use domain::audit::Actor;
use domain::id::OrgId;
use domain::permission::{Permission, PermissionSet, Role};
use http::header::ORIGIN;
use http::request::Parts;
use http::{HeaderMap, Method};

use super::body::{has_type, is_json};
use super::person::session_token;
use super::signed_in::signed_in;
use crate::error::Failure;
use crate::state::{Settings, WebState};

/// The type of a file that is sent: like JSON, none that a form can have.
pub const FILE: &str = "application/octet-stream";

/// A permission as a type, so that a route's signature says what it needs.
pub trait Required: Send + Sync + 'static {
    const PERMISSION: Permission;
    /// Holding the permission is not enough: it takes the owner.
    const OWNER_ONLY: bool = false;
    /// What is sent is a file. No page of another site can send one either.
    const SENDS_FILE: bool = false;
    /// An operator on a visit may do it too, if the visit has the permission.
    const VISITORS: bool = true;
}

/// One type per permission that a route asks for.
pub mod perm {
    use std::marker::PhantomData;

    use domain::permission::Permission;

    macro_rules! required {
        ($($name:ident)+) => {$(
            pub struct $name;

            impl super::Required for $name {
                const PERMISSION: Permission = Permission::$name;
            }
        )+};
    }

    required! {
        OrgSettings OrgTeam OrgInvites OrgBilling OrgNavigation ServersView ServersManage ServersKeys ServersRoles ServersBots LinksView
        LinksUnlink LinksBulkUnlink LinksExport LinksCleanup AuditView AuditExport AnalyticsView AnalyticsExport
    }

    /// For a file that is sent.
    pub struct FileOfSettings;

    impl super::Required for FileOfSettings {
        const PERMISSION: Permission = Permission::OrgSettings;
        const SENDS_FILE: bool = true;
        const VISITORS: bool = false;
    }

    /// Only for the team: an operator on a visit does not do it, whatever the visit allows.
    pub struct OfTeam<P>(PhantomData<P>);

    impl<P: super::Required> super::Required for OfTeam<P> {
        const PERMISSION: Permission = P::PERMISSION;
        const OWNER_ONLY: bool = P::OWNER_ONLY;
        const SENDS_FILE: bool = P::SENDS_FILE;
        const VISITORS: bool = false;
    }

    /// The owner, for what cannot be undone about an Org.
    pub struct OwnerOfSettings;

    impl super::Required for OwnerOfSettings {
        const PERMISSION: Permission = Permission::OrgSettings;
        const OWNER_ONLY: bool = true;
    }

    /// The owner, for handing an Org over.
    pub struct OwnerOfTeam;

    impl super::Required for OwnerOfTeam {
        const PERMISSION: Permission = Permission::OrgTeam;
        const OWNER_ONLY: bool = true;
    }
}

/// A caller who holds `P` in the Org of the path.
pub struct Authorized<P: Required> {
    pub scope: OrgScope,
    pub account: AccountNum,
    pub actor: Actor,
    pub role: Role,
    pub permissions: PermissionSet,
    /// When this session began.
    pub signed_in_at_ms: i64,
    _permission: PhantomData<P>,
}

impl<P: Required> Authorized<P> {
    pub fn team_actor(self) -> TeamActor {
        TeamActor {
            account: self.account,
            actor: self.actor,
        }
    }

    /// What the caller is in the Org, as of this request.
    pub fn standing(&self) -> Standing {
        Standing {
            role: self.role,
            permissions: self.permissions,
        }
    }
}

impl<P: Required> FromRequestParts<WebState> for Authorized<P> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| RequestError::NotFound)?;
        let named = params
            .iter()
            .find(|(name, _)| *name == "org")
            .map(|(_, value)| value);
        let org = named.and_then(|text| OrgId::parse(text).ok());
        let token = session_token(&parts.headers, &state.settings);
        let caller = signed_in(state, &parts.extensions, token.as_ref(), org.as_ref()).await?;
        refuse_others(&parts.method, &parts.headers, &state.settings, P::SENDS_FILE)?;
        // An operator may look into an Org for a while; whoever belongs to it is nothing else there.
        let visits = caller.membership.is_none();
        let standing = caller.membership.or_else(|| caller.visit.map(Visit::standing));
        // Someone else's Org and one that never was look the same.
        let membership = standing.ok_or(RequestError::NotFound)?;
        if !membership.permissions.contains(P::PERMISSION) || (visits && !P::VISITORS) {
            let permission = P::PERMISSION.as_str();
            return Err(TenancyError::MissingPermission { permission }.into());
        }
        if P::OWNER_ONLY && membership.role != Role::Owner {
            return Err(TenancyError::OwnerOnly.into());
        }
        Ok(Self {
            scope: membership.scope,
            account: caller.account,
            actor: if visits {
                Actor::Visitor(caller.account_id)
            } else {
                Actor::Account(caller.account_id)
            },
            role: membership.role,
            permissions: membership.permissions,
            signed_in_at_ms: caller.signed_in_at_ms,
            _permission: PhantomData,
        })
    }
}

/// A browser must not be made to change anything from another site. Programs send neither header and pass.
pub(super) fn refuse_other_sites(
    method: &Method,
    headers: &HeaderMap,
    settings: &Settings,
) -> Result<(), AppError> {
    refuse_others(method, headers, settings, false)
}

pub(super) fn refuse_others(
    method: &Method,
    headers: &HeaderMap,
    settings: &Settings,
    sends_file: bool,
) -> Result<(), AppError> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let same_site = headers
        .get("sec-fetch-site")
        .is_none_or(|site| site == "same-origin");
    let same_origin = headers
        .get(ORIGIN)
        .is_none_or(|origin| origin.as_bytes() == settings.public_url.as_bytes());
    if !same_site || !same_origin {
        return Err(HttpError::CrossSite.into());
    }
    let is_marked = if sends_file {
        has_type(headers, FILE)
    } else {
        is_json(headers)
    };
    if !is_marked {
        return Err(HttpError::UnsupportedMediaType.into());
    }
    Ok(())
}
