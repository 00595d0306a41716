//! A small HTTP client that keeps its connection and tells how an answer was lost.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Names in lower case, with their values.
    pub fn headers(&self) -> impl Iterator<Item = (String, &str)> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

impl Wire {
    pub async fn open(address: SocketAddr) -> Result<Wire> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Wire {
            stream,
            buffer: Vec::new(),
        })
    }

    /// Sends a request. `ConnectionAborted` means that not one byte came back, `UnexpectedEof` that some did.
    pub async fn send(
        &mut self,
        method: &str,
        uri: &str,
        header: (&str, &str),
        body: &str,
    ) -> Result<Answer> {
        self.send_as("application/json", method, uri, header, body).await
    }

    /// A file, with a session.
    pub async fn send_file(&mut self, session: &str, uri: &str, file: &str) -> Result<Answer> {
        let cookie = format!("symbolon={session}");
        let header = ("cookie", cookie.as_str());
        self.send_as("application/octet-stream", "POST", uri, header, file)
            .await
    }

    async fn send_as(
        &mut self,
        kind: &str,
        method: &str,
        uri: &str,
        (name, value): (&str, &str),
        body: &str,
    ) -> Result<Answer> {
        let request = format!(
            "{method} {uri} HTTP/1.1\r\nhost: test\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n{name}: {value}\r\n\r\n{body}",
            body.len()
        );
        tokio::time::timeout(PATIENCE, async {
            let sent = self.stream.write_all(request.as_bytes()).await;
            sent.map_err(|error| Error::new(ErrorKind::ConnectionAborted, error))?;
            self.receive().await
        })
        .await
        .unwrap_or_else(|_| Err(Error::new(ErrorKind::TimedOut, "no answer in time")))
    }

    /// The same with an API key.
    pub async fn plugin(&mut self, key: &str, query: &str) -> Result<Answer> {
        self.send("GET", &format!("/api?{query}"), ("x-api-key", key), "")
            .await
    }

    /// The same with a session.
    pub async fn person(&mut self, session: &str, method: &str, uri: &str, body: &str) -> Result<Answer> {
        let cookie = format!("symbolon={session}");
        self.send(method, uri, ("cookie", &cookie), body).await
    }

    async fn receive(&mut self) -> Result<Answer> {
        let head_end = loop {
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..head_end]).into_owned();
        let mut answer = Answer {
            status: head.get(9..12).and_then(|text| text.parse().ok()).unwrap_or(0),
            head,
            body: String::new(),
        };
        let length = answer.header("content-length").and_then(|text| text.parse().ok());
        let end = head_end + 4 + length.unwrap_or(0);
        while self.buffer.len() < end {
            self.read_more().await?;
        }
        answer.body = String::from_utf8_lossy(&self.buffer[head_end + 4..end]).into_owned();
        self.buffer.drain(..end);
        Ok(answer)
    }

    async fn read_more(&mut self) -> Result<()> {
        let lost = if self.buffer.is_empty() {
            ErrorKind::ConnectionAborted
        } else {
            ErrorKind::UnexpectedEof
        };
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) => Err(Error::new(lost, "the connection ended")),
            Ok(_) => Ok(()),
            Err(error) => Err(Error::new(lost, error)),
        }
    }
}
