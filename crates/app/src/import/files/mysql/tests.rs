use proptest::prelude::*;

use super::*;
use crate::import::files::table::{TOO_LONG, Value};

type Rows = Result<Vec<(usize, u64, Vec<String>, Vec<Value>)>, ReadError>;

fn read(dump: impl AsRef<[u8]>) -> Rows {
    let mut dump = Dump::open(dump.as_ref(), &["users", "users_removed"]);
    let mut rows = Vec::new();
    while let Some((table, row)) = dump.next_row()? {
        rows.push((table, row.line, row.columns.to_vec(), row.values));
    }
    Ok(rows)
}

fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

/// The values of the one row of an INSERT into a table of one column for each value.
fn values(list: &str) -> Vec<Value> {
    let rows = read(format!("INSERT INTO users (a) VALUES ({list});")).unwrap();
    assert_eq!(rows.len(), 1, "{list}");
    rows[0].3.clone()
}

const WHOLE: &str = "-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `discord_id` varchar(32) DEFAULT 'a,)(b', -- it's the person
  `odd``name` decimal(10,2) DEFAULT NULL COMMENT 'x; y',
  KEY `by_discord` (`discord_id`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `users` WRITE;
/*!40000 ALTER TABLE `users` DISABLE KEYS */;
INSERT INTO `users` VALUES (1,'it''s; a \\'trap\\'\\\\',NULL),(2,'VALUES (3)',-1.5e+3);
/*!40000 ALTER TABLE `users` ENABLE KEYS */;
UNLOCK TABLES;
INSERT INTO `posts` VALUES (1,'INSERT INTO users VALUES (9);');
insert ignore into `old`.`Users_Removed` (`steam_id`, discord_id)
values
  ('7', # a comment
   0x3132),
  (_binary '8',X'4142') on duplicate key update x = values(x);
";

#[test]
fn a_whole_dump_gives_the_rows_of_the_wanted_tables() {
    let rows = read(WHOLE).unwrap();
    let columns = ["id", "discord_id", "odd`name"].map(str::to_owned);
    let others = ["steam_id", "discord_id"].map(str::to_owned);
    assert_eq!(rows.len(), 4);
    assert_eq!(
        rows[0],
        (
            0,
            13,
            columns.to_vec(),
            vec![text("1"), text("it's; a 'trap'\\"), Value::Null]
        )
    );
    assert_eq!(rows[1].3, [text("2"), text("VALUES (3)"), text("-1.5e+3")]);
    assert_eq!(rows[2], (1, 19, others.to_vec(), vec![text("7"), text("12")]));
    assert_eq!(rows[3], (1, 21, others.to_vec(), vec![text("8"), text("AB")]));
}

#[test]
fn tables_that_were_seen_are_remembered() {
    let mut dump = Dump::open("INSERT INTO `a`.`b` VALUES (1);".as_bytes(), &["users"]);
    assert_eq!(dump.next_row(), Ok(None));
    assert_eq!(dump.seen().iter().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn every_way_to_write_a_value_is_read() {
    assert_eq!(values("'a' 'b', \"c\"\"d\""), [text("ab"), text("c\"d")]);
    assert_eq!(
        values(r"'\0\b\n\r\t\Z\%\_\x'"),
        [text("\0\u{8}\n\r\t\u{1a}\\%\\_x")]
    );
    assert_eq!(
        values("TRUE,false,b'101',0b1,x'',0xABC"),
        [
            text("1"),
            text("0"),
            text("5"),
            text("1"),
            text(""),
            Value::Text(vec![0x0A, 0xBC])
        ]
    );
    assert_eq!(
        values("76561198000000000, +1, -0.5, .5, 1E-5"),
        ["76561198000000000", "+1", "-0.5", ".5", "1E-5"].map(text)
    );
    assert_eq!(
        values("_utf8mb4'x', _binary X'41', N'n'"),
        ["x", "A", "n"].map(text)
    );
}

#[test]
fn expressions_are_passed_over_and_named() {
    let unreadable = Value::Unreadable("is an expression, not a value");
    assert_eq!(
        values("now(), (1), 5-3, CONCAT('a,)', \"(\"), @x, DEFAULT, 'last'"),
        [
            unreadable.clone(),
            unreadable.clone(),
            unreadable.clone(),
            unreadable.clone(),
            unreadable.clone(),
            unreadable,
            text("last")
        ]
    );
    assert_eq!(values("0xZZ"), [Value::Unreadable("is not hexadecimal")]);
    assert_eq!(values("b'2'"), [Value::Unreadable("is not a bit field")]);
}

#[test]
fn bodies_of_triggers_are_no_data() {
    let dump = "DELIMITER ;;
CREATE TRIGGER t BEFORE DELETE ON users FOR EACH ROW BEGIN
  INSERT INTO users_removed VALUES (OLD.discord_id, 'x');
END ;;
INSERT INTO users (a) VALUES (1);;
DELIMITER ;
INSERT INTO users (a) VALUES (2);";
    let rows = read(dump).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].3, [text("2")]);
}

#[test]
fn what_is_broken_is_told_with_its_line() {
    for (dump, line, words) in [
        (
            "INSERT INTO users (a) VALUES\n('x);",
            2,
            "this quote is never closed",
        ),
        ("INSERT INTO users VALUES (1);", 1, "the columns are not named"),
        ("INSERT INTO users (a) SELECT 1;", 1, "only INSERT with VALUES"),
        (
            "INSERT INTO users (a) VALUES (1",
            1,
            "the file ends inside a statement",
        ),
        (
            "INSERT INTO users (a) VALUES (1),\n;",
            2,
            "an opening parenthesis",
        ),
        ("\n/* never", 2, "this comment is never closed"),
        (
            "INSERT INTO users (a;b) VALUES (1);",
            1,
            "the list of columns is broken",
        ),
        ("INSERT INTO ;", 1, "a name is expected here"),
        ("DELIMITER \n", 1, "DELIMITER needs a short text"),
    ] {
        let error = read(dump).unwrap_err();
        assert_eq!(error.line, line, "{dump}: {error}");
        assert!(error.problem.contains(words), "{dump}: {error}");
    }
}

#[test]
fn huge_values_and_lines_are_passed_over_without_being_held() {
    let huge = "x".repeat(1_000_000);
    let rows = read(format!(
        "INSERT INTO users (a,b) VALUES ('{huge}',1),(2,'{huge}');"
    ))
    .unwrap();
    assert_eq!(rows[0].3, [TOO_LONG, text("1")]);
    assert_eq!(rows[1].3, [text("2"), TOO_LONG]);
}

/// One value as a dump may write it, and what it stands for.
fn spelled() -> impl Strategy<Value = (String, Value)> {
    let plain = prop::collection::vec(any::<u8>(), 0..20);
    prop_oneof![
        Just(("NULL".to_owned(), Value::Null)),
        any::<i64>().prop_map(|number| (number.to_string(), text(&number.to_string()))),
        plain.prop_map(|bytes| {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            (format!("x'{hex}'"), Value::Text(bytes))
        }),
        ".{0,20}".prop_map(|string| {
            let mut escaped = String::new();
            for character in string.chars() {
                match character {
                    '\'' => escaped.push_str("''"),
                    '\\' => escaped.push_str("\\\\"),
                    '\n' => escaped.push_str("\\n"),
                    '\0' => escaped.push_str("\\0"),
                    other => escaped.push(other),
                }
            }
            (format!("'{escaped}'"), text(&string))
        }),
    ]
}

proptest! {
    #[test]
    fn what_a_dump_writes_reads_back(
        rows in prop::collection::vec(prop::collection::vec(spelled(), 3), 1..10),
        gap in prop_oneof![Just(""), Just(" "), Just("\n"), Just("/* , ) */"), Just("-- ;'\n"), Just("#(\n")],
    ) {
        let tuples: Vec<String> = rows
            .iter()
            .map(|row| {
                let spelled: Vec<&str> = row.iter().map(|(spelled, _)| spelled.as_str()).collect();
                format!("({gap}{})", spelled.join(&format!("{gap},{gap}")))
            })
            .collect();
        let dump = format!("INSERT INTO `users` (a,b,c) VALUES {};", tuples.join(&format!(",{gap}")));
        let read: Vec<Vec<Value>> = read(&dump).unwrap().into_iter().map(|row| row.3).collect();
        let expected: Vec<Vec<Value>> =
            rows.into_iter().map(|row| row.into_iter().map(|(_, value)| value).collect()).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn any_bytes_end_in_rows_or_in_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cut in 0..WHOLE.len(),
    ) {
        let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        for file in [bytes.clone(), [WHOLE.as_bytes().get(..cut).unwrap(), &bytes].concat()] {
            match read(&file) {
                Ok(rows) => prop_assert!(rows.iter().all(|row| row.1 <= lines(&file))),
                Err(error) => prop_assert!(error.line <= lines(&file)),
            }
        }
    }

    /// Fragments of the grammar in any order, which random bytes hardly ever meet.
    #[test]
    fn any_words_end_in_rows_or_in_an_error(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "INSERT", "INTO", "users", "`users`", "VALUES", "VALUE", "(", ")", ",", ";", "'", "\"", "`", "\\",
                "CREATE", "TABLE", "IF", "NOT", "EXISTS", "--", " ", "\n", "/*", "*/", "#", "NULL", "0x", "x'", "b'",
                "_binary", "DELIMITER", ";;", "1", "-", "e", "PRIMARY", ".", "REPLACE", "ON",
            ]),
            0..60,
        ),
    ) {
        for gap in ["", " "] {
            drop(read(words.join(gap)));
        }
    }
}
