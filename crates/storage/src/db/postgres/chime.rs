//! A sign from node to node, over a connection of its own. It may get lost: nobody may rely on it.
//!
//! It is given after a commit and not within the transaction: PostgreSQL lets only one transaction at a time commit that
//! gives a sign.

use std::future::poll_fn;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Connection};

use super::connect::{Connected, silent};
use crate::db::DbError;

/// Nodes of one installation share a schema; others may be in the same database.
const CHANNEL: &str = "SELECT 'symbolon_' || md5(current_schema())";

/// A connection that hears the signs of other nodes and gives signs to them.
pub struct Chime {
    connection: Connected,
    channel: String,
    heard: watch::Receiver<()>,
    deadline: Duration,
}

/// A connection of which nothing is known but who else would hear its own signs.
pub(super) struct Silent {
    connection: Connected,
    heard: watch::Receiver<()>,
}

impl Silent {
    /// Moves the bytes of a connection, and notes the signs among them.
    #[expect(clippy::disallowed_methods, reason = "ends with its client")]
    pub(super) fn of<S, T>(client: Client, mut connection: Connection<S, T>) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (hears, heard) = watch::channel(());
        let moving = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if matches!(message, AsyncMessage::Notification(_)) {
                    hears.send_replace(());
                }
            }
        });
        let connection = Connected::of(client, moving.abort_handle());
        Self { connection, heard }
    }

    /// Begins to hear.
    pub(super) async fn listen(self, deadline: Duration) -> Result<Chime, DbError> {
        let begin = async {
            let row = self.connection.client.query_one(CHANNEL, &[]).await?;
            let channel: String = row.try_get(0)?;
            let listen = ["LISTEN ", &channel].concat();
            self.connection.client.batch_execute(&listen).await?;
            Ok::<_, DbError>(channel)
        };
        let channel = timeout(deadline, begin).await.map_err(|_| silent())??;
        let Self { connection, heard } = self;
        Ok(Chime {
            connection,
            channel,
            heard,
            deadline,
        })
    }
}

impl Chime {
    /// Gives a sign to all nodes, this one included.
    pub async fn ring(&self) -> Result<(), DbError> {
        let notify = ["NOTIFY ", &self.channel].concat();
        let given = timeout(self.deadline, self.connection.client.batch_execute(&notify)).await;
        Ok(given.map_err(|_| silent())??)
    }

    /// Waits for a sign. Several that came at once are one.
    pub async fn heard(&mut self) -> Result<(), DbError> {
        self.heard.changed().await.map_err(|_| silent())
    }
}
