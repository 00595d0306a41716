//! Connections that many requests share at once. Requests are pipelined, so a read costs no wait for a free connection.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::collect;
use super::connect::{Connected, Connector, silent};
use crate::db::{DbError, FromRow, Row, Statement, Value};

pub(super) struct SharedClients {
    connector: Connector,
    slots: Vec<Slot>,
    next: AtomicUsize,
    deadline: Duration,
}

struct Slot {
    client: ArcSwapOption<Client>,
    /// Held while connecting, so that a lost connection is replaced once and not by every waiting request.
    connecting: Mutex<()>,
}

struct Client {
    connection: Connected,
    /// Keyed by the address of the text, which is static.
    prepared: RwLock<HashMap<usize, tokio_postgres::Statement>>,
}

impl SharedClients {
    pub(super) async fn connect(
        connector: Connector,
        count: usize,
        deadline: Duration,
    ) -> Result<Self, DbError> {
        let mut slots = Vec::with_capacity(count);
        for _ in 0..count {
            let client = Client {
                connection: connector.connect().await?,
                prepared: RwLock::default(),
            };
            slots.push(Slot {
                client: ArcSwapOption::from_pointee(client),
                connecting: Mutex::new(()),
            });
        }
        Ok(Self {
            connector,
            slots,
            next: AtomicUsize::new(0),
            deadline,
        })
    }

    pub(super) async fn list<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        let slot = &self.slots[self.next.fetch_add(1, Ordering::Relaxed) % self.slots.len()];
        let deadline = Instant::now() + self.deadline;
        let client = timeout_at(deadline, self.client(slot)).await;
        let client = client.map_err(|_| silent())??;
        match timeout_at(deadline, client.list(statement, params)).await {
            Ok(answer) => answer,
            Err(_) => {
                // Whoever waits behind this read on the same connection would wait in vain too.
                slot.client.compare_and_swap(&Some(client), None);
                Err(silent())
            }
        }
    }

    async fn client(&self, slot: &Slot) -> Result<Arc<Client>, DbError> {
        if let Some(client) = live(slot) {
            return Ok(client);
        }
        let _connecting = slot.connecting.lock().await;
        if let Some(client) = live(slot) {
            return Ok(client);
        }
        let client = Arc::new(Client {
            connection: self.connector.connect().await?,
            prepared: RwLock::default(),
        });
        slot.client.store(Some(Arc::clone(&client)));
        Ok(client)
    }
}

fn live(slot: &Slot) -> Option<Arc<Client>> {
    slot.client
        .load_full()
        .filter(|client| !client.connection.client.is_closed())
}

impl Client {
    async fn list<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        let prepared = self.prepare(statement).await?;
        let rows = self.connection.client.query_raw(&prepared, params).await?;
        collect(rows, |row| T::from_row(&Row::Postgres(row))).await
    }

    async fn prepare(&self, statement: &'static Statement) -> Result<tokio_postgres::Statement, DbError> {
        let key = statement.postgres().as_ptr() as usize;
        let known = self
            .prepared
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        if let Some(prepared) = known {
            return Ok(prepared);
        }
        let prepared = self.connection.client.prepare(statement.postgres()).await?;
        self.prepared
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, prepared.clone());
        Ok(prepared)
    }
}
