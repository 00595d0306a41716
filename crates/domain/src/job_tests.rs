use proptest::prelude::*;

use super::*;
use crate::audit::Actor;
use crate::id::KeyId;
use crate::random::SeededRandom;

fn jobs(seed: u64, now_ms: i64) -> [Job; 15] {
    let random = SeededRandom::new(seed);
    let guild = GuildId::generate(now_ms, &random);
    let server = ServerId::generate(now_ms, &random);
    let link = LinkId::generate(now_ms, &random);
    let org = OrgId::generate(now_ms, &random);
    let by = AccountId::generate(now_ms, &random);
    [
        Job::LogLinked {
            guild: guild.clone(),
            link: link.clone(),
        },
        Job::LogUnlinked {
            guild: guild.clone(),
            link,
            by: Some(Doer::Key(KeyId::generate(now_ms, &random))),
        },
        Job::LogMore { guild: guild.clone() },
        Job::EndGuild { guild: guild.clone() },
        Job::EndServer {
            guild: guild.clone(),
            server,
        },
        Job::LookAtGuild { guild: guild.clone() },
        Job::SyncRoles { guild: guild.clone() },
        Job::RecheckRoles { guild },
        Job::FollowPeople { org: org.clone() },
        Job::UnlinkPeople {
            org: org.clone(),
            by: by.clone(),
        },
        Job::SweepPeople { org: org.clone() },
        Job::CleanUp { org: org.clone() },
        Job::ImportLinks {
            org: org.clone(),
            import: ImportId::generate(now_ms, &random),
            by,
        },
        Job::ReadBilling { org },
        Job::SendWebhook {
            webhook: WebhookId::generate(now_ms, &random),
        },
    ]
}

#[test]
fn every_kind_has_a_job() {
    let kinds = jobs(1, 1).map(|job| job.kind());
    assert_eq!(kinds.as_slice(), JobKind::ALL);
}

#[test]
fn only_what_may_be_late_or_left_out_ends_by_itself() {
    for job in jobs(1, 1) {
        assert_eq!(job.lifetime_ms().is_some(), job.kind().may_be_dropped());
        // What a bot is to read waits once for each Guild.
        assert_eq!(job.collapsed().is_some(), job.lane_kind() == LaneKind::Log);
    }
}

#[test]
fn an_import_is_in_the_way_of_nothing_else_of_its_org() {
    let jobs = jobs(3, 5);
    let lane_of = |kind| jobs.iter().find(|job| job.kind() == kind).map(Job::lane);
    assert_eq!(lane_of(JobKind::SweepPeople), lane_of(JobKind::CleanUp));
    assert_ne!(lane_of(JobKind::SweepPeople), lane_of(JobKind::ImportLinks));
}

#[test]
fn who_ended_a_link_is_named_where_it_is_not_its_owner() {
    let [_, unlinked, ..] = jobs(3, 5);
    let Job::LogUnlinked { guild, link, .. } = unlinked else {
        unreachable!()
    };
    let account = AccountId::generate(5, &SeededRandom::new(4));
    for actor in [Actor::Account(account), Actor::Player, Actor::System] {
        let (guild, link, by) = (guild.clone(), link.clone(), Doer::of(&actor));
        assert_eq!(by.is_some(), matches!(actor, Actor::Account(_)));
        let job = Job::LogUnlinked { guild, link, by };
        assert_eq!(Job::parse(job.kind().as_str(), &job.payload()), Ok(job));
    }
}

#[test]
fn what_is_no_job_is_refused() {
    let guild = jobs(1, 1)[3].whose().to_owned();
    let refused = [
        (
            "guild.explode",
            format!(r#"{{"guild":"{guild}"}}"#),
            JobError::Kind,
        ),
        ("guild.end", "{}".to_owned(), JobError::Payload),
        (
            "guild.end",
            r#"{"guild":"123456789012345678"}"#.to_owned(),
            JobError::Payload,
        ),
        (
            "guild.end",
            format!(r#"{{"guild":"{guild}","name":"x"}}"#),
            JobError::Payload,
        ),
        (
            "log.linked",
            format!(r#"{{"guild":"{guild}"}}"#),
            JobError::Payload,
        ),
    ];
    for (kind, payload, error) in refused {
        assert_eq!(Job::parse(kind, &payload), Err(error), "{kind} {payload}");
    }
}

#[test]
fn pauses_double_up_to_ten_minutes() {
    let middle = |attempts| backoff_ms(attempts, 127, None) / 1_000;
    assert_eq!((0..4).map(middle).collect::<Vec<_>>(), [4, 9, 19, 39]);
    assert_eq!(backoff_ms(0, 0, None), 4_000);
    assert_eq!(backoff_ms(0, 255, None), 6_000);
    assert_eq!(backoff_ms(30, 255, None), LONGEST_PAUSE_MS);
}

proptest! {
    #[test]
    fn every_job_reads_back_as_itself(seed: u64, now_ms in 0..1_i64 << 47) {
        for job in jobs(seed, now_ms) {
            prop_assert_eq!(Job::parse(job.kind().as_str(), &job.payload()), Ok(job.clone()));
            prop_assert!(job.lane().starts_with(job.lane_kind().as_str()));
            prop_assert!(job.dedupe().starts_with(job.kind().as_str()));
        }
    }

    #[test]
    fn jobs_about_different_things_are_different(one: u64, other: u64) {
        prop_assume!(one != other);
        for (one, other) in jobs(one, 5).iter().zip(jobs(other, 5)) {
            prop_assert_ne!(one.dedupe(), other.dedupe());
            prop_assert_ne!(one.lane(), other.lane());
        }
    }

    #[test]
    fn a_pause_is_bounded_and_honours_what_was_asked_for(
        attempts: i64,
        dice: u8,
        asked in proptest::option::of(any::<i64>()),
    ) {
        let pause = backoff_ms(attempts, dice, asked);
        prop_assert!(pause >= 4_000);
        prop_assert!(pause >= asked.unwrap_or(0).min(LONGEST_RETRY_AFTER_MS));
        prop_assert!(pause <= LONGEST_PAUSE_MS.max(asked.unwrap_or(0)));
    }
}
