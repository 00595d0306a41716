use std::rc::Rc;

use super::*;

const DISCORD: &str = "700000000000000001";
const STEAM: &str = "76561198000000001";

fn row(cells: &[(&str, &str)]) -> RawRow {
    RawRow {
        columns: cells
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect::<Rc<[String]>>(),
        line: 1,
        values: cells
            .iter()
            .map(|(_, value)| match *value {
                "NULL" => Value::Null,
                text => Value::Text(text.as_bytes().to_vec()),
            })
            .collect(),
    }
}

fn read_with(table: Table, cells: &[(&str, &str)]) -> (Result<ImportRow, String>, LeftOut) {
    let row = row(cells);
    let mapping = Mapping::find(table, &row.columns, &[]).unwrap();
    let mut left_out = LeftOut::default();
    let mut reader = RowReader {
        table,
        mapping: &mapping,
        offset: parse_offset("+02:00").unwrap(),
        left_out: &mut left_out,
    };
    (reader.read(&row), left_out)
}

fn read(cells: &[(&str, &str)]) -> Result<ImportRow, String> {
    let ids = [("discord_id", DISCORD), ("steam_id", STEAM)];
    read_with(Table::Users, &[&ids, cells].concat()).0
}

#[test]
fn a_full_row_is_read() {
    let read = read(&[
        ("discord_name", " Ada\u{7} "),
        ("steam_name", "Tom & Jerry"),
        ("nitro", "1"),
        ("oxide_groups", "vip,admin"),
        ("created_at", "2024-01-02 03:04:05"),
    ])
    .unwrap();
    assert_eq!(read.discord_name.as_deref(), Some("Ada"));
    assert_eq!(read.steam_name.as_deref(), Some("Tom & Jerry"));
    assert!(read.booster && read.ended.is_none());
    assert_eq!(read.groups.as_deref(), Some("vip,admin"));
    assert_eq!(read.linked_at_ms, Some(1_704_157_445_000));
}

#[test]
fn ids_are_checked_and_the_reason_does_not_repeat_them() {
    for (discord, steam, words) in [
        ("NULL", STEAM, "the Discord ID is missing"),
        (" ", STEAM, "the Discord ID is missing"),
        (STEAM, STEAM, "the Discord ID is not valid"),
        (DISCORD, DISCORD, "the Steam ID is not valid"),
        (DISCORD, "76561197960265727", "the Steam ID is not valid"),
        (DISCORD, "7.65612E+16", "was rounded"),
        (DISCORD, "0x1", "the Steam ID is not valid"),
    ] {
        let cells = [("discord_id", discord), ("steam_id", steam)];
        let reason = read_with(Table::Users, &cells).0.unwrap_err();
        assert!(reason.contains(words), "{reason}");
        assert!(
            !reason.contains(discord.trim()) || discord.trim().is_empty(),
            "{reason}"
        );
        assert!(!reason.contains(steam), "{reason}");
    }
}

#[test]
fn a_row_of_the_wrong_length_is_refused() {
    let mut short = row(&[("discord_id", DISCORD), ("steam_id", STEAM)]);
    let mapping = Mapping::find(Table::Users, &short.columns, &[]).unwrap();
    short.values.pop();
    let mut reader = RowReader {
        table: Table::Users,
        mapping: &mapping,
        offset: Offset::UTC,
        left_out: &mut LeftOut::default(),
    };
    assert_eq!(reader.read(&short).unwrap_err(), "it has 1 values for 2 columns");
}

#[test]
fn times_are_read_in_every_usual_form() {
    let offset = parse_offset("-05:30").unwrap();
    let read = |text| time_ms(text, offset).ok().flatten();
    assert_eq!(read("2024-01-02 03:04:05"), Some(1_704_184_445_000));
    assert_eq!(read("2024-01-02T03:04:05.250"), Some(1_704_184_445_250));
    assert_eq!(read("2024-01-02T03:04:05Z"), Some(1_704_164_645_000));
    assert_eq!(read("2024-01-02T03:04:05+02:00"), Some(1_704_157_445_000));
    assert_eq!(read("2024-01-02"), Some(1_704_173_400_000));
    assert_eq!(read("1704164645"), Some(1_704_164_645_000));
    assert_eq!(read("1704164645123"), Some(1_704_164_645_123));
    assert_eq!(read("0000-00-00 00:00:00"), None);
    assert!(time_ms("0", offset).is_ok());
    for wrong in [
        "yesterday",
        "2024-13-01",
        "2024-01-02 25:00:00",
        "99999999999999999999",
        "-1",
    ] {
        assert!(time_ms(wrong, offset).is_err(), "{wrong}");
    }
}

#[test]
fn a_time_that_cannot_be_read_refuses_the_row() {
    assert_eq!(
        read(&[("created_at", "soon")]).unwrap_err(),
        "its time cannot be read"
    );
    assert_eq!(read(&[("created_at", "NULL")]).unwrap().linked_at_ms, None);
}

#[test]
fn details_that_cannot_be_read_are_left_out_and_counted() {
    let cells = [
        ("discord_id", DISCORD),
        ("steam_id", STEAM),
        ("steam_name", &"x".repeat(201)),
        ("nitro", "since May"),
        ("groups", "a:1:{i:0;s:3:\"vip\";}"),
        ("reason", "he asked"),
    ];
    let (read, left_out) = read_with(Table::Removed, &cells);
    let read = read.unwrap();
    assert_eq!((read.steam_name, read.booster, read.groups), (None, false, None));
    assert_eq!(
        read.ended,
        Some(Ended {
            at_ms: None,
            cause: UnlinkCause::Admin
        })
    );
    let expected = LeftOut {
        names: 1,
        boosters: 1,
        causes: 1,
    };
    assert_eq!(left_out, expected);
}

#[test]
fn history_has_its_end_and_its_cause() {
    let cells = [
        ("discord_id", DISCORD),
        ("steam_id", STEAM),
        ("timestamp", "2024-01-02T03:04:05Z"),
        ("cause", "Plugin"),
    ];
    let ended = read_with(Table::Removed, &cells).0.unwrap().ended.unwrap();
    assert_eq!(
        (ended.at_ms, ended.cause),
        (Some(1_704_164_645_000), UnlinkCause::Plugin)
    );
}

#[test]
fn offsets_are_read_and_nonsense_is_refused() {
    for (text, seconds) in [("+02:00", 7200), ("-0530", -19_800), ("+2", 7200), ("+00:00", 0)] {
        assert_eq!(parse_offset(text).unwrap().seconds(), seconds, "{text}");
    }
    for wrong in ["", "2", "+", "+15:00", "+01:60", "+1:2:3", "UTC", "é"] {
        assert!(parse_offset(wrong).is_err(), "{wrong}");
    }
}
