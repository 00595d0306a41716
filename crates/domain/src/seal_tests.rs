use proptest::prelude::*;

use super::*;
use crate::random::SeededRandom;

const PLACE: Aad<'_> = Aad {
    table: "api_keys",
    column: "sealed",
    row: "key_1",
    version: 1,
};

fn ring() -> KeyRing {
    KeyRing::generate(&SeededRandom::new(1))
}

fn line(kid: &str, key_bytes: usize) -> String {
    format!("{kid} {}\n", STANDARD.encode(vec![7; key_bytes]))
}

#[test]
fn what_was_sealed_opens_in_its_place() {
    let sealed = ring().seal(&SeededRandom::new(2), &PLACE, b"hello");
    assert!(sealed.starts_with("v1.k1."));
    assert_eq!(ring().open(&PLACE, &sealed).unwrap().as_slice(), b"hello");
    assert_eq!(KeyRing::kid_of(&sealed), Some("k1"));
}

#[test]
fn a_box_moved_to_any_other_place_does_not_open() {
    let sealed = ring().seal(&SeededRandom::new(2), &PLACE, b"hello");
    let elsewhere = [
        Aad {
            table: "bots",
            ..PLACE
        },
        Aad {
            column: "token",
            ..PLACE
        },
        Aad {
            row: "key_2",
            ..PLACE
        },
        Aad { version: 2, ..PLACE },
        Aad {
            table: "api_keyss",
            column: "ealed",
            ..PLACE
        },
    ];
    for place in elsewhere {
        assert_eq!(ring().open(&place, &sealed), Err(SealError::NotAuthentic));
    }
}

#[test]
fn sealing_twice_gives_different_texts() {
    let random = SeededRandom::new(2);
    assert_ne!(
        ring().seal(&random, &PLACE, b"x"),
        ring().seal(&random, &PLACE, b"x")
    );
}

#[test]
fn another_ring_with_the_same_kid_cannot_open() {
    let sealed = ring().seal(&SeededRandom::new(2), &PLACE, b"x");
    let other = KeyRing::generate(&SeededRandom::new(99));
    assert_eq!(other.open(&PLACE, &sealed), Err(SealError::NotAuthentic));
}

#[test]
fn malformed_boxes_are_told_apart_from_forged_ones() {
    for wrong in [
        "",
        "v1",
        "v1.k1",
        "v1.k1.",
        "v2.k1.AAAA",
        "v1..AAAA",
        "v1.k1.AA=",
        "v1.k 1.AAAA",
    ] {
        assert_eq!(ring().open(&PLACE, wrong), Err(SealError::Malformed), "{wrong}");
    }
    let unknown = SealError::UnknownKid { kid: "k9".to_owned() };
    assert_eq!(ring().open(&PLACE, "v1.k9.AAAA"), Err(unknown));
}

#[test]
fn rotation_keeps_old_boxes_open_until_the_key_is_removed() {
    let random = SeededRandom::new(3);
    let mut ring = ring();
    let old = ring.seal(&random, &PLACE, b"old");
    assert_eq!(ring.add_active(&random), "k2");
    assert_eq!(ring.active_kid(), "k2");
    assert_eq!(ring.kids().collect::<Vec<_>>(), ["k2", "k1"]);
    assert_eq!(KeyRing::kid_of(&ring.seal(&random, &PLACE, b"new")), Some("k2"));
    assert_eq!(ring.open(&PLACE, &old).unwrap().as_slice(), b"old");
    ring.remove("k1").unwrap();
    assert_eq!(
        ring.open(&PLACE, &old),
        Err(SealError::UnknownKid { kid: "k1".to_owned() })
    );
    assert_eq!(ring.add_active(&random), "k3");
}

#[test]
fn the_active_key_and_unknown_keys_cannot_be_removed() {
    let mut ring = ring();
    assert_eq!(
        ring.remove("k1"),
        Err(RingError::RemoveActive { kid: "k1".to_owned() })
    );
    assert_eq!(
        ring.remove("k7"),
        Err(RingError::UnknownKid { kid: "k7".to_owned() })
    );
}

#[test]
fn a_ring_reads_back_from_its_text() {
    let random = SeededRandom::new(4);
    let mut ring = ring();
    let first = ring.seal(&random, &PLACE, b"first");
    ring.add_active(&random);
    let again = KeyRing::parse(&ring.to_text()).unwrap();
    assert_eq!(again.active_kid(), "k2");
    assert_eq!(again.to_text(), ring.to_text());
    assert_eq!(again.open(&PLACE, &first).unwrap().as_slice(), b"first");
}

#[test]
fn comments_blank_lines_and_windows_line_ends_are_allowed() {
    let text = format!("# keys\r\n\r\n  {}active a-1\r\n", line("a-1", 32));
    assert_eq!(KeyRing::parse(&text).unwrap().active_kid(), "a-1");
}

#[test]
fn every_broken_ring_is_refused_with_its_cause() {
    let good = line("k1", 32);
    let kid = || "k2".to_owned();
    let cases = [
        (String::new(), RingError::Empty),
        ("# nothing\nactive k1\n".to_owned(), RingError::Empty),
        (good.clone(), RingError::NoActive),
        (format!("{good}active k2"), RingError::UnknownKid { kid: kid() }),
        (format!("{good}active k1\nactive k1"), RingError::TwoActive),
        (
            format!("{good}{0}{0}active k1", line("k2", 32)),
            RingError::DuplicateKid { kid: kid() },
        ),
        (
            format!("{}active k1", line("k1", 31)),
            RingError::KeyLength { line: 1, found: 31 },
        ),
        (
            format!("{good}{}active k1", line("k2", 33)),
            RingError::KeyLength { line: 2, found: 33 },
        ),
        ("k1 !!!\nactive k1".to_owned(), RingError::Base64 { line: 1 }),
        (
            format!("{}active k1", line("k.1", 32)),
            RingError::Kid { line: 1 },
        ),
        (format!("{good}active"), RingError::Line { line: 2 }),
        ("k1 a b".to_owned(), RingError::Line { line: 1 }),
    ];
    for (text, cause) in cases {
        assert_eq!(KeyRing::parse(&text).err(), Some(cause), "{text}");
    }
}

#[test]
fn printing_a_ring_shows_kids_only() {
    let ring = ring();
    assert_eq!(format!("{ring:?}"), r#"KeyRing { active: "k1", kids: ["k1"] }"#);
}

proptest! {
    #[test]
    fn any_bytes_survive_the_round_trip(plain: Vec<u8>, row: String, version: i64, seed: u64) {
        let place = Aad { row: &row, version, ..PLACE };
        let sealed = ring().seal(&SeededRandom::new(seed), &place, &plain);
        let opened = ring().open(&place, &sealed).unwrap();
        prop_assert_eq!(opened.as_slice(), plain.as_slice());
    }

    #[test]
    fn changing_any_byte_is_noticed(plain: Vec<u8>, position: prop::sample::Index, flip in 1..=255_u8) {
        let ring = ring();
        let sealed = ring.seal(&SeededRandom::new(5), &PLACE, &plain);
        let mut data = URL_SAFE_NO_PAD.decode(&sealed["v1.k1.".len()..]).unwrap();
        let position = position.index(data.len());
        data[position] ^= flip;
        let changed = format!("v1.k1.{}", URL_SAFE_NO_PAD.encode(data));
        prop_assert_eq!(ring.open(&PLACE, &changed), Err(SealError::NotAuthentic));
    }

    #[test]
    fn no_two_places_encode_alike(a in "[ab]{0,3}", b in "[ab]{0,3}", c in "[ab]{0,3}", d in "[ab]{0,3}") {
        let one = Aad { table: &a, column: &b, ..PLACE };
        let two = Aad { table: &c, column: &d, ..PLACE };
        prop_assert_eq!(one.encode() == two.encode(), one == two);
    }

    #[test]
    fn arbitrary_text_never_panics(text: String) {
        let _ = KeyRing::parse(&text);
        prop_assert!(ring().open(&PLACE, &text).is_err());
    }
}
