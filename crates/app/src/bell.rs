//! Rung when there is work to do, so that workers need not wait for their next look. Nothing depends on its being heard.

use tokio::sync::watch;

/// One for each node; `jobs::carry` lets those of several nodes hear each other.
pub struct Bell {
    /// Heard by all who work on this node.
    rung: watch::Sender<()>,
    /// Heard by who tells other nodes.
    rung_here: watch::Sender<()>,
}

impl Default for Bell {
    fn default() -> Self {
        Self {
            rung: watch::Sender::new(()),
            rung_here: watch::Sender::new(()),
        }
    }
}

impl Bell {
    /// There is work to do.
    pub fn ring(&self) {
        self.rung.send_replace(());
        self.rung_here.send_replace(());
    }

    /// Another node rang. This is told to nobody else, or nodes would ring each other for ever.
    pub fn ring_from_afar(&self) {
        self.rung.send_replace(());
    }

    /// Hears every ring from now on, also one that comes while nobody waits for it.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.rung.subscribe()
    }

    /// The same for what was rung on this node alone.
    pub fn listen_here(&self) -> watch::Receiver<()> {
        self.rung_here.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_node_rang_is_not_told_to_others() {
        let bell = Bell::default();
        let (heard, heard_here) = (bell.listen(), bell.listen_here());
        bell.ring_from_afar();
        assert!(heard.has_changed().unwrap() && !heard_here.has_changed().unwrap());
        bell.ring();
        assert!(heard_here.has_changed().unwrap());
    }
}
