//! Whom a list of people is to show, in which order, and where it goes on.

use crate::players::people_pages::Candidate;
use crate::scope::{GuildNum, ServerNum};

/// Where nobody asks for some.
pub const ALL_SCORES: (i64, i64) = (0, 100);

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By the time of the link that stands for them.
    Newest,
    /// The same, the other way round.
    Oldest,
    /// By score.
    Highest,
    /// The same, the other way round.
    Lowest,
    /// By name.
    Name,
}

/// How somebody stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With an active link.
    Active,
    /// Without one.
    Archived,
    /// With one that is dormant.
    Flagged,
}

/// Whom to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Everybody.
    #[default]
    All,
    /// Who has or had this account.
    Account(String),
    /// Whose names have words that begin like these; one or two. The first is gone through.
    Words(Vec<String>),
}

/// What somebody asks for; what is none is not asked for.
#[derive(Debug, Clone)]
pub struct PeopleFilter {
    /// By an account or by name.
    pub wanted: Wanted,
    /// Two letters.
    pub country: Option<String>,
    /// The least and the greatest one.
    pub scores: (i64, i64),
    /// In the Guild, where one is asked for.
    pub status: Option<Status>,
    /// Who is or was linked there.
    pub guild: Option<GuildNum>,
    /// Who was there. With its Guild.
    pub server: Option<ServerNum>,
}

impl PeopleFilter {
    pub(super) fn fits(&self, one: &Candidate) -> bool {
        let (is_active, is_flagged) = if self.guild.is_some() {
            (one.is_active_there == Some(true), one.is_flagged_there)
        } else {
            (one.is_active, one.is_flagged)
        };
        let has_status = match self.status {
            None => true,
            Some(Status::Active) => is_active,
            Some(Status::Archived) => !is_active,
            Some(Status::Flagged) => is_flagged,
        };
        one.has_words
            && self
                .country
                .as_ref()
                .is_none_or(|country| one.country.as_ref() == Some(country))
            && (self.scores.0..=self.scores.1).contains(&one.score)
            && has_status
            && (self.guild.is_none() || one.is_active_there.is_some())
            && (self.server.is_none() || one.is_on_server)
    }

    /// Whether everybody fits whom the index finds, up to the end of a band of scores.
    pub(super) fn is_all(&self, order: Order) -> bool {
        let has_scores = self.scores != ALL_SCORES;
        let is_in_band = matches!(order, Order::Highest | Order::Lowest);
        // Whose word is found need not have the other one.
        if matches!(&self.wanted, Wanted::Words(words) if words.len() > 1) {
            return false;
        }
        let others = [
            self.country.is_some(),
            self.status.is_some(),
            self.guild.is_some() && self.server.is_none(),
            self.server.is_some(),
        ];
        let asked = others.into_iter().filter(|asked| *asked).count();
        match asked {
            0 => !has_scores || (is_in_band && self.wanted == Wanted::All),
            1 => !has_scores && order == Order::Newest && self.wanted == Wanted::All,
            _ => false,
        }
    }

    /// As the statements take them; 0 where none is asked for.
    pub(super) fn nums(&self) -> (GuildNum, ServerNum) {
        (
            self.guild.unwrap_or(GuildNum(0)),
            self.server.unwrap_or(ServerNum(0)),
        )
    }

    /// Before the first one of an order. A band of scores begins at its edge.
    pub(super) fn edge(&self, order: Order) -> (i64, i64) {
        match order {
            Order::Newest => (i64::MAX, i64::MAX),
            Order::Oldest | Order::Name => (i64::MIN, i64::MIN),
            Order::Highest => (self.scores.1, i64::MAX),
            Order::Lowest => (self.scores.0, i64::MIN),
        }
    }

    /// Nobody after this one can be in the band. Who is looked for by name is in another order.
    pub(super) fn is_behind(&self, order: Order, last: &Candidate) -> bool {
        if self.wanted != Wanted::All {
            return false;
        }
        match order {
            Order::Highest => last.score < self.scores.0,
            Order::Lowest => last.score > self.scores.1,
            Order::Newest | Order::Oldest | Order::Name => false,
        }
    }
}

/// Where a page begins: after this place of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What rows are ordered by, where that is a number.
    pub number: i64,
    /// The same, where it is a text.
    pub text: String,
    /// Tells those apart that are alike.
    pub num: i64,
}
