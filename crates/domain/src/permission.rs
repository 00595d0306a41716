//! What members of a team may do.

use std::fmt;

use crate::words::words;

words! {
    /// One capability that a member holds or not. The order is stored: only ever append, see [`PermissionSet`].
    pub enum Permission {
        OrgSettings = "org.settings",
        OrgTeam = "org.team",
        OrgInvites = "org.invites",
        OrgBilling = "org.billing",
        OrgNavigation = "org.navigation",
        LinksView = "links.view",
        LinksUnlink = "links.unlink",
        LinksBulkUnlink = "links.bulk_unlink",
        LinksExport = "links.export",
        LinksCleanup = "links.cleanup",
        ServersView = "servers.view",
        ServersManage = "servers.manage",
        ServersKeys = "servers.keys",
        ServersRoles = "servers.roles",
        ServersBots = "servers.bots",
        AuditView = "audit.view",
        AuditExport = "audit.export",
        AnalyticsView = "analytics.view",
        AnalyticsExport = "analytics.export",
    }
}

words! {
    /// The heading under which a capability is shown.
    pub enum PermissionArea {
        Organisation = "Organisation",
        Links = "Links",
        Servers = "Servers",
        Audit = "Audit",
        Analytics = "Analytics",
    }
}

words! {
    /// The rank of a member; the owner compares as greatest.
    pub enum Role {
        Staff = "staff",
        Admin = "admin",
        Owner = "owner",
    }
}

impl Permission {
    pub const fn area(self) -> PermissionArea {
        match self {
            Self::OrgSettings | Self::OrgTeam | Self::OrgInvites | Self::OrgBilling | Self::OrgNavigation => {
                PermissionArea::Organisation
            }
            Self::LinksView
            | Self::LinksUnlink
            | Self::LinksBulkUnlink
            | Self::LinksExport
            | Self::LinksCleanup => PermissionArea::Links,
            Self::ServersView
            | Self::ServersManage
            | Self::ServersKeys
            | Self::ServersRoles
            | Self::ServersBots => PermissionArea::Servers,
            Self::AuditView | Self::AuditExport => PermissionArea::Audit,
            Self::AnalyticsView | Self::AnalyticsExport => PermissionArea::Analytics,
        }
    }
}

impl Permission {
    /// What its holder can do, as the dashboard says it too.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OrgSettings => "Change settings",
            Self::OrgTeam => "Manage the team",
            Self::OrgInvites => "Invite people",
            Self::OrgBilling => "Manage billing",
            Self::OrgNavigation => "Customise the link page",
            Self::LinksView => "View links",
            Self::LinksUnlink => "Unlink players",
            Self::LinksBulkUnlink => "Unlink many players at once",
            Self::LinksExport => "Export links",
            Self::LinksCleanup => "Clean up dormant accounts",
            Self::ServersView => "View Servers",
            Self::ServersManage => "Add and change Servers",
            Self::ServersKeys => "Reveal and replace keys",
            Self::ServersRoles => "Edit role rules",
            Self::ServersBots => "Manage custom bots",
            Self::AuditView => "View the audit log",
            Self::AuditExport => "Export the audit log",
            Self::AnalyticsView => "View analytics",
            Self::AnalyticsExport => "Export analytics",
        }
    }
}

impl Role {
    /// What is pre-filled when a member gets this role. The owner holds everything whatever is stored.
    pub fn default_permissions(self) -> PermissionSet {
        match self {
            Self::Owner => PermissionSet::ALL,
            Self::Admin => PermissionSet::ALL.without(Permission::OrgBilling),
            Self::Staff => [
                Permission::LinksView,
                Permission::ServersView,
                Permission::AnalyticsView,
            ]
            .into_iter()
            .collect(),
        }
    }
}

/// A member's capabilities. Bit `n` stands for the n-th [`Permission`]; these numbers are stored and fixed for ever.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PermissionSet(u32);

impl PermissionSet {
    pub const EMPTY: Self = Self(0);
    pub const ALL: Self = Self((1 << Permission::ALL.len()) - 1);

    pub const fn contains(self, permission: Permission) -> bool {
        self.0 & Self::bit(permission) != 0
    }

    pub const fn insert(&mut self, permission: Permission) {
        self.0 |= Self::bit(permission);
    }

    /// The same set without this one.
    pub const fn without(self, permission: Permission) -> Self {
        Self(self.0 & !Self::bit(permission))
    }

    /// What both hold.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What this set has and `other` lacks.
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether someone who holds `other` may hand out this set.
    pub const fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The members in the order of declaration.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL
            .iter()
            .copied()
            .filter(move |permission| self.contains(*permission))
    }

    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads a stored set; nothing when it holds bits that no capability has.
    pub fn from_bits(bits: i64) -> Option<Self> {
        let set = u32::try_from(bits).ok().map(Self)?;
        set.is_subset_of(Self::ALL).then_some(set)
    }

    /// The number to store; never negative.
    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }

    const fn bit(permission: Permission) -> u32 {
        1 << permission as u32
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        let mut set = Self::EMPTY;
        for permission in permissions {
            set.insert(permission);
        }
        set
    }
}

impl fmt::Debug for PermissionSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set()
            .entries(self.iter().map(Permission::as_str))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn admins_start_with_everything_but_billing() {
        let admin = Role::Admin.default_permissions();
        assert_eq!(admin.len(), 18);
        assert!(!admin.contains(Permission::OrgBilling));
    }

    #[test]
    fn staff_start_with_looking_only() {
        let staff = Role::Staff.default_permissions();
        let names: Vec<_> = staff.iter().map(Permission::as_str).collect();
        assert_eq!(names, ["links.view", "servers.view", "analytics.view"]);
    }

    #[test]
    fn the_owner_ranks_highest_and_holds_everything() {
        assert!(Role::Owner > Role::Admin && Role::Admin > Role::Staff);
        assert_eq!(Role::Owner.default_permissions(), PermissionSet::ALL);
        assert_eq!(PermissionSet::ALL.len(), 19);
    }

    #[test]
    fn the_stored_numbers_never_move() {
        assert_eq!(Permission::OrgSettings as u8, 0);
        assert_eq!(Permission::ServersKeys as u8, 12);
        assert_eq!(Permission::AnalyticsExport as u8, 18);
    }

    #[test]
    fn every_name_begins_with_its_area() {
        for permission in Permission::ALL {
            let area = permission.area().as_str().to_lowercase();
            let (head, _) = permission.as_str().split_once('.').unwrap();
            assert!(area.starts_with(head), "{permission}");
        }
    }

    #[test]
    fn stored_numbers_outside_the_list_are_refused() {
        assert_eq!(PermissionSet::from_bits(-1), None);
        assert_eq!(PermissionSet::from_bits(1 << 19), None);
        assert_eq!(PermissionSet::from_bits(1 << 40), None);
    }

    proptest! {
        #[test]
        fn a_stored_set_reads_back(bits in 0..1_i64 << 19) {
            let set = PermissionSet::from_bits(bits).unwrap();
            prop_assert_eq!(set.bits(), bits);
            prop_assert_eq!(set.iter().collect::<PermissionSet>(), set);
        }

        #[test]
        fn a_set_can_be_granted_exactly_when_each_member_is_held(one in 0..1_i64 << 19, two in 0..1_i64 << 19) {
            let (granted, held) = (PermissionSet::from_bits(one).unwrap(), PermissionSet::from_bits(two).unwrap());
            let each = granted.iter().all(|permission| held.contains(permission));
            prop_assert_eq!(granted.is_subset_of(held), each);
        }
    }
}
