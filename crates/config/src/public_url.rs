//! The address visitors use, in the form browsers send as `Origin`, so that the
//! two can be compared as text.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Lower case, without a default port or a final slash; `None` when the text is
/// not an http(s) address or has a user, path, query or fragment.
pub(crate) fn normalize(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let (host, port) = split_port(rest.strip_suffix('/').unwrap_or(rest))?;
    let host = normal_host(host)?;
    match port {
        Some(port) if port != default_port => Some(format!("{scheme}://{host}:{port}")),
        Some(_) | None => Some(format!("{scheme}://{host}")),
    }
}

/// Whether an address from `normalize` is on this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = split_port(rest).map_or(rest, |(host, _)| host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    // The colons of an IPv6 address are inside its brackets.
    let after_host = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_host..].find(':') {
        None => Some((authority, None)),
        Some(at) => {
            let (host, port) = authority.split_at(after_host + at);
            let digits = &port[1..];
            let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            all_digits
                .then(|| digits.parse().ok())
                .flatten()
                .map(|port| (host, Some(port)))
        }
    }
}

fn normal_host(host: &str) -> Option<String> {
    if let Some(inner) = host.strip_prefix('[') {
        let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let host = host.to_ascii_lowercase();
    let labels_fit = host.split('.').all(|label| {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.bytes().all(letters)
    });
    let numeric = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (labels_fit && (!numeric || host.parse::<Ipv4Addr>().is_ok())).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, normalize};

    #[test]
    fn addresses_take_the_form_a_browser_sends() {
        for (given, normal) in [
            ("https://Link.Example.org", "https://link.example.org"),
            ("HTTPS://link.example.org:443/", "https://link.example.org"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(normalize(given).as_deref(), Some(normal), "{given}");
            assert_eq!(
                normalize(normal).as_deref(),
                Some(normal),
                "twice is once: {normal}"
            );
        }
    }

    #[test]
    fn anything_beside_scheme_host_and_port_is_refused() {
        for given in [
            "",
            "link.example.org",
            "ftp://link.example.org",
            "https://",
            "https:///",
            "https://link.example.org//",
            "https://link.example.org/app",
            "https://link.example.org?x=1",
            "https://link.example.org#top",
            "https://user:word@link.example.org",
            "https://user@link.example.org",
            "https://link.example.org:",
            "https://link.example.org:+80",
            "https://link.example.org:65536",
            "https://a..b",
            "https://bad host",
            "https://bücher.example",
            "https://300.1.1.1",
            "https://[::1",
            "https://::1",
            "https://[::1]x",
        ] {
            assert_eq!(normalize(given), None, "{given}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for url in [
            "http://localhost:1",
            "http://a.localhost",
            "http://127.9.9.9",
            "http://[::1]:5",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "http://localhost.example.org",
            "http://10.0.0.1:80",
            "http://[2001:db8::1]",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
