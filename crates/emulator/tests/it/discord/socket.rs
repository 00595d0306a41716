//! A bot's side of the gateway, by hand.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::world::{ALL_PRIVILEGED, DiscordTest, TOKEN};

/// Guilds, members, messages, content.
pub const USUAL_INTENTS: u64 = 1 | (1 << 1) | (1 << 9) | (1 << 15);
const LIMIT: Duration = Duration::from_secs(60);

pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connected, whatever follows.
    pub async fn open(test: &DiscordTest) -> Socket {
        let url = format!("{}/?v=10&encoding=json", test.discord.gateway_url());
        let (stream, _) = connect_async(url).await.expect("the gateway answers");
        Socket(stream)
    }

    /// Connected, and past HELLO.
    pub async fn connect(test: &DiscordTest) -> Socket {
        let mut socket = Socket::open(test).await;
        let hello = socket.next().await;
        assert_eq!(hello["op"], 10);
        assert!(hello["d"]["heartbeat_interval"].as_u64().unwrap() > 0);
        socket
    }

    /// Identified, and past READY and one guild; returns the session's id as well.
    pub async fn ready(test: &DiscordTest, intents: u64) -> (Socket, String) {
        let mut socket = Socket::connect(test).await;
        socket.identify(TOKEN, intents).await;
        let ready = socket.event("READY").await;
        assert_eq!(ready["resume_gateway_url"], test.discord.gateway_url());
        let id = ready["session_id"].as_str().unwrap().to_owned();
        for _ in ready["guilds"].as_array().unwrap() {
            socket.event("GUILD_CREATE").await;
        }
        (socket, id)
    }

    pub async fn identify(&mut self, token: &str, intents: u64) {
        assert_eq!(
            intents & ALL_PRIVILEGED & !USUAL_INTENTS,
            0,
            "presences are not tested here"
        );
        let data = json!({"token": token, "intents": intents, "properties": {"os": "linux"}});
        self.send(json!({"op": 2, "d": data})).await;
    }

    pub async fn resume(&mut self, session: &str, seq: u64) {
        self.send(json!({"op": 6, "d": {"token": TOKEN, "session_id": session, "seq": seq}}))
            .await;
    }

    pub async fn send(&mut self, payload: Value) {
        self.raw(&payload.to_string()).await;
    }

    pub async fn raw(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.expect("the line stands");
    }

    pub async fn close(&mut self, code: u16) {
        let frame = CloseFrame {
            code: CloseCode::from(code),
            reason: "".into(),
        };
        self.0.close(Some(frame)).await.expect("the line stands");
        while let Some(Ok(_)) = self.0.next().await {}
    }

    /// The next payload.
    pub async fn next(&mut self) -> Value {
        match self.message().await {
            Some(Message::Text(text)) => serde_json::from_str(text.as_str()).expect("JSON"),
            other => panic!("expected a payload, got {other:?}"),
        }
    }

    /// The data of the next payload, which must be this event.
    pub async fn event(&mut self, name: &str) -> Value {
        let payload = self.next().await;
        assert_eq!(
            (&payload["op"], &payload["t"]),
            (&json!(0), &json!(name)),
            "{payload}"
        );
        payload["d"].clone()
    }

    /// With which code the other side closes; none when the line just dies.
    pub async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.message().await {
                Some(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                None => return None,
                Some(
                    Message::Text(_)
                    | Message::Binary(_)
                    | Message::Ping(_)
                    | Message::Pong(_)
                    | Message::Frame(_),
                ) => {}
            }
        }
    }

    /// True when the line ends and nothing came before that.
    pub async fn is_dead(&mut self) -> bool {
        self.message().await.is_none()
    }

    /// True when an answered heartbeat shows that nothing else is on the way.
    pub async fn is_quiet(&mut self) -> bool {
        self.send(json!({"op": 1, "d": null})).await;
        self.next().await["op"] == 11
    }

    async fn message(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(LIMIT, self.0.next())
            .await
            .expect("something within the limit");
        next.and_then(Result::ok)
    }
}
