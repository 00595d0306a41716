//! What every use case is given.

use std::ops::Deref;
use std::sync::Arc;

use domain::audit::Actor;
use storage::Whose;
use storage::records::audit::Act;

use crate::memories::Memories;
use crate::platforms::Platforms;
use crate::runtime::Runtime;

/// The running application; clones share it. What it runs on is reached directly: `app.db`, `app.clock`.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

/// The parts of an [`App`], which its clones share.
pub struct Inner {
    /// What use cases run on; reached without this name.
    pub runtime: Runtime,
    /// What this node remembers and may lose.
    pub memories: Memories,
    /// The clients for Steam and Discord.
    pub platforms: Platforms,
}

impl App {
    pub(crate) fn new(runtime: Runtime, memories: Memories, platforms: Platforms) -> Self {
        let inner = Inner {
            runtime,
            memories,
            platforms,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The time that nodes share, by which it is judged what another node has written down. The clock of this one may be
    /// wrong.
    pub async fn shared_now_ms(&self) -> i64 {
        let steady_ms = self.clock.steady_ms();
        let time = &self.memories.shared_time;
        time.read(&self.db, self.moment(), steady_ms).await
    }

    /// What somebody begins to do now, in an Org or in none.
    pub(crate) fn act<S: Whose>(&self, scope: S, actor: Actor) -> Act<S> {
        Act::new(scope, actor, self.now_ms())
    }
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Deref for Inner {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        &self.runtime
    }
}
