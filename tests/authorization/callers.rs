//! Every kind of caller, and what each gets at a route.

use domain::permission::Permission;
use domain::visit;
use http::Method;
use web::routes::{Access, RouteSpec};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Nobody,
    Garbage,
    Expired,
    PluginKey,
    CustomKey,
    BotKey,
    ForeignMember,
    ForeignOwner,
    /// An operator who belongs to no Org.
    Operator,
    /// An operator who is a member with nothing granted: running the installation gives no rights in an Org.
    OperatorMember,
    /// An operator on a visit to the Org: they may look, and that is all.
    Visitor,
    /// The same who may change some things.
    WritingVisitor,
    /// A member who holds everything but what the route asks for.
    Without,
    /// A member who holds nothing but what the route asks for.
    With,
    Owner,
}

pub const EVERYONE: [Who; 15] = [
    Who::Nobody,
    Who::Garbage,
    Who::Expired,
    Who::PluginKey,
    Who::CustomKey,
    Who::BotKey,
    Who::ForeignMember,
    Who::ForeignOwner,
    Who::Operator,
    Who::OperatorMember,
    Who::Visitor,
    Who::WritingVisitor,
    Who::Without,
    Who::With,
    Who::Owner,
];

pub const BELOW_API: [Who; 6] = [
    Who::Nobody,
    Who::PluginKey,
    Who::ForeignOwner,
    Who::Operator,
    Who::Without,
    Who::Owner,
];

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Success,
    Refused(u16, &'static str),
    Denied(Permission),
    /// Refused with this status and code, and noted with the role that it takes.
    Noted(u16, &'static str, &'static str),
    /// A page or a redirect with this status, after which nothing else is stored than before.
    Shown(u16),
    /// Joins the team as the invitation says, and goes on to the dashboard.
    Joins,
}

impl Who {
    fn is_key(self) -> bool {
        matches!(self, Who::PluginKey | Who::CustomKey | Who::BotKey)
    }

    /// Without a session that counts.
    fn is_outside(self) -> bool {
        self.is_key() || matches!(self, Who::Nobody | Who::Garbage | Who::Expired)
    }

    /// Signed in, but not of this Org.
    fn is_foreign(self) -> bool {
        matches!(
            self,
            Who::ForeignMember | Who::ForeignOwner | Who::Operator | Who::Visitor | Who::WritingVisitor
        )
    }

    /// Whether their visit allows more than looking; nothing for who is on none.
    pub fn visits(self) -> Option<bool> {
        match self {
            Who::Visitor => Some(false),
            Who::WritingVisitor => Some(true),
            Who::Nobody
            | Who::Garbage
            | Who::Expired
            | Who::PluginKey
            | Who::CustomKey
            | Who::BotKey
            | Who::ForeignMember
            | Who::ForeignOwner
            | Who::Operator
            | Who::OperatorMember
            | Who::Without
            | Who::With
            | Who::Owner => None,
        }
    }

    fn is_operator(self) -> bool {
        self.visits().is_some() || matches!(self, Who::Operator | Who::OperatorMember)
    }
}

/// What browsers get whose answer depends on who is signed in there, though anyone may come.
fn shown_to(path: &str, who: Who) -> Option<Outcome> {
    let status = match path {
        "/app" | "/app/" | "/app/{*rest}" | "/app/admin" | "/app/admin/" | "/app/admin/{*rest}" => {
            // The page is one file for all; what it shows comes from elsewhere.
            if who.is_outside() { 303 } else { 200 }
        }
        "/auth/discord/claim" | "/auth/discord/claim/callback" | "/invite/{code}/accept"
            if who.is_outside() =>
        {
            401
        }
        "/auth/discord/claim" if who.is_foreign() => 404,
        // Nobody has set out, so nobody comes back.
        "/auth/discord/claim/callback" => 400,
        "/invite/{code}/accept" if who.is_foreign() => return Some(Outcome::Joins),
        // Whoever is more already stays so.
        "/invite/{code}/accept" => 303,
        _ => return None,
    };
    Some(Outcome::Shown(status))
}

/// What somebody gets at a route whose correct call is answered like this.
pub fn outcome(route: &RouteSpec, success: u16, who: Who) -> Outcome {
    let (is_key, is_outside, is_foreign) = (who.is_key(), who.is_outside(), who.is_foreign());
    match route.access {
        Access::Public => shown_to(route.path, who).unwrap_or(Outcome::Shown(success)),
        Access::PluginKey if is_key => Outcome::Success,
        // Nobody of these is a bot: what a bot shows to the plugin API is no secret of its own.
        Access::PluginKey | Access::Bot => Outcome::Refused(401, "UNAUTHORIZED"),
        // Nobody of these signs anything.
        Access::Sender => Outcome::Refused(400, "INVALID_PARAMETER"),
        _ if is_outside => Outcome::Refused(401, "SIGN_IN_REQUIRED"),
        Access::SignedIn => Outcome::Success,
        Access::Operator if who.is_operator() => Outcome::Success,
        // The same for whoever is much in an Org.
        Access::Operator => Outcome::Noted(404, "NOT_FOUND", "operator"),
        // Whoever visits may read what the team reads, and may be let change some of it. What belongs to members alone is not
        // there for them.
        Access::Permission(permission) | Access::Owner(permission)
            if who
                .visits()
                .is_some_and(|writes| !is_open(route, permission, writes)) =>
        {
            Outcome::Denied(permission)
        }
        Access::Permission(_) if who.visits().is_some() => Outcome::Success,
        Access::Owner(_) if who.visits().is_some() => Outcome::Noted(403, "OWNER_ONLY", "owner"),
        _ if is_foreign => Outcome::Refused(404, "NOT_FOUND"),
        Access::Member if who == Who::Owner && route.method == Method::DELETE => {
            Outcome::Refused(409, "OWNER_STAYS")
        }
        Access::Member => Outcome::Success,
        Access::Permission(permission) | Access::Owner(permission)
            if matches!(who, Who::Without | Who::OperatorMember) =>
        {
            Outcome::Denied(permission)
        }
        Access::Owner(_) if who == Who::With => Outcome::Noted(403, "OWNER_ONLY", "owner"),
        Access::Permission(_) | Access::Owner(_) => Outcome::Success,
    }
}

/// Whether a visit gets as far as a route.
fn is_open(route: &RouteSpec, permission: Permission, writes: bool) -> bool {
    route.visitors && visit::permissions(writes).contains(permission)
}
