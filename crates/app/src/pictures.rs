//! Pictures of Guilds and of members: fetched once from Discord, checked, kept, and shown from our own address, so that
//! nobody's browser has to ask Discord for them.

use domain::picture::digest;
use platform::Unanswered;
use platform::blobs::Blobs;
use platform::discord::cdn::{self, Portrait};
use storage::identity::accounts::{self, Account};
pub use storage::pictures::Picture;
use storage::tenancy::guilds::{self, Guild};
use storage::{NoOrg, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError, ServiceError};
use crate::state::App;

/// Whose picture it is.
#[derive(Debug, Clone)]
pub enum Owner {
    /// A community.
    Guild(OrgScope, Guild),
    /// Somebody who uses the dashboard.
    Account(Account),
}

impl Owner {
    fn id(&self) -> &str {
        match self {
            Owner::Guild(_, guild) => guild.id.as_str(),
            Owner::Account(account) => account.id.as_str(),
        }
    }

    fn scope(&self) -> Option<OrgScope> {
        match self {
            Owner::Guild(scope, _) => Some(*scope),
            Owner::Account(_) => None,
        }
    }

    fn portrait(&self) -> Portrait<'_> {
        match self {
            Owner::Guild(_, guild) => Portrait::Icon(&guild.discord_guild_id),
            Owner::Account(account) => Portrait::Avatar(&account.discord_id),
        }
    }
}

/// Where a picture is shown from. It changes with the picture, so that nobody sees an old one from a cache.
pub fn address(owner: &str, digest: &str) -> String {
    ["/pictures/", owner, "/", digest].concat()
}

/// The same as [`keep`], while nobody waits for it.
pub fn keep_later(app: &App, owner: Owner, source: Option<String>) {
    let app_of_task = app.clone();
    app.tasks.spawn(async move {
        if let Err(error) = keep(&app_of_task, &owner, source.as_deref()).await {
            tracing::warn!(error = %error.internal_detail(), "a picture could not be kept");
        }
    });
}

/// Brings the picture that is kept in line with Discord's, whose name is `source`. What cannot be had now stays as it
/// was and is tried again when somebody looks the next time.
pub async fn keep(app: &App, owner: &Owner, source: Option<&str>) -> Result<(), AppError> {
    let known = storage::pictures::find(&app.db, owner.id()).await?;
    if known.as_ref().map(|picture| picture.source.as_str()) == source {
        return Ok(());
    }
    let (Some(cdn), Some(blobs)) = (&app.platforms.discord_cdn, &app.platforms.blobs) else {
        return Ok(());
    };
    let picture = match source {
        None => None,
        Some(source) => match cdn.fetch(owner.portrait(), source).await {
            Ok(fetched) => Some(store(blobs, owner, source, fetched).await?),
            // What is no picture stays none.
            Err(Unanswered::Unreadable | Unanswered::TooLong | Unanswered::Status(404)) => None,
            Err(cause) => {
                tracing::debug!(%cause, "a picture could not be fetched");
                return Ok(());
            }
        },
    };
    let stored = picture.as_ref().map(|picture| picture.digest.clone());
    let change = Change {
        owner: owner.clone(),
        picture,
        now_ms: app.now_ms(),
    };
    match app.db.write_for(owner.scope(), change).await {
        Ok(Some(before)) if stored.as_ref() != Some(&before) => remove(blobs, owner.id(), &before).await,
        Ok(_) => Ok(()),
        Err(error) => {
            let is_new = known.map(|picture| picture.digest) != stored;
            if let Some(stored) = stored.filter(|_| is_new) {
                remove(blobs, owner.id(), &stored).await?;
            }
            Err(error)
        }
    }
}

async fn store(
    blobs: &Blobs,
    owner: &Owner,
    source: &str,
    fetched: cdn::Picture,
) -> Result<Picture, AppError> {
    let picture = Picture {
        source: source.to_owned(),
        digest: digest(&fetched.bytes),
        content_type: fetched.content_type.to_owned(),
    };
    let stored = blobs.put(&file(owner.id(), &picture.digest), fetched.bytes).await;
    stored.map_err(|error| AppError::internal(error.to_string()))?;
    Ok(picture)
}

async fn remove(blobs: &Blobs, owner: &str, digest: &str) -> Result<(), AppError> {
    let removed = blobs.delete(&file(owner, digest)).await;
    removed.map_err(|error| AppError::internal(error.to_string()))
}

/// Forgets the picture of a Guild or an account that goes.
pub async fn forget(app: &App, owner: &str) -> Result<(), AppError> {
    let Some(picture) = storage::pictures::find(&app.db, owner).await? else {
        return Ok(());
    };
    if let Some(blobs) = &app.platforms.blobs {
        remove(blobs, owner, &picture.digest).await?;
    }
    forget_row(app, owner, picture.digest).await
}

/// A picture to be shown: its bytes and what they are. Only the one that is kept for this owner has an address.
pub async fn show(app: &App, owner: &str, named: &str) -> Result<(Vec<u8>, String), AppError> {
    let found = storage::pictures::find_shown(&app.db, owner, named).await?;
    let picture = found.ok_or(RequestError::NotFound)?;
    let blobs = app.platforms.blobs.as_ref().ok_or(RequestError::NotFound)?;
    let read = blobs.get(&file(owner, named)).await.map_err(|error| {
        tracing::warn!(%error, "a picture could not be read");
        ServiceError::Overloaded
    })?;
    match read.filter(|bytes| digest(bytes) == named) {
        Some(bytes) => Ok((bytes, picture.content_type)),
        None => {
            // Such as after a backup came back without its files: it is fetched anew when somebody looks.
            tracing::warn!(owner, "the file of a picture is gone or spoilt");
            forget_row(app, owner, picture.digest).await?;
            Err(RequestError::NotFound.into())
        }
    }
}

fn file(owner: &str, digest: &str) -> String {
    ["pictures/", owner, "/", digest].concat()
}

/// Puts a picture, or none, in the place of the one before, whose digest is told. An owner that is gone gets none.
struct Change {
    owner: Owner,
    picture: Option<Picture>,
    now_ms: i64,
}

impl Work for Change {
    type For = Option<OrgScope>;
    type Output = Option<String>;
    type Error = AppError;
    const NAME: &'static str = "change_picture";

    async fn run(&self, tx: &mut Tx<'_>, _: &Option<OrgScope>) -> Result<Option<String>, AppError> {
        match &self.owner {
            Owner::Guild(scope, guild) => {
                guilds::lock(tx, *scope, guild.num).await?;
            }
            Owner::Account(account) => accounts::lock(tx, &[account.num]).await?,
        }
        let owner = self.owner.id();
        let before = storage::pictures::find_in(tx, owner).await?;
        let before = before.map(|picture| picture.digest);
        match (&self.picture, &before) {
            (Some(picture), _) => storage::pictures::put(tx, owner, picture, self.now_ms).await?,
            (None, Some(before)) => storage::pictures::delete(tx, owner, before).await?,
            (None, None) => {}
        }
        Ok(before)
    }
}

async fn forget_row(app: &App, owner: &str, digest: String) -> Result<(), AppError> {
    let owner = owner.to_owned();
    app.db.write(Forget { owner, digest }).await
}

struct Forget {
    owner: String,
    digest: String,
}

impl Work for Forget {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_picture";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(storage::pictures::delete(tx, &self.owner, &self.digest).await?)
    }
}
