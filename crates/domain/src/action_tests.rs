use proptest::prelude::*;

use super::*;

fn names(keep: impl Fn(&ActionSpec) -> bool) -> Vec<&'static str> {
    ACTIONS
        .iter()
        .filter(|spec| keep(spec))
        .map(|spec| spec.name)
        .collect()
}

#[test]
fn every_action_stands_at_its_own_number() {
    for (position, spec) in ACTIONS.iter().enumerate() {
        assert_eq!(spec.action as usize, position, "{}", spec.name);
        assert_eq!(spec.action.spec(), spec);
        assert_eq!(Action::parse(spec.name), Some(spec.action));
    }
}

#[test]
fn names_are_the_variants_in_lower_camel_case() {
    for spec in ACTIONS {
        let variant = format!("{:?}", spec.action);
        let (head, tail) = variant.split_at(1);
        assert_eq!(spec.name, format!("{}{tail}", head.to_lowercase()));
    }
}

#[test]
fn the_stored_numbers_never_move() {
    assert_eq!(Action::FindBySteam as u8, 0);
    assert_eq!(Action::Count as u8, 10);
    assert_eq!(Action::Remove as u8, 27);
    assert_eq!(Action::GetPlayer as u8, 31);
    assert_eq!(ActionSet::PLUGIN.bits(), 0x2C07_2471);
}

#[test]
fn plugin_keys_hold_these_twelve_and_no_more() {
    let expected = [
        "findBySteam",
        "steamChecks",
        "nitroChecks",
        "groupChecks",
        "count",
        "update",
        "updateSteam",
        "updateOxideGroups",
        "updateOxideGroupsBulk",
        "getPendingOxideChangesBulk",
        "remove",
        "clearPendingOxideChangesBulk",
    ];
    assert_eq!(names(|spec| spec.plugin), expected);
    let held: Vec<_> = ActionSet::PLUGIN.iter().map(Action::name).collect();
    assert_eq!(held, expected);
}

#[test]
fn exactly_the_id_lookups_fail_closed() {
    assert_eq!(
        names(|spec| spec.fail_closed),
        ["findBySteam", "findByDiscord", "discordCheck"]
    );
}

#[test]
fn an_action_changes_something_exactly_when_its_verb_says_so() {
    let verbs = ["update", "confirm", "set", "remove", "clear"];
    for spec in ACTIONS {
        let says_so = verbs.iter().any(|verb| spec.name.starts_with(verb));
        assert_eq!(spec.mutating, says_so, "{}", spec.name);
    }
}

#[test]
fn server_actions_are_these_eleven() {
    assert_eq!(
        names(|spec| spec.scope == ActionScope::Server),
        [
            "updateOxideGroups",
            "updateOxideGroupsBulk",
            "pendingRoles",
            "confirmRoleSync",
            "setOxideGroupFromDiscord",
            "getPendingOxideChanges",
            "getPendingOxideChangesBulk",
            "clearPendingOxideChanges",
            "clearPendingOxideChangesBulk",
            "getServerConfig",
            "getPlayer",
        ]
    );
}

#[test]
fn groups_share_out_all_actions_without_overlap() {
    let sizes: Vec<_> = ActionGroup::ALL
        .iter()
        .map(|group| ActionSet::of_group(*group).len())
        .collect();
    assert_eq!(sizes, [13, 6, 8, 3, 2]);
    let all = ActionGroup::ALL
        .iter()
        .map(|group| ActionSet::of_group(*group))
        .fold(ActionSet::EMPTY, ActionSet::union);
    assert_eq!(all, ActionSet::ALL);
}

#[test]
fn unknown_and_retired_names_are_refused() {
    for wrong in ["", "getBotGuildMapping", "FindBySteam", "findbysteam", "count "] {
        assert_eq!(Action::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn stored_numbers_outside_the_table_are_refused() {
    assert_eq!(ActionSet::from_bits(-1), None);
    assert_eq!(ActionSet::from_bits(1 << 32), None);
    assert_eq!(ActionSet::from_bits(0), Some(ActionSet::EMPTY));
}

proptest! {
    #[test]
    fn a_stored_set_reads_back(bits: u32) {
        let set = ActionSet::from_bits(i64::from(bits)).unwrap();
        prop_assert_eq!(set.bits(), i64::from(bits));
        prop_assert_eq!(set.iter().collect::<ActionSet>(), set);
        prop_assert_eq!(set.iter().count(), set.len());
    }
}
