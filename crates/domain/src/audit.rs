//! The audit log: what is recorded, who did it, and the hash chain that shows later changes.

use sha2::{Digest, Sha256};

use crate::digest::write_hex;
use crate::id::{AccountId, KeyId};
use crate::text::ascii;
use crate::words::words;

/// Stored chains depend on this text.
const CHAIN_LABEL: &str = "symbolon audit v1";

words! {
    /// Something worth remembering who did it.
    pub enum AuditAction {
        OrgCreated = "org.created",
        OrgChanged = "org.changed",
        OrgRemoved = "org.removed",
        OwnerChanged = "org.owner_changed",
        NavigationChanged = "org.navigation_changed",
        MemberAdded = "member.added",
        MemberChanged = "member.changed",
        MemberRemoved = "member.removed",
        MemberLeft = "member.left",
        InviteCreated = "invite.created",
        InviteReissued = "invite.reissued",
        InviteRevoked = "invite.revoked",
        AuditExported = "audit.exported",
        /// Keywords of permission groups, or their colours.
        TrustChanged = "org.trust_changed",
        CleanupChanged = "org.cleanup_changed",
        TierChanged = "org.tier_changed",
        /// An operator gave a plan, for a time or for good, or took it back.
        TierGranted = "org.tier_granted",
        TierGrantEnded = "org.tier_grant_ended",
        /// Somebody began to buy something.
        CheckoutOpened = "billing.checkout_opened",
        PortalOpened = "billing.portal_opened",
        /// What Stripe says of a subscription is not what it was.
        SubscriptionChanged = "billing.subscription_changed",
        /// An operator had one forgotten that Stripe does not know any more.
        SubscriptionForgotten = "billing.subscription_forgotten",
        GuildCreated = "guild.created",
        GuildChanged = "guild.changed",
        GuildRemoved = "guild.removed",
        /// Somebody had everybody's roles looked at.
        RecheckStarted = "guild.recheck_started",
        RecheckCancelled = "guild.recheck_cancelled",
        ServerCreated = "server.created",
        ServerActivated = "server.activated",
        ServerDeactivated = "server.deactivated",
        ServerChanged = "server.changed",
        ServerRolesChanged = "server.roles_changed",
        ServerDeleted = "server.deleted",
        KeyCreated = "key.created",
        KeyEdited = "key.edited",
        KeyRevealed = "key.revealed",
        KeyRegenerated = "key.regenerated",
        KeyRevoked = "key.revoked",
        KeyRemoved = "key.removed",
        /// A key that was regenerated away was tried again.
        KeyRetiredUsed = "key.retired_used",
        LinkCreated = "link.created",
        LinkRelinked = "link.relinked",
        LinkRemoved = "link.removed",
        /// A player had what is held about them erased. Nobody is named.
        PersonErased = "person.erased",
        /// Somebody at the command line looked for a person in all Orgs. The detail has our own ids of what was found.
        PersonLookedUp = "person.looked_up",
        /// Somebody deleted their dashboard account.
        AccountDeleted = "account.deleted",
        /// Somebody of the team looked at a person's page; once an hour.
        UserViewed = "user.viewed",
        UsersExported = "users.exported",
        AnalyticsExported = "analytics.exported",
        /// Links of many people end together; each has its own entry.
        BulkUnlinkStarted = "users.unlink_started",
        BulkUnlinkCancelled = "users.unlink_cancelled",
        BulkUnlinkFinished = "users.unlink_finished",
        DormantKept = "users.kept",
        CleanupRan = "users.cleanup_ran",
        /// An operator took away work that waited.
        JobDropped = "job.dropped",
        /// An operator had work tried again at once.
        JobRetried = "job.retried",
        /// Links of another system were taken over; the detail counts them.
        LinksImported = "links.imported",
        /// The same in the dashboard, from a file that was checked before; the details count rows.
        ImportStarted = "import.started",
        ImportFinished = "import.finished",
        ImportCancelled = "import.cancelled",
        SessionCreated = "session.created",
        SessionEnded = "session.ended",
        /// An operator ended all sessions but their own.
        SessionsEnded = "sessions.ended",
        IdleSessionsDropped = "sessions.idle_dropped",
        OperatorGranted = "operator.granted",
        OperatorRevoked = "operator.revoked",
        BlockAdded = "block.added",
        BlockRemoved = "block.removed",
        AccessDenied = "access.denied",
        MaintenanceSwitched = "maintenance.switched",
        RegistrationChanged = "registration.changed",
        RegistrationCodeMade = "registration.code_made",
        RegistrationCodeRevoked = "registration.code_revoked",
        AnnouncementCreated = "announcement.created",
        AnnouncementChanged = "announcement.changed",
        AnnouncementDeleted = "announcement.deleted",
        FlagSet = "flag.set",
        BuildPublished = "plugin.published",
        BuildWithdrawn = "plugin.withdrawn",
        BuildRestored = "plugin.restored",
        /// An operator began to look into an Org; in its log and in that of the operators.
        VisitBegan = "visit.began",
        VisitEnded = "visit.ended",
        /// An operator gave an Org to somebody else, because its owner lost their account.
        OrgRecovered = "org.recovered",
        /// An operator took a Discord server from the Org that had claimed it.
        GuildReleased = "guild.released",
        RingRotated = "ring.rotated",
        /// A Guild's own bot was given a token, for the first time or another one.
        BotTokenSaved = "bot.token_saved",
        BotRetried = "bot.retried",
        BotRemoved = "bot.removed",
        BotSecretShown = "bot_secret.shown",
        BotSecretRotated = "bot_secret.rotated",
        /// An operator has the changes of an Org sent somewhere, or not any more.
        WebhookAdded = "webhook.added",
        WebhookRotated = "webhook.rotated",
        WebhookRetried = "webhook.retried",
        WebhookRemoved = "webhook.removed",
    }
}

words! {
    /// What an id in the log belongs to, for telling its name. Keys of a Server are called after it, links after their
    /// player, and invites by the role they give.
    pub enum NamedKind {
        Account = "account",
        Org = "org",
        Guild = "guild",
        Server = "server",
        PluginKey = "plugin_key",
        CustomKey = "custom_key",
        BotKey = "bot_key",
        Link = "link",
        Invite = "invite",
    }
}

/// Who did something, by our own ids only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    Account(AccountId),
    /// An operator in an Org that they visit. The log calls them by their account, and says that it was a visit.
    Visitor(AccountId),
    Key(KeyId),
    /// Whoever the link is about, on the link page.
    Player,
    /// Someone at the command line of the instance.
    Operator,
    /// The service by itself.
    System,
}

impl Actor {
    /// The spelling that is stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Account(_) | Self::Visitor(_) => "account",
            Self::Key(_) => "key",
            Self::Player => "player",
            Self::Operator => "operator_cli",
            Self::System => "system",
        }
    }

    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Account(id) | Self::Visitor(id) => Some(id.as_str()),
            Self::Key(id) => Some(id.as_str()),
            Self::Player | Self::Operator | Self::System => None,
        }
    }
}

/// Everything of an audit row that its hash covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainInput<'a> {
    pub chain: i64,
    pub seq: i64,
    pub at_ms: i64,
    pub actor_kind: &'a str,
    pub actor_id: Option<&'a str>,
    pub action: &'a str,
    pub target: Option<&'a str>,
    pub detail: &'a str,
}

/// The hash of a row as 64 hex characters, given the hash of the row before it; the first row of a chain has `""` before it.
pub fn chain_hash(prev: &str, input: &ChainInput<'_>) -> String {
    let mut hasher = Sha256::new();
    text(&mut hasher, CHAIN_LABEL);
    text(&mut hasher, prev);
    for number in [input.chain, input.seq, input.at_ms] {
        hasher.update(number.to_be_bytes());
    }
    text(&mut hasher, input.actor_kind);
    optional_text(&mut hasher, input.actor_id);
    text(&mut hasher, input.action);
    optional_text(&mut hasher, input.target);
    text(&mut hasher, input.detail);
    let mut hex = [0; 64];
    write_hex(&hasher.finalize(), &mut hex);
    ascii(&hex).to_owned()
}

/// The length goes first, so that moving a character from one field to the next changes the hash.
fn text(hasher: &mut Sha256, value: &str) {
    hasher.update((value.len() as u64).to_be_bytes());
    hasher.update(value.as_bytes());
}

fn optional_text(hasher: &mut Sha256, value: Option<&str>) {
    match value {
        Some(value) => {
            hasher.update([1]);
            text(hasher, value);
        }
        None => hasher.update([0]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROW: ChainInput<'_> = ChainInput {
        chain: 1,
        seq: 2,
        at_ms: 3,
        actor_kind: "account",
        actor_id: Some("usr_1"),
        action: "key.revealed",
        target: Some("key_1"),
        detail: "{}",
    };

    #[test]
    fn every_field_is_covered_by_the_hash() {
        let changed = [
            ChainInput { chain: 9, ..ROW },
            ChainInput { seq: 9, ..ROW },
            ChainInput { at_ms: 9, ..ROW },
            ChainInput {
                actor_kind: "key",
                ..ROW
            },
            ChainInput {
                actor_id: None,
                ..ROW
            },
            ChainInput {
                actor_id: Some(""),
                ..ROW
            },
            ChainInput {
                actor_id: Some("usr_2"),
                ..ROW
            },
            ChainInput {
                action: "key.revoked",
                ..ROW
            },
            ChainInput { target: None, ..ROW },
            ChainInput {
                target: Some("key_2"),
                ..ROW
            },
            ChainInput { detail: "{ }", ..ROW },
        ];
        let mut hashes: Vec<_> = changed.iter().map(|row| chain_hash("", row)).collect();
        hashes.push(chain_hash("", &ROW));
        hashes.push(chain_hash("0", &ROW));
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), changed.len() + 2);
    }

    #[test]
    fn stored_chains_stay_valid() {
        assert_eq!(
            chain_hash("", &ROW),
            "e428d01f24fc8d894dbe2f411cbb6503be2a74d0ed27d596cd9dddf77ab1db62"
        );
    }

    #[test]
    fn actors_are_named_by_our_own_ids() {
        let id = "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        let actor = Actor::Account(AccountId::parse(id).unwrap());
        assert_eq!((actor.kind(), actor.id()), ("account", Some(id)));
        let visitor = Actor::Visitor(AccountId::parse(id).unwrap());
        assert_eq!((visitor.kind(), visitor.id()), ("account", Some(id)));
        assert_eq!(
            (Actor::Operator.kind(), Actor::Operator.id()),
            ("operator_cli", None)
        );
        assert_eq!((Actor::System.kind(), Actor::System.id()), ("system", None));
    }

    #[test]
    fn every_action_is_a_dotted_name() {
        assert_eq!(AuditAction::ALL.len(), 94);
        for action in AuditAction::ALL {
            assert_eq!(action.as_str().split('.').count(), 2);
            assert_eq!(AuditAction::parse(action.as_str()), Some(*action));
        }
    }

    proptest! {
        #[test]
        fn fields_cannot_flow_into_each_other(
            a in "[ab]{0,3}", b in "[ab]{0,3}", c in "[ab]{0,3}", d in "[ab]{0,3}",
        ) {
            let one = ChainInput { action: &a, target: None, detail: &b, ..ROW };
            let two = ChainInput { action: &c, target: None, detail: &d, ..ROW };
            prop_assert_eq!(chain_hash("", &one) == chain_hash("", &two), one == two);
        }
    }
}
