use proptest::prelude::*;

use super::*;

const NEEDED: Permissions = Permissions::needed();

fn id(number: u64) -> DiscordId {
    DiscordId::parse(&(700_000_000_000_000_000 + number).to_string()).unwrap()
}

const GUILD: u64 = 1;
const OWNER: u64 = 2;
const BOT: u64 = 3;

fn role(number: u64, position: i64, permissions: u64) -> Role {
    Role {
        id: id(number),
        name: "role".to_owned(),
        colour: 0,
        position,
        permissions: Permissions(permissions),
        managed: false,
    }
}

fn channel(overwrites: Vec<Overwrite>) -> Channel {
    Channel {
        id: id(50),
        name: "log".to_owned(),
        kind: Channel::TEXT,
        position: 0,
        parent: None,
        overwrites,
    }
}

fn overwrite(of: u64, allow: u64, deny: u64) -> Overwrite {
    Overwrite {
        of: id(of),
        is_member: of == BOT,
        allow: Permissions(allow),
        deny: Permissions(deny),
    }
}

/// The bot with roles 10 and 11; role 12 is not its own.
fn with<T>(all_roles: &[Role], look: impl FnOnce(&Standing<'_>) -> T) -> T {
    let (guild, owner, member) = (id(GUILD), id(OWNER), id(BOT));
    look(&Standing {
        guild: &guild,
        owner: &owner,
        member: &member,
        roles: &[id(10), id(11)],
        all_roles,
    })
}

const VIEW: u64 = Permissions::VIEW_CHANNEL.0;
const SEND: u64 = Permissions::SEND_MESSAGES.0;
const EMBED: u64 = Permissions::EMBED_LINKS.0;

#[test]
fn roles_add_up_and_those_of_others_do_not_count() {
    let roles = [
        role(GUILD, 0, VIEW),
        role(10, 1, SEND),
        role(11, 2, 0),
        role(12, 9, EMBED),
    ];
    let found = with(&roles, |bot| (bot.permissions().0, bot.top_position()));
    assert_eq!(found, (VIEW | SEND, 2));
}

#[test]
fn administrators_may_do_everything_everywhere() {
    let roles = [role(GUILD, 0, 0), role(10, 1, Permissions::ADMINISTRATOR.0)];
    let closed = channel(vec![overwrite(GUILD, 0, u64::MAX), overwrite(BOT, 0, u64::MAX)]);
    assert!(with(&roles, |bot| bot.permissions_in(&closed).contain(NEEDED)));
}

#[test]
fn the_nearer_exception_has_the_last_word_and_giving_goes_before_taking() {
    let roles = [
        role(GUILD, 0, VIEW | SEND | EMBED),
        role(10, 1, 0),
        role(11, 2, 0),
    ];
    for (overwrites, reason) in [
        (vec![], None),
        (vec![overwrite(GUILD, 0, VIEW)], Some(ChannelReason::CannotSee)),
        (vec![overwrite(GUILD, 0, SEND)], Some(ChannelReason::CannotPost)),
        (vec![overwrite(GUILD, 0, EMBED)], Some(ChannelReason::CannotEmbed)),
        (vec![overwrite(GUILD, 0, VIEW), overwrite(10, VIEW, 0)], None),
        (vec![overwrite(10, 0, SEND), overwrite(11, SEND, 0)], None),
        (vec![overwrite(12, 0, VIEW)], None),
        (
            vec![overwrite(10, SEND, 0), overwrite(BOT, 0, SEND)],
            Some(ChannelReason::CannotPost),
        ),
        (vec![overwrite(10, 0, VIEW), overwrite(BOT, VIEW, 0)], None),
    ] {
        let found = with(&roles, |bot| {
            bot.reason_against_channel(&channel(overwrites.clone()))
        });
        assert_eq!(found, reason, "{overwrites:?}");
    }
    let voice = Channel {
        kind: 2,
        ..channel(vec![])
    };
    assert_eq!(
        with(&roles, |bot| bot.reason_against_channel(&voice)),
        Some(ChannelReason::NotText)
    );
}

#[test]
fn a_role_can_be_given_below_the_bots_own_highest() {
    let roles = [
        role(GUILD, 0, 0),
        role(10, 3, Permissions::MANAGE_ROLES.0),
        role(11, 5, 0),
        role(12, 4, 0),
    ];
    let reason = |roles: &[Role], one: &Role| with(roles, |bot| bot.reason_against_role(one));
    assert_eq!(reason(&roles, &roles[3]), None);
    assert_eq!(reason(&roles, &role(13, 5, 0)), Some(RoleReason::AboveBot));
    assert_eq!(reason(&roles, &roles[0]), Some(RoleReason::Managed));
    let managed = Role {
        managed: true,
        ..role(13, 1, 0)
    };
    assert_eq!(reason(&roles, &managed), Some(RoleReason::Managed));
    assert_eq!(
        reason(&roles[2..], &role(13, 1, 0)),
        Some(RoleReason::NoPermission)
    );
}

#[test]
fn a_role_that_administers_is_not_handed_out() {
    let roles = [
        role(GUILD, 0, 0),
        role(10, 3, Permissions::MANAGE_ROLES.0),
        role(11, 5, 0),
    ];
    let reason = |one: &Role| with(&roles, |bot| bot.reason_against_role(one));
    // Kick, ban, administrator, channels, server, roles, webhooks.
    for bit in [1, 2, 3, 4, 5, 28, 29] {
        assert_eq!(
            reason(&role(13, 1, 1 << bit)),
            Some(RoleReason::Powerful),
            "{bit}"
        );
        assert_eq!(
            reason(&role(13, 5, 1 << bit)),
            Some(RoleReason::AboveBot),
            "what cannot be given comes first"
        );
    }
    let harmless = !Permissions::POWERFUL.0;
    assert_eq!(reason(&role(13, 1, harmless)), None);
    assert_eq!(reason(&roles[0]), Some(RoleReason::Managed));
}

#[test]
fn what_the_bot_is_invited_with_is_what_it_needs() {
    assert_eq!(NEEDED.0, 402_672_641);
}

fn any_overwrites() -> impl Strategy<Value = Vec<Overwrite>> {
    let one = (
        prop::sample::select(vec![GUILD, BOT, 10, 11, 12]),
        0..1_u64 << 16,
        0..1_u64 << 16,
    );
    prop::collection::vec(one.prop_map(|(of, allow, deny)| overwrite(of, allow, deny)), 0..6)
}

proptest! {
    #[test]
    fn the_order_of_exceptions_changes_nothing(
        base in 0..1_u64 << 16,
        overwrites in any_overwrites(),
    ) {
        let roles = [role(GUILD, 0, base & !Permissions::ADMINISTRATOR.0), role(10, 1, 0), role(11, 2, 0)];
        let mut turned = overwrites.clone();
        turned.reverse();
        let found = with(&roles, |bot| (bot.permissions_in(&channel(overwrites)), bot.permissions_in(&channel(turned))));
        prop_assert_eq!(found.0, found.1);
        prop_assert!(found.0 == Permissions::NONE || found.0.contain(Permissions::VIEW_CHANNEL));
    }

    #[test]
    fn exceptions_of_others_change_nothing(base in 0..1_u64 << 16, allow: u64, deny: u64) {
        let roles = [role(GUILD, 0, base | VIEW), role(10, 1, 0), role(11, 2, 0), role(12, 3, u64::MAX)];
        let strangers = vec![overwrite(12, allow, deny), Overwrite { is_member: true, ..overwrite(77, allow, deny) }];
        let found = with(&roles, |bot| (bot.permissions_in(&channel(strangers)), bot.permissions_in(&channel(vec![]))));
        prop_assert_eq!(found.0, found.1);
    }

    #[test]
    fn what_is_given_to_the_bot_itself_it_has(base in 0..1_u64 << 16, overwrites in any_overwrites(), own in 0..=u64::MAX >> 1) {
        let roles = [role(GUILD, 0, base), role(10, 1, 0), role(11, 2, 0)];
        let mut all: Vec<Overwrite> = overwrites.into_iter().filter(|one| !one.is_member).collect();
        all.push(overwrite(BOT, own | VIEW, 0));
        prop_assert!(with(&roles, |bot| bot.permissions_in(&channel(all)).contain(Permissions(own))));
    }
}
