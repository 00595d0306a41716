//! Steam's answer to a check: lines of `key:value`.

use super::NS;

/// Whether the answer says yes or no; nothing when it is not an answer of this protocol. Every line has to be a pair,
/// and both keys that matter are there once.
pub(super) fn is_valid(body: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(body).ok()?;
    let (mut ns, mut valid) = (None, None);
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let (key, value) = line.split_once(':')?;
        let seen = match key {
            "ns" => ns.replace(value),
            "is_valid" => valid.replace(value),
            _ => None,
        };
        if seen.is_some() {
            return None;
        }
    }
    match (ns, valid) {
        (Some(NS), Some("true")) => Some(true),
        (Some(NS), Some("false")) => Some(false),
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(rest: &str) -> Option<bool> {
        is_valid(format!("ns:http://specs.openid.net/auth/2.0\n{rest}").as_bytes())
    }

    #[test]
    fn only_a_plain_yes_is_a_yes() {
        assert_eq!(answer("is_valid:true\n"), Some(true));
        assert_eq!(answer("is_valid:true"), Some(true));
        assert_eq!(answer("invalidate_handle:1\nis_valid:true\n"), Some(true));
        assert_eq!(answer("is_valid:false\n"), Some(false));
    }

    #[test]
    fn whatever_only_looks_like_a_yes_is_nothing() {
        for rest in [
            "",
            "\n",
            "xis_valid:true\n",
            "is_valid:true:x\n",
            "is_valid:truex\n",
            "is_valid: true\n",
            "is_valid:true \n",
            "is_valid:true\r\n",
            "is_valid:TRUE\n",
            "Is_Valid:true\n",
            " is_valid:true\n",
            "is_valid:1\n",
            "is_valid\n",
            "is_valid:false\nis_valid:true\n",
            "is_valid:true\nis_valid:true\n",
            "ns:http://specs.openid.net/auth/2.0\nis_valid:true\n",
            "is_valid:true\nnonsense\n",
            "is_valid:true\n\n",
            "is_valid:true\u{0}\n",
            "error:x is_valid:true\n",
        ] {
            assert_eq!(answer(rest), None, "{rest:?}");
        }
        for body in [
            "is_valid:true\n",
            "ns:http://specs.openid.net/auth/1.1\nis_valid:true\n",
            "ns:https://specs.openid.net/auth/2.0\nis_valid:true\n",
            "<html><body>is_valid:true</body></html>",
            "",
        ] {
            assert_eq!(is_valid(body.as_bytes()), None, "{body:?}");
        }
        assert_eq!(
            is_valid(b"ns:http://specs.openid.net/auth/2.0\nis_valid:true\n\xff"),
            None
        );
    }

    proptest! {
        #[test]
        fn no_answer_panics_and_noise_is_no_yes(body in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_ne!(is_valid(&body), Some(true));
        }
    }
}
