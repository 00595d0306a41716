//! Looking through the failures that were written down.

use domain::id::OrgId;
use domain::random::SeededRandom;
use storage::records::error_log::{self, ErrorFilter, Group, Listed, Place};
use storage::testing::{TestDb, operator};
use storage::{OrgScope, both_databases};

use crate::support::{NOW, Tenant};

const MINUTE_MS: i64 = 60_000;

unit!(Record { groups: Vec<Group> } -> (), |it, tx| {
    for group in &it.groups {
        error_log::record(tx, group).await?;
    }
    Ok(())
});

fn group(org_num: i64, code: &str, route: &str, (minute, status): (i64, i64)) -> Group {
    Group {
        code: code.to_owned(),
        route: route.to_owned(),
        org_num,
        minute,
        status,
        count: 1,
        request_ids: vec!["r".to_owned()],
        detail: String::new(),
    }
}

fn minutes(found: &[Listed]) -> Vec<i64> {
    found.iter().map(|listed| listed.group.minute).collect()
}

async fn of(test: &TestDb, scope: OrgScope, filter: ErrorFilter) -> Vec<Listed> {
    error_log::list(&test.db, scope, &filter, 100).await.unwrap()
}

async fn all(test: &TestDb, filter: ErrorFilter) -> Vec<Listed> {
    error_log::list_all(&test.db, operator(), &filter, 100)
        .await
        .unwrap()
}

both_databases! {
    async fn an_org_sees_its_own_failures_and_operators_see_all(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let groups = vec![
            group(one.scope.num(), "A", "/r", (1, 500)),
            group(two.scope.num(), "A", "/r", (2, 500)),
            group(0, "A", "/r", (3, 500)),
        ];
        test.db.write(Record { groups }).await.unwrap();
        assert_eq!(minutes(&of(&test, one.scope, ErrorFilter::default()).await), [1]);
        assert_eq!(minutes(&of(&test, two.scope, ErrorFilter::default()).await), [2]);
        let found = all(&test, ErrorFilter::default()).await;
        assert_eq!(minutes(&found), [3, 2, 1]);
        assert_eq!((&found[0].org_id, &found[0].org_name), (&None, &None));
        assert_eq!(found[1].org_id.as_deref(), Some(two.org_id.as_str()));
        let any = async |org: &OrgId| {
            error_log::list_of_any_org(&test.db, operator(), org, &ErrorFilter::default(), 10).await.unwrap()
        };
        assert_eq!(minutes(&any(&two.org_id).await.unwrap()), [2]);
        assert!(any(&OrgId::generate(NOW, &SeededRandom::new(7))).await.is_none());
        test.finish().await;
    }

    async fn every_filter_leaves_what_fits_it(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let num = one.scope.num();
        let groups = vec![
            group(num, "A", "/r", (10, 403)),
            group(num, "B", "/r", (11, 404)),
            Group { detail: "a row is gone".to_owned(), ..group(num, "A", "/s", (12, 500)) },
            group(num, "B", "/s", (13, 503)),
        ];
        test.db.write(Record { groups }).await.unwrap();
        let text = |text: &str| Some(text.to_owned());
        for (filter, left) in [
            (ErrorFilter { code: text("A"), ..ErrorFilter::default() }, vec![12, 10]),
            (ErrorFilter { code: text("a"), ..ErrorFilter::default() }, vec![]),
            (ErrorFilter { route: text("/s"), ..ErrorFilter::default() }, vec![13, 12]),
            (ErrorFilter { status_class: Some(4), ..ErrorFilter::default() }, vec![11, 10]),
            (ErrorFilter { faults_only: true, ..ErrorFilter::default() }, vec![12]),
            (ErrorFilter { status_class: Some(5), ..ErrorFilter::default() }, vec![13, 12]),
            (ErrorFilter { from_ms: Some(11 * MINUTE_MS + 59_999), ..ErrorFilter::default() }, vec![13, 12, 11]),
            (ErrorFilter { to_ms: Some(12 * MINUTE_MS), ..ErrorFilter::default() }, vec![11, 10]),
            (ErrorFilter { to_ms: Some(12 * MINUTE_MS + 1), ..ErrorFilter::default() }, vec![12, 11, 10]),
            (ErrorFilter { from_ms: Some(i64::MIN), to_ms: Some(i64::MAX), ..ErrorFilter::default() }, vec![13, 12, 11, 10]),
            (ErrorFilter { code: text("B"), route: text("/s"), status_class: Some(4), ..ErrorFilter::default() }, vec![]),
            (ErrorFilter { before: Some(Place { minute: 12, num: 0 }), to_ms: Some(13 * MINUTE_MS), ..ErrorFilter::default() }, vec![11, 10]),
        ] {
            assert_eq!(minutes(&of(&test, one.scope, filter.clone()).await), left, "{filter:?}");
            assert_eq!(minutes(&all(&test, filter.clone()).await), left, "{filter:?}");
        }
        test.finish().await;
    }

    async fn pages_hold_every_group_once_while_new_ones_come(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let num = one.scope.num();
        // Three groups to a minute, written down out of order.
        for minute in [5, 3, 4, 1, 2] {
            let groups = ["A", "B", "C"].map(|code| group(num, code, "/r", (minute, 500)));
            test.db.write(Record { groups: groups.to_vec() }).await.unwrap();
        }
        let mut seen = Vec::new();
        let mut filter = ErrorFilter::default();
        loop {
            let page = error_log::list(&test.db, one.scope, &filter, 4).await.unwrap();
            filter.before = page.last().map(Listed::place);
            seen.extend(page.iter().map(|listed| (listed.group.minute, listed.group.code.clone())));
            if page.len() < 4 {
                break;
            }
            let newer = vec![group(num, &format!("N{}", seen.len()), "/r", (9, 500))];
            test.db.write(Record { groups: newer }).await.unwrap();
        }
        let expected: Vec<(i64, String)> = (1..=5)
            .rev()
            .flat_map(|minute| ["C", "B", "A"].map(|code| (minute, code.to_owned())))
            .collect();
        assert_eq!(seen, expected);
        test.finish().await;
    }

    async fn what_operators_have_to_put_right_is_counted_by_code_however_much_else_failed(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let fault = |org_num, code, minute, detail: &str| Group {
            detail: detail.to_owned(),
            ..group(org_num, code, "/r", (minute, 500))
        };
        let mut groups: Vec<Group> = (0..300).map(|route| group(0, "WANTED", &format!("/{route}"), (9, 503))).collect();
        groups.extend([
            fault(0, "A", 4, "before"),
            fault(0, "A", 5, "one"),
            fault(one.scope.num(), "A", 6, "two"),
            fault(one.scope.num(), "A", 7, "one"),
            fault(0, "B", 8, "three"),
            // The first of a group tells nothing, a later one does.
            group(0, "C", "/r", (8, 408)),
            fault(0, "C", 8, "four"),
        ]);
        test.db.write(Record { groups }).await.unwrap();
        let found = error_log::count_faults(&test.db, operator(), 5 * MINUTE_MS + 59_999).await.unwrap();
        let found: Vec<(&str, i64)> = found.iter().map(|fault| (&*fault.code, fault.count)).collect();
        assert_eq!(found, [("A", 3), ("B", 1), ("C", 2)]);
        let details = error_log::list_details(&test.db, operator(), "A", 5 * MINUTE_MS).await.unwrap();
        assert_eq!(details, ["one", "two"]);
        test.finish().await;
    }
}
