use strsim::levenshtein;

/// The known name closest to a mistyped one. A name that differs only in its
/// section (`listen` for `server.listen`) counts as closest.
pub(crate) fn nearest<S: AsRef<str>>(asked: &str, known: impl Iterator<Item = S>) -> Option<S> {
    known.min_by_key(|name| {
        let name = name.as_ref();
        (last_part(name) != last_part(asked), levenshtein(asked, name))
    })
}

fn last_part(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_key_in_the_wrong_section_finds_its_own() {
        let known = ["log.level", "server.listen", "server.metrics_listen"];
        assert_eq!(nearest("listen", known.into_iter()), Some("server.listen"));
        assert_eq!(nearest("log.levle", known.into_iter()), Some("log.level"));
    }
}
