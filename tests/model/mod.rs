//! Random sequences of commands against a small model: both databases must agree with it after every command.

mod compare;
mod driver;
mod state;

use driver::Driver;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use state::Step;
use testkit::Engine;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..6u64, 0..6u64).prop_map(|(player, account)| Step::Link(player, account)),
        2 => (0..6u64).prop_map(Step::UnlinkDiscord),
        2 => (0..6u64).prop_map(Step::UnlinkSteam),
        4 => Just(Step::CreateServer),
        2 => (0..20usize).prop_map(Step::DeleteServer),
        2 => (0..20usize).prop_map(Step::Regenerate),
        1 => (0..20usize).prop_map(Step::Revoke),
        2 => (0..20usize, any::<bool>()).prop_map(|(server, active)| Step::SetActive(server, active)),
        1 => (0..3usize).prop_map(Step::SetTier),
    ];
    prop::collection::vec(step, 1..=40)
}

fn agrees_with_the_model(engine: Engine) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let mut driver = Some(runtime.block_on(Driver::start(engine)));
    let config = Config {
        cases: 30,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let cell = std::cell::RefCell::new(driver.take());
    let result = TestRunner::new(config).run(&steps(), |steps| {
        let mut slot = cell.borrow_mut();
        let driver = slot.as_mut().expect("the driver is there until the end");
        runtime.block_on(driver.run(&steps)).map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    let driver = cell.into_inner().expect("the driver");
    runtime.block_on(driver.finish());
}

#[test]
fn sqlite_agrees_with_the_model() {
    agrees_with_the_model(Engine::Sqlite);
}

#[test]
fn postgres_agrees_with_the_model() {
    agrees_with_the_model(Engine::Postgres);
}
