//! The walk: steps at random, each judged.

use testkit::{Engine, both_databases, rounds};

use super::{Attack, LOOK, STEPS};

async fn walk(engine: Engine, seed: u64) {
    let mut attack = Attack::begin(engine, seed).await;
    for step in 0..STEPS {
        let mut verdict = attack.step().await;
        if verdict.is_ok() && step % LOOK == LOOK - 1 {
            verdict = attack.law.judge_others(&attack.test).await;
        }
        if let Err(breach) = verdict {
            panic!("seed {seed}, step {step}: {breach}\n{:#?}", attack.last);
        }
    }
    let (share, silent) = attack.share();
    println!(
        "seed {seed}: {share} % of {} routes answered; not {silent:?}",
        attack.table.len()
    );
    assert!(
        share >= 90,
        "only {share} % of the routes answered anybody; not {silent:?}"
    );
    let Attack { test, law, .. } = attack;
    test.settle().await;
    law.judge_others(&test).await.expect("the other Org is as it was");
    test.drain_jobs().await;
    test.finish().await;
}

both_databases! {
    async fn whoever_tries_everything_ends_with_what_they_were_given(engine) {
        for seed in 1..=rounds(1, 10) as u64 {
            walk(engine, seed).await;
        }
    }
}
