//! What stops strangers at a form that nobody has to be authorised for. A form cannot be registered without it.

/// How a form knows whom it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The secret of the browser's way through the page, and the hidden field that was drawn with it.
    OwnForm,
    /// A session, on a page of ours.
    Session,
}

/// An input that a handler gets only after a stranger was stopped.
pub trait Guard {
    const STOP: Stop;
}

/// The inputs of a handler of which the last is a guard.
pub trait Guarded {
    const STOP: Stop;
}

macro_rules! guarded {
    ($(($($input:ident)*))+) => {$(
        impl<Manner, $($input,)* Last: Guard> Guarded for (Manner, $($input,)* Last) {
            const STOP: Stop = Last::STOP;
        }
    )+};
}

guarded! {
    ()
    (A)
    (A B)
    (A B C)
    (A B C D)
}
