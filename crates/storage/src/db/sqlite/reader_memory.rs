//! What was read in the present transaction of one reader. Within one, the database cannot change, so none of this can
//! be out of date; it is forgotten whenever the transaction ends. What is kept, and how much, is the business of those
//! who read it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// Something worth keeping until the transaction ends.
pub trait Memo: Any + Send {
    /// The transaction has ended.
    fn forget(&mut self);
}

#[derive(Default)]
pub struct ReaderMemory {
    own: Memos,
    /// None where the count of commits says nothing, because another process makes them.
    shared: Option<Arc<Shared>>,
    /// The count under which the transaction began.
    began_at: u64,
}

/// One of each kind.
#[derive(Default)]
struct Memos(Vec<Box<dyn Memo>>);

impl Memos {
    fn of<M: Memo + Default>(&mut self) -> &mut M {
        let mut kinds = self.0.iter().map(|memo| -> &dyn Any { &**memo });
        let place = kinds.position(|memo| memo.is::<M>());
        let place = place.unwrap_or_else(|| {
            self.0.push(Box::new(M::default()));
            self.0.len() - 1
        });
        let memo: &mut dyn Any = &mut *self.0[place];
        match memo.downcast_mut() {
            Some(memo) => memo,
            None => unreachable!("the memo at this place was made or found as one of this kind"),
        }
    }

    fn forget(&mut self) {
        for memo in &mut self.0 {
            memo.forget();
        }
    }
}

/// What readers whose transactions began under the same count tell each other. None of them may see less than that
/// count, so what one of them saw is right for all.
#[derive(Default)]
pub(super) struct Shared(Mutex<SharedMemos>);

#[derive(Default)]
struct SharedMemos {
    began_at: u64,
    memos: Memos,
}

impl ReaderMemory {
    /// What this reader keeps of a kind.
    pub fn own<M: Memo + Default>(&mut self) -> &mut M {
        self.own.of()
    }

    /// What all readers of this count keep of a kind; None for a reader that others are ahead of, and beside another
    /// process.
    pub fn shared<M: Memo + Default, T>(&self, see: impl FnOnce(&mut M) -> T) -> Option<T> {
        let shared = self.shared.as_ref()?;
        let mut shared_memos = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shared_memos.began_at < self.began_at {
            shared_memos.began_at = self.began_at;
            shared_memos.memos.forget();
        }
        (shared_memos.began_at == self.began_at).then(|| see(shared_memos.memos.of()))
    }

    /// What one of several readers of a database knows.
    pub(super) fn among(shared: Arc<Shared>) -> Self {
        Self {
            shared: Some(shared),
            ..Self::default()
        }
    }

    /// A transaction begins under this count.
    pub(super) fn begin(&mut self, count: u64) {
        self.clear();
        self.began_at = count;
    }

    pub(super) fn clear(&mut self) {
        self.own.forget();
    }
}

/// A reader of its own, for tests of what others keep.
#[cfg(test)]
pub(crate) fn readers(count: usize) -> Vec<ReaderMemory> {
    let shared = Arc::new(Shared::default());
    (0..count)
        .map(|_| ReaderMemory::among(Arc::clone(&shared)))
        .collect()
}

/// Begins a transaction under this count.
#[cfg(test)]
pub(crate) fn begin(known: &mut ReaderMemory, count: u64) {
    known.begin(count);
}
