//! `health`: asks a running service whether it is well, for containers in which there is no other program to ask with.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::cli::{Common, HealthOptions};
use crate::open::load_config;
use crate::output::{Failure, say};

const PATIENCE: Duration = Duration::from_secs(5);
/// The status line is the first line of any answer.
const STATUS_LINE_BYTES: usize = 64;

pub async fn ask(common: &Common, options: &HealthOptions) -> Result<(), Failure> {
    let address = match options.address {
        Some(address) => address,
        None => load_config(common, None)?.server.listen,
    };
    let path = if options.ready { "/readyz" } else { "/healthz" };
    let asked = tokio::time::timeout(PATIENCE, status_of(reachable(address), path)).await;
    let status = asked
        .map_err(|_| format!("no answer from {address} in {} seconds", PATIENCE.as_secs()))?
        .map_err(|error| format!("no answer from {address}: {error}"))?;
    if status == "200" {
        say(format!("{path} answers 200"));
        Ok(())
    } else {
        Err(format!("{path} answers {status}").into())
    }
}

/// A service that listens on all addresses is asked on this machine's own.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V4(_) | IpAddr::V6(_) => address.ip(),
    };
    SocketAddr::new(ip, address.port())
}

async fn status_of(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::with_capacity(STATUS_LINE_BYTES);
    stream
        .take(STATUS_LINE_BYTES as u64)
        .read_to_end(&mut head)
        .await?;
    let head = String::from_utf8_lossy(&head);
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    Ok(status.unwrap_or("nothing that is HTTP").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_listens_everywhere_is_asked_on_this_machine() {
        let asked = |text: &str| reachable(text.parse().unwrap()).to_string();
        assert_eq!(asked("0.0.0.0:8080"), "127.0.0.1:8080");
        assert_eq!(asked("[::]:8080"), "[::1]:8080");
        assert_eq!(asked("10.0.0.7:80"), "10.0.0.7:80");
    }
}
