//! Rung when there is work to do, so that workers need not wait for their next look. Nothing depends on its being heard.

use tokio::sync::watch;

pub struct Bell {
    rung: watch::Sender<()>,
}

impl Default for Bell {
    fn default() -> Self {
        Self {
            rung: watch::Sender::new(()),
        }
    }
}

impl Bell {
    pub fn ring(&self) {
        self.rung.send_replace(());
    }

    /// Hears every ring from now on, also one that comes while nobody waits for it.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.rung.subscribe()
    }
}
