//! Closed lists of words as schemas of their own, so that generated clients know every value.

use std::borrow::Cow;

use app::checkup;
use app::notice;
use domain::announcement;
use domain::audit;
use domain::billing;
use domain::discord;
use domain::face;
use domain::flow::JoinMode;
use domain::invitation::Expiry;
use domain::link;
use domain::navigation::Icon;
use domain::permission;
use domain::plan;
use domain::roles;
use domain::runner;
use domain::trust;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! word_schemas {
    ($($(#[$meta:meta])* $name:ident of $words:ty;)+) => {$(
        $(#[$meta])*
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words = <$words>::ALL.iter().map(|word| word.as_str());
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+};
}

word_schemas! {
    Tier of plan::Tier;
    SubscriptionStatus of billing::Status;
    PayInterval of billing::Interval;
    BotStatus of runner::RunnerStatus;
    BotStep of runner::SetUpStep;
    BotTrouble of runner::Trouble;
    BotRestart of runner::Restart;
    Role of permission::Role;
    NavigationIcon of Icon;
    Accent of face::Accent;
    MembershipMode of JoinMode;
    InviteExpiry of Expiry;
    Severity of notice::Severity;
    CheckState of checkup::State;
    CheckTopic of checkup::Topic;
    AnnouncementSeverity of announcement::Severity;
    AnnouncementTarget of announcement::Target;
    AnnouncementState of announcement::State;
    AuditAction of audit::AuditAction;
    AuditNameKind of audit::NamedKind;
    RoleDirection of roles::Direction;
    RoleSide of roles::Side;
    RoleLoss of roles::OnLoss;
    RoleChangeKind of roles::Change;
    RoleCause of roles::Cause;
    RoleSource of roles::Source;
    RoleOutcome of roles::Outcome;
    RoleReason of discord::RoleReason;
    TrustTier of trust::TrustTier;
    GroupClass of trust::GroupClass;
    PillTone of trust::PillTone;
    UnlinkCause of link::UnlinkCause;
}
