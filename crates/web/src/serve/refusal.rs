//! Refusals that hyper writes by itself. A head that it cannot read never reaches the service: hyper answers it with a
//! status, without a body, and closes. Old bots take an answer without the right words for "linked", so what hyper
//! writes is replaced on its way to the socket.

use app::AppError;
use app::error::HttpError;

use crate::error::{ApiContext, api_text};
use crate::layers::RequestIds;

/// Our answer in place of a refusal of hyper's; none if these bytes are anything else. A refusal is the whole head of an
/// answer that has no body and ends the connection, so whatever else had this form could be replaced without harm.
pub(super) fn instead_of(written: &[u8], ids: &RequestIds) -> Option<Vec<u8>> {
    let error: AppError = match written.strip_prefix(b"HTTP/1.")?.get(2..6)? {
        b"400 " => HttpError::BadRequest.into(),
        b"414 " => HttpError::UriTooLong.into(),
        b"431 " => HttpError::HeadTooLarge.into(),
        _ => return None,
    };
    let head = std::str::from_utf8(written).ok()?;
    let (before, after) = head.split_once("\r\ncontent-length: 0\r\n")?;
    let is_whole_head = head.find("\r\n\r\n") == Some(head.len() - 4);
    // To a client of HTTP/1.0 that asked to go on, hyper does not say that it closes.
    let ends = head.starts_with("HTTP/1.0 ") || head.contains("\r\nconnection: close\r\n");
    if !is_whole_head || !ends || head.contains("\r\nx-request-id: ") {
        return None;
    }
    let id = ids.next();
    tracing::debug!(
        id = id.as_str(),
        status = error.status(),
        code = error.code(),
        "head refused"
    );
    let context = ApiContext {
        request_id: id.as_str(),
        say_no_users: true,
    };
    let body = api_text(&error, &context);
    let own = format!(
        "\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\nx-request-id: {}\r\ncontent-length: {}\r\n",
        id.as_str(),
        body.len()
    );
    Some([before.as_bytes(), own.as_bytes(), after.as_bytes(), &body].concat())
}

#[cfg(test)]
mod tests {
    use domain::random::SeededRandom;

    use super::*;

    const REFUSAL: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n";

    fn instead(written: &str) -> Option<String> {
        let ids = RequestIds::new(&SeededRandom::new(1));
        instead_of(written.as_bytes(), &ids).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_refusal_of_http_1_0_is_replaced_without_the_word_that_it_closes() {
        let text = instead("HTTP/1.0 400 Bad Request\r\ncontent-length: 0\r\n\r\n").unwrap();
        assert!(text.contains("No users"), "{text}");
    }

    #[test]
    fn a_refusal_keeps_its_head_and_gets_a_body() {
        let text = instead(REFUSAL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"));
        assert!(head.ends_with("date: Thu, 01 Jan 2026 00:00:00 GMT"));
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())));
        let failure: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            (&failure["status"], &failure["code"]),
            (&431.into(), &"HEAD_TOO_LARGE".into())
        );
        assert!(failure["message"].as_str().unwrap().starts_with("No users. "));
    }

    #[test]
    fn nothing_else_is_touched() {
        for written in [
            String::new(),
            "HTTP/1.1".to_owned(),
            REFUSAL.replace("431", "200"),
            REFUSAL.replace("431", "404"),
            REFUSAL.replace("connection: close\r\n", ""),
            REFUSAL.replace("length: 0", "length: 2"),
            REFUSAL.replace("date:", "x-request-id: 1\r\ndate:"),
            format!("{REFUSAL}ok"),
            format!("{REFUSAL}{REFUSAL}"),
            format!("ok{REFUSAL}"),
            REFUSAL[..60].to_owned(),
        ] {
            assert_eq!(instead(&written), None, "{written}");
        }
    }
}
