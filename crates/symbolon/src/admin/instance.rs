//! The instance as a whole: maintenance, registration, master keys.

use app::instance::CodeRequest;
use app::{App, AppError, instance, master_keys};
use clap::{Subcommand, ValueEnum};
use domain::audit::Actor;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::fields;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum InstanceCommand {
    /// Close the dashboard to everyone but operators, or open it again. Link pages and the plugin API keep working.
    Maintenance {
        #[arg(value_enum)]
        state: Switch,
        /// What people read in the meantime.
        #[arg(long)]
        message: Option<String>,
    },
    /// Choose whether anyone can create an organisation, or only people with a code.
    Registration {
        #[arg(value_enum)]
        mode: RegistrationMode,
    },
    /// Create a registration code for one new organisation and print it.
    RegistrationCode {
        /// Who it is for, as a note for other operators.
        #[arg(long, default_value = "")]
        note: String,
        /// Days until it expires; without it, it never does.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Create a new master key and re-encrypt every stored secret with it.
    RotateMasterKey,
    /// Remove an old master key that is no longer needed.
    RemoveMasterKey {
        /// Name of the key in the master key file, such as k1.
        #[arg(long)]
        kid: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum RegistrationMode {
    Open,
    InviteOnly,
}

pub(super) async fn run(app: &App, command: InstanceCommand) -> Result<Fields, AppError> {
    use InstanceCommand as C;
    match command {
        C::Maintenance { state, message } => maintenance(app, state, message.as_deref()).await,
        C::Registration { mode } => registration(app, mode).await,
        C::RegistrationCode { note, days } => registration_code(app, &note, days).await,
        C::RotateMasterKey => rotate_master_key(app).await,
        C::RemoveMasterKey { kid } => remove_master_key(app, &kid).await,
    }
}

async fn maintenance(app: &App, state: Switch, message: Option<&str>) -> Result<Fields, AppError> {
    let on = state == Switch::On;
    instance::set_maintenance(app, on, message, Actor::Operator).await?;
    Ok(Fields::new().told("maintenance", if on { "on" } else { "off" }, on))
}

async fn registration(app: &App, mode: RegistrationMode) -> Result<Fields, AppError> {
    let invite_only = mode == RegistrationMode::InviteOnly;
    instance::set_invite_only(app, invite_only, Actor::Operator).await?;
    let word = if invite_only { "invite-only" } else { "open" };
    Ok(fields([("registration", word)]))
}

async fn registration_code(app: &App, note: &str, days: Option<u32>) -> Result<Fields, AppError> {
    let request = CodeRequest {
        note,
        max_uses: 1,
        days,
    };
    let (id, code) = instance::make_registration_code(app, request, Actor::Operator).await?;
    Ok(fields([("code", code.expose()), ("id", id.as_str())]))
}

async fn rotate_master_key(app: &App) -> Result<Fields, AppError> {
    let rotation = master_keys::rotate(app).await?;
    Ok(Fields::new()
        .with("active", rotation.kid.as_str())
        .with("resealed", rotation.resealed))
}

async fn remove_master_key(app: &App, kid: &str) -> Result<Fields, AppError> {
    master_keys::remove(app, kid).await?;
    Ok(fields([("removed", kid)]))
}
