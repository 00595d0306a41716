/// The known name closest to a mistyped one. A name that differs only in its
/// section (`listen` for `server.listen`) counts as closest.
pub(crate) fn nearest<S: AsRef<str>>(asked: &str, known: impl Iterator<Item = S>) -> Option<S> {
    known.min_by_key(|name| {
        let name = name.as_ref();
        (last_part(name) != last_part(asked), edits(asked, name))
    })
}

fn last_part(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

/// Levenshtein distance, one row at a time.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        row[0] = left;
        for (&b, cell) in to.iter().zip(&mut row[1..]) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{edits, nearest};

    #[test]
    fn distance_counts_single_edits() {
        for (from, to, distance) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
        ] {
            assert_eq!(edits(from, to), distance, "{from} {to}");
        }
    }

    #[test]
    fn a_key_in_the_wrong_section_finds_its_own() {
        let known = ["log.level", "server.listen", "server.metrics_listen"];
        assert_eq!(nearest("listen", known.into_iter()), Some("server.listen"));
        assert_eq!(nearest("log.levle", known.into_iter()), Some("log.level"));
    }
}
