//! `count`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 5] = [
    Case::Get("200 linked players", ""),
    Case::Post("200 with a body that is not needed", "", r#"{"x":1}"#),
    Case::Post("200 with the fields of a form", "", "x=1"),
    Case::Post("400 with a body that is no object", "", "true"),
    Case::Post("400 with a body that is a list", "", "[]"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::Count, "", &CASES).await;
    }
}
