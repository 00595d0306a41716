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
