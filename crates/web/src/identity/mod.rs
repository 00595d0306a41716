//! People: who is signed in, signing in and out, invitations on their way in.

pub mod account;
pub mod dashboard_sign_in;
