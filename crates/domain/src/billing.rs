//! What is sold and what a subscription is worth. The tier of an organisation follows from the set of its subscriptions
//! and from what an operator granted, whatever the order in which we heard of them.

use crate::plan::{Tier, best_tier};
use crate::words::words;

words! {
    /// How often somebody pays.
    pub enum Interval {
        Month = "month",
        Year = "year",
    }
}

words! {
    /// What a subscription is in, as Stripe calls it.
    pub enum Status {
        Incomplete = "incomplete",
        IncompleteExpired = "incomplete_expired",
        Trialing = "trialing",
        Active = "active",
        PastDue = "past_due",
        Unpaid = "unpaid",
        Paused = "paused",
        Canceled = "canceled",
        /// A word that Stripe did not have when this was written. It is worth nothing until we know what it means.
        Unknown = "unknown",
    }
}

impl Status {
    pub fn of(word: &str) -> Self {
        Self::parse(word).unwrap_or(Self::Unknown)
    }

    /// Whether what it buys is had. Who is late with a payment keeps it until Stripe gives up.
    pub const fn counts(self) -> bool {
        match self {
            Self::Trialing | Self::Active | Self::PastDue => true,
            Self::Incomplete
            | Self::IncompleteExpired
            | Self::Unpaid
            | Self::Paused
            | Self::Canceled
            | Self::Unknown => false,
        }
    }

    /// Whether it is there to be managed: a second one of its kind would be paid for beside it.
    pub const fn is_had(self) -> bool {
        self.counts() || matches!(self, Self::Unpaid | Self::Paused)
    }

    /// Whether it will never be anything else.
    pub const fn is_over(self) -> bool {
        match self {
            Self::IncompleteExpired | Self::Canceled => true,
            Self::Incomplete
            | Self::Trialing
            | Self::Active
            | Self::PastDue
            | Self::Unpaid
            | Self::Paused
            | Self::Unknown => false,
        }
    }
}

/// Something that can be bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// A plan better than Free.
    Plan(Tier),
    /// A bot of one's own for one Guild.
    Bot,
}

/// Something that can be bought, and how often it is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offer {
    pub product: Product,
    pub interval: Interval,
}

impl Offer {
    /// All that there are.
    pub const ALL: [Offer; 5] = [
        Offer::new(Product::Plan(Tier::Standard), Interval::Month),
        Offer::new(Product::Plan(Tier::Standard), Interval::Year),
        Offer::new(Product::Plan(Tier::Pro), Interval::Month),
        Offer::new(Product::Plan(Tier::Pro), Interval::Year),
        Offer::new(Product::Bot, Interval::Month),
    ];

    pub const fn new(product: Product, interval: Interval) -> Self {
        Self { product, interval }
    }

    /// In US cents.
    pub const fn amount(self) -> Option<i64> {
        match (self.product, self.interval) {
            (Product::Plan(Tier::Standard), Interval::Month) | (Product::Bot, Interval::Month) => Some(500),
            (Product::Plan(Tier::Standard), Interval::Year) => Some(5_000),
            (Product::Plan(Tier::Pro), Interval::Month) => Some(1_000),
            (Product::Plan(Tier::Pro), Interval::Year) => Some(10_000),
            (Product::Plan(Tier::Free), _) | (Product::Bot, Interval::Year) => None,
        }
    }

    /// Its name in settings and with Stripe, such as `pro_year`.
    pub const fn name(self) -> &'static str {
        match (self.product, self.interval) {
            (Product::Plan(Tier::Free), _) => "free",
            (Product::Plan(Tier::Standard), Interval::Month) => "standard_month",
            (Product::Plan(Tier::Standard), Interval::Year) => "standard_year",
            (Product::Plan(Tier::Pro), Interval::Month) => "pro_month",
            (Product::Plan(Tier::Pro), Interval::Year) => "pro_year",
            (Product::Bot, Interval::Month) => "bot_month",
            (Product::Bot, Interval::Year) => "bot_year",
        }
    }
}

/// The prices of this installation by their ids with Stripe. Old ones are recognised as long as somebody pays them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    prices: Vec<(String, Offer)>,
}

impl Catalogue {
    /// The first price of each offer is the one that is sold now.
    pub fn new(prices: impl IntoIterator<Item = (String, Offer)>) -> Self {
        Self {
            prices: prices.into_iter().collect(),
        }
    }

    /// What somebody gets who pays this price; nothing where it is not one of ours.
    pub fn offer_of(&self, price: &str) -> Option<Offer> {
        let found = self.prices.iter().find(|(known, _)| known == price);
        found.map(|(_, offer)| *offer)
    }

    /// The price at which something is sold now.
    pub fn price_of(&self, offer: Offer) -> Option<&str> {
        let found = self.prices.iter().find(|(_, sold)| *sold == offer);
        found.map(|(price, _)| price.as_str())
    }
}

/// What the items of one subscription buy together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bought {
    /// The best plan among them.
    pub tier: Option<Tier>,
    pub bot: bool,
}

impl Bought {
    pub fn of<'a>(catalogue: &Catalogue, prices: impl IntoIterator<Item = &'a str>) -> Self {
        let mut bought = Self::default();
        for offer in prices.into_iter().filter_map(|price| catalogue.offer_of(price)) {
            match offer.product {
                Product::Plan(tier) => bought.tier = bought.tier.max(Some(tier)),
                Product::Bot => bought.bot = true,
            }
        }
        bought
    }
}

/// The tier of an organisation: the best of what its subscriptions buy that count, and of what an operator granted.
pub fn derive_tier(
    subscriptions: impl IntoIterator<Item = (Status, Option<Tier>)>,
    granted: Option<Tier>,
) -> Tier {
    let bought = subscriptions.into_iter().filter(|(status, _)| status.counts());
    best_tier(bought.filter_map(|(_, tier)| tier).chain(granted))
}

/// Whether what we are told of a subscription replaces what we know of it. Times are Stripe's; of two things said of the
/// same second the later one to arrive counts, and what is over stays over.
pub fn is_news(known: Option<(Status, i64)>, told: Status, told_at: i64) -> bool {
    known.is_none_or(|(status, known_at)| told_at >= known_at && (!status.is_over() || told.is_over()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn catalogue() -> Catalogue {
        let prices = Offer::ALL.map(|offer| (format!("price_{}", offer.name()), offer));
        let old = Offer::new(Product::Plan(Tier::Pro), Interval::Month);
        Catalogue::new(prices.into_iter().chain([("price_of_long_ago".to_owned(), old)]))
    }

    #[test]
    fn everything_on_offer_has_a_price_and_a_name_of_its_own() {
        for (place, offer) in Offer::ALL.iter().enumerate() {
            assert!(offer.amount().is_some_and(|cents| cents > 0));
            assert!(
                Offer::ALL[..place]
                    .iter()
                    .all(|other| other.name() != offer.name())
            );
        }
    }

    #[test]
    fn a_year_costs_less_than_twelve_months() {
        for tier in [Tier::Standard, Tier::Pro] {
            let amount = |interval| Offer::new(Product::Plan(tier), interval).amount().unwrap();
            assert!(amount(Interval::Year) < 12 * amount(Interval::Month));
        }
    }

    #[test]
    fn an_old_price_is_recognised_and_not_sold() {
        let catalogue = catalogue();
        let pro = Offer::new(Product::Plan(Tier::Pro), Interval::Month);
        assert_eq!(catalogue.offer_of("price_of_long_ago"), Some(pro));
        assert_eq!(catalogue.price_of(pro), Some("price_pro_month"));
        assert_eq!(catalogue.offer_of("price_of_a_stranger"), None);
    }

    #[test]
    fn a_subscription_with_several_items_buys_all_of_them() {
        let catalogue = catalogue();
        let bought = Bought::of(
            &catalogue,
            ["price_standard_year", "price_bot_month", "price_of_a_stranger"],
        );
        assert_eq!(
            bought,
            Bought {
                tier: Some(Tier::Standard),
                bot: true
            }
        );
        assert_eq!(Bought::of(&catalogue, ["price_of_a_stranger"]), Bought::default());
    }

    #[test]
    fn who_is_late_keeps_the_plan_and_who_never_paid_has_none() {
        use Status::{Active, Canceled, Incomplete, PastDue, Paused, Trialing, Unknown, Unpaid};
        for status in [Active, Trialing, PastDue] {
            assert_eq!(derive_tier([(status, Some(Tier::Pro))], None), Tier::Pro);
        }
        for status in [
            Canceled,
            Incomplete,
            Unpaid,
            Paused,
            Unknown,
            Status::IncompleteExpired,
        ] {
            assert_eq!(derive_tier([(status, Some(Tier::Pro))], None), Tier::Free);
        }
        assert_eq!(Status::of("a word of next year"), Unknown);
    }

    fn any_subscription() -> impl Strategy<Value = (Status, Option<Tier>)> {
        (
            prop::sample::select(Status::ALL),
            prop::option::of(prop::sample::select(Tier::ALL)),
        )
    }

    /// What was said of one subscription: when, and in which state it was then. Nothing follows the end.
    fn any_life() -> impl Strategy<Value = Vec<(i64, Status)>> {
        prop::collection::vec((1i64..4, prop::sample::select(Status::ALL)), 1..12).prop_map(|steps| {
            let mut now = 0;
            let mut life = Vec::new();
            for (wait, status) in steps {
                now += wait;
                life.push((now, status));
                if status.is_over() {
                    break;
                }
            }
            life
        })
    }

    proptest! {
        #[test]
        fn a_tier_does_not_depend_on_the_order_of_subscriptions(
            subscriptions in prop::collection::vec(any_subscription(), 0..8).prop_shuffle(),
            granted in prop::option::of(prop::sample::select(Tier::ALL)),
        ) {
            let tier = derive_tier(subscriptions.iter().copied(), granted);
            prop_assert_eq!(derive_tier(subscriptions.iter().rev().copied(), granted), tier);
            let best = subscriptions.iter().filter(|(status, _)| status.counts()).filter_map(|(_, tier)| *tier);
            prop_assert_eq!(best.chain(granted).max().unwrap_or(Tier::Free), tier);
        }

        #[test]
        fn in_any_order_and_however_often_told_the_last_word_stands(
            (life, heard) in any_life().prop_flat_map(|life| {
                let twice: Vec<_> = life.iter().chain(&life).copied().collect();
                (Just(life), Just(twice).prop_shuffle())
            }),
        ) {
            let mut known = None;
            for (at, status) in heard {
                if is_news(known, status, at) {
                    known = Some((status, at));
                }
            }
            prop_assert_eq!(known.map(|(status, at)| (at, status)), life.last().copied());
        }

        #[test]
        fn what_is_over_stays_over(at in 0i64..1000, later in 0i64..1000, told in prop::sample::select(Status::ALL)) {
            prop_assert_eq!(is_news(Some((Status::Canceled, at)), told, at + later), told.is_over());
        }
    }
}
