//! Row numbers, and the proof that a caller may touch an Org.

/// The Org a caller was let into. Only this crate makes one: from a membership, a key, or an operator's look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrgScope {
    num: i64,
}

impl OrgScope {
    pub(crate) fn new(num: i64) -> Self {
        Self { num }
    }

    /// The Org's row number: its audit chain, and its share of the write queue.
    pub fn num(self) -> i64 {
        self.num
    }
}

/// Says for whom something is written. An Org has a share of the write queue, and its units take turns.
pub trait Whose: Send + Sync + 'static {
    /// The Org whose share is used; none for what belongs to no Org, which waits behind everybody.
    fn org(&self) -> Option<OrgScope>;
}

impl Whose for OrgScope {
    fn org(&self) -> Option<OrgScope> {
        Some(*self)
    }
}

/// No Org's: sign-ins, upkeep, and what operators do to the whole installation.
#[derive(Debug, Clone, Copy)]
pub struct NoOrg;

impl Whose for NoOrg {
    fn org(&self) -> Option<OrgScope> {
        None
    }
}

/// An Org's, or no one's.
impl Whose for Option<OrgScope> {
    fn org(&self) -> Option<OrgScope> {
        *self
    }
}

/// The right to read across Orgs. Only this crate makes one: from the grant of whoever is signed in, because they stand in
/// the configuration now, or for the command line. It is found anew with every request and kept nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorScope(());

impl OperatorScope {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

macro_rules! row_numbers {
    ($($(#[$meta:meta])* $name:ident)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl From<$name> for crate::db::Value<'_> {
            fn from(num: $name) -> Self {
                crate::db::Value::Int(num.0)
            }
        }
    )+};
}

row_numbers! {
    /// The row of a person of the dashboard.
    AccountNum
    /// The row of a bot.
    BotNum
    /// The row of a Guild, removed or not. It proves nothing: an Org's rows are reached with its scope.
    GuildNum
    /// The row of a Server; gone with the Server.
    ServerNum
    /// The row of a key, which stays when the key is replaced.
    KeyNum
}
