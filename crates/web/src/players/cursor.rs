//! Where the next page of a list begins, as clients hand it back.

use app::AppError;
use app::players::users::Place;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

pub(super) fn write(place: &Place) -> String {
    let text = URL_SAFE_NO_PAD.encode(&place.text);
    [&place.number.to_string(), ".", &place.num.to_string(), ".", &text].concat()
}

pub(super) fn read(cursor: &str) -> Result<Option<Place>, AppError> {
    match cursor.trim() {
        "" => Ok(None),
        text => parse(text)
            .map(Some)
            .ok_or_else(|| AppError::invalid("cursor", "must be as it was given")),
    }
}

fn parse(text: &str) -> Option<Place> {
    let mut parts = text.split('.');
    let place = Place {
        number: parts.next()?.parse().ok()?,
        num: parts.next()?.parse().ok()?,
        text: String::from_utf8(URL_SAFE_NO_PAD.decode(parts.next()?).ok()?).ok()?,
    };
    let fits = parts.next().is_none() && !place.text.contains('\0');
    fits.then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_nothing_else_is() {
        let place = Place {
            number: -5,
            num: 42,
            text: "ünlü ☃".to_owned(),
        };
        assert_eq!(read(&write(&place)).unwrap(), Some(place));
        assert_eq!(read(" ").unwrap(), None);
        for bad in [
            "1",
            "1.2",
            "x.2.",
            "1.2.!",
            "1.2.YQ.3",
            "99999999999999999999.1.",
            "1.1.AA",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
