//! Damage to what is kept of people.

use crate::doctor::{Damage, set};
use crate::support::Tenant;

/// Damage to what is counted of links by day.
pub fn damaged_counts(one: &Tenant) -> Vec<Damage> {
    let org = one.scope.num();
    vec![
        set(
            &format!("UPDATE link_days SET times = times + 1 WHERE org_num = {org}"),
            &format!("UPDATE link_days SET times = times - 1 WHERE org_num = {org}"),
            "a Guild's links by day differ from when its links began and ended (1 times)",
        ),
        set(
            &format!("UPDATE link_days SET day = day + 1 WHERE org_num = {org}"),
            &format!("UPDATE link_days SET day = day - 1 WHERE org_num = {org}"),
            "a Guild's links by day differ from when its links began and ended (1 times)",
        ),
        set(
            &format!(
                "INSERT INTO link_lives (guild_num, org_num, day, lived, times) VALUES ({}, {org}, 1, 7, 1)",
                one.guild.0
            ),
            "DELETE FROM link_lives",
            "a Guild's counts of how long links lasted differ from its ended links (1 times)",
        ),
    ]
}

pub fn damaged(one: &Tenant) -> Vec<Damage> {
    [damaged_rows(one), damaged_lists(one)].concat()
}

/// Damage to what lists are filtered by.
fn damaged_lists(one: &Tenant) -> Vec<Damage> {
    let org = one.scope.num();
    vec![
        set(
            &format!("UPDATE people SET country = 'FR' WHERE org_num = {org}"),
            &format!("UPDATE people SET country = 'DE' WHERE org_num = {org}"),
            "a person is shown by a link that does not stand for them (1 times)",
        ),
        set(
            &format!("UPDATE people SET name_words = 'ash fox' WHERE org_num = {org}"),
            &format!("UPDATE people SET name_words = '' WHERE org_num = {org}"),
            "a person cannot be found by a word of their names (1 times)",
        ),
        set(
            &format!(
                "INSERT INTO person_servers (server_num, person_num, linked_at)
                 SELECT s.num, p.num, 1 FROM servers s JOIN people p ON p.org_num = s.org_num WHERE s.org_num = {org}"
            ),
            "DELETE FROM person_servers",
            "a person is found on a Server with an account that is not theirs there (1 times)",
        ),
    ]
}

fn damaged_rows(one: &Tenant) -> Vec<Damage> {
    let org = one.scope.num();
    let person = format!("(SELECT MIN(num) FROM people WHERE org_num = {org})");
    let point = |at: i64, score: i64| {
        format!(
            "INSERT INTO trust_points (person_num, at, score, stability, cross_server, age, multi)
             VALUES ({person}, {at}, {score}, 0, 0, 0, 0);"
        )
    };
    let hour = 3_600_000;
    let close = "two points of a person's trust history are too close or alike (1 times)";
    vec![
        set(
            &format!("UPDATE people SET discord_id = 'x:' || discord_id WHERE org_num = {org}"),
            &format!("UPDATE people SET discord_id = substr(discord_id, 3) WHERE org_num = {org}"),
            "somebody who is or was linked is not among the Org's people (1 times)",
        ),
        set(
            &format!("UPDATE people SET linked_at = linked_at + 1 WHERE org_num = {org}"),
            &format!("UPDATE people SET linked_at = linked_at - 1 WHERE org_num = {org}"),
            "a person is shown by a link that does not stand for them (1 times)",
        ),
        set(
            &format!("UPDATE people SET churn = churn + 1 WHERE org_num = {org}"),
            &format!("UPDATE people SET churn = churn - 1 WHERE org_num = {org}"),
            "what is counted of a person differs from their links (1 times)",
        ),
        set(
            &format!("UPDATE person_places SET active = 0 WHERE org_num = {org}"),
            &format!("UPDATE person_places SET active = 1 WHERE org_num = {org}"),
            "a person is shown in a Guild by a link that does not stand for them there (1 times)",
        ),
        set(
            &[point(1, 10), point(hour, 20)].concat(),
            "DELETE FROM trust_points",
            close,
        ),
        set(
            &[point(1, 10), point(2 * hour, 10)].concat(),
            "DELETE FROM trust_points",
            close,
        ),
    ]
}
