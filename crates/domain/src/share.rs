//! What all tenants share, and how much of it one of them may use.

/// One part in so many of what is left is the most for one tenant.
const PARTS: u32 = 10;

/// Whether a tenant that has used `own` may use one more of `limit`, of which all together have used `by_all`.
pub fn may_take(limit: u32, by_all: u32, own: u32) -> bool {
    by_all < limit && own < most(limit, by_all, own)
}

/// All that such a tenant may use: a tenth of what the others have left of it, so that nobody can use it up alone.
pub fn most(limit: u32, by_all: u32, own: u32) -> u32 {
    let left = limit.saturating_sub(by_all.saturating_sub(own));
    left.div_ceil(PARTS)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_tenant_gets_a_tenth() {
        let taken = (0..1_000).filter(|own| may_take(500, *own, *own)).count();
        assert_eq!(taken, 50);
    }

    #[test]
    fn the_next_one_gets_a_tenth_of_the_rest() {
        let taken = (0..1_000).filter(|own| may_take(500, 50 + own, *own)).count();
        assert_eq!(taken, 45);
        assert!(may_take(1, 0, 0) && !may_take(1, 1, 0) && !may_take(0, 0, 0));
    }

    proptest! {
        #[test]
        fn whatever_the_order_somebody_new_finds_something_left(
            limit in 1..500_u32,
            asking in prop::collection::vec(0..8_u32, 0..2_000),
        ) {
            let (mut by_all, mut own) = (0, HashMap::<u32, u32>::new());
            for tenant in asking {
                let used = own.entry(tenant).or_default();
                if may_take(limit, by_all, *used) {
                    *used += 1;
                    by_all += 1;
                }
            }
            prop_assert!(own.values().all(|used| *used <= limit.div_ceil(PARTS)));
            prop_assert!(by_all <= limit);
            prop_assert!(limit < 100 || may_take(limit, by_all, 0));
        }
    }
}
