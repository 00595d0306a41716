//! Links of older systems, taken over from a file: a dry run first, and the import when somebody says so.

use app::import::files::parse_offset;
use app::import::runs::{self, ImportRun, KEPT_MS, Press};
use app::import::tally::{About, Reason, RowPlace, Tally};
use app::import::uploads::{self, NewImport};
use app::tenancy::{guilds, servers};
use app::{App, AppError, flags};
use domain::audit::Actor;
use domain::flag::Flag;
use domain::id::{AccountId, GuildId, ImportId, ServerId};
use domain::import::{ImportKind, ImportState};
use domain::permission::Permission;
use http::Method;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::refused_rows::refused;
use crate::extract::{Asks, Authorized, Question, Segments, SentFile, perm};
use crate::routes::{Answer, Created, Done, Found, Routes};

const KINDS: &[&str] = &["dump", "users", "removed"];

pub(super) fn add(routes: Routes) -> Routes {
    const ALL: &str = "/orgs/{org}/imports";
    const ONE: &str = "/orgs/{org}/imports/{import}";
    routes
        .dashboard(Method::GET, ALL, "List imports", list)
        .dashboard(Method::POST, ALL, "Check a file for an import", send)
        .dashboard(Method::GET, ONE, "Get an import", get)
        .dashboard(
            Method::POST,
            "/orgs/{org}/imports/{import}/start",
            "Import what was checked",
            start,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/imports/{import}/cancel",
            "Cancel an import",
            cancel,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/imports/{import}/refused",
            "Export the refused rows of an import",
            refused,
        )
        .dashboard(Method::DELETE, ONE, "Forget the rows of an import", forget)
}

/// What is sent, and where it is to go.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOfLinks {
    #[serde(default)]
    guild_id: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    server_id: String,
    #[serde(default)]
    utc_offset: String,
}

impl Question for FileOfLinks {
    const ASKS: &'static [Asks] = &[
        Asks::Text("guild_id"),
        Asks::OneOf("kind", KINDS),
        Asks::Text("server_id"),
        Asks::Text("utc_offset"),
    ];
}

impl FileOfLinks {
    fn parse(&self) -> Result<NewImport, AppError> {
        let guild = GuildId::parse(&self.guild_id);
        let server = match self.server_id.as_str() {
            "" => None,
            text => Some(ServerId::parse(text).map_err(|error| AppError::invalid("server_id", error))?),
        };
        let offset = match self.utc_offset.as_str() {
            "" => "+00:00",
            text => text,
        };
        let kind = ImportKind::parse(&self.kind);
        Ok(NewImport {
            guild: guild.map_err(|error| AppError::invalid("guild_id", error))?,
            server,
            kind: kind.ok_or_else(|| AppError::invalid("kind", "must be dump, users or removed"))?,
            offset: parse_offset(offset).map_err(|problem| AppError::invalid("utc_offset", problem))?,
        })
    }
}

/// A file of links that is taken over.
#[derive(Serialize, ToSchema)]
pub struct Import {
    #[schema(value_type = String)]
    id: ImportId,
    #[schema(value_type = String)]
    guild_id: GuildId,
    /// Whose players get the permission groups.
    #[schema(value_type = Option<String>)]
    server_id: Option<ServerId>,
    /// `dump`, `users` or `removed`.
    #[schema(value_type = String)]
    kind: ImportKind,
    /// `reading`, `checking`, `checked`, `importing`, `done`, `cancelled` or `stopped`.
    #[schema(value_type = String)]
    state: ImportState,
    /// Why it stopped: `guild_removed`, `server_deleted`, `too_many_boosters`, `interrupted` or `expired`.
    stop: Option<&'static str>,
    /// Rows of the file.
    total: i64,
    /// How many of them were gone through.
    done: i64,
    /// What would come of them after a dry run, and what came of them after the import.
    counts: ImportCounts,
    /// `field: column`.
    columns_read: Vec<String>,
    columns_ignored: Vec<String>,
    /// Details of rows that are left out, in words.
    left_out: Vec<String>,
    started_at_ms: i64,
    ended_at_ms: Option<i64>,
    /// When its rows are forgotten; nothing when they are.
    forgotten_at_ms: Option<i64>,
}

#[derive(Serialize, ToSchema)]
struct ImportCounts {
    links: i64,
    /// Ended links.
    history: i64,
    /// Linked like this already.
    known: i64,
    refused: i64,
    boosters: i64,
    /// Players whose permission groups are taken over.
    groups: i64,
    reasons: Vec<ImportReason>,
}

#[derive(Serialize, ToSchema)]
struct ImportReason {
    reason: String,
    rows: i64,
    first: Vec<ImportPlace>,
}

/// Where a row stands in the file.
#[derive(Serialize, ToSchema)]
struct ImportPlace {
    /// `users` or `removed`.
    table: String,
    row: i64,
    line: i64,
}

impl From<RowPlace> for ImportPlace {
    fn from(place: RowPlace) -> Self {
        Self {
            table: place.table,
            row: place.row,
            line: place.line,
        }
    }
}

impl From<Reason> for ImportReason {
    fn from(reason: Reason) -> Self {
        Self {
            reason: reason.reason,
            rows: reason.rows,
            first: reason.first.into_iter().map(ImportPlace::from).collect(),
        }
    }
}

impl From<ImportRun> for Import {
    fn from(run: ImportRun) -> Self {
        let (about, tally) = (About::from_json(&run.about), Tally::from_json(&run.result));
        let mut reasons = tally.reasons;
        reasons.sort_by_key(|reason| -reason.rows);
        Self {
            id: run.id,
            guild_id: run.guild,
            server_id: run.server,
            kind: run.kind,
            state: run.state,
            stop: run.stop.map(|stop| stop.as_str()),
            total: run.total,
            done: run.done,
            counts: ImportCounts {
                links: tally.links,
                history: tally.history,
                known: tally.known,
                refused: tally.refused,
                boosters: tally.boosters,
                groups: tally.groups,
                reasons: reasons.into_iter().map(ImportReason::from).collect(),
            },
            columns_read: about.columns_read,
            columns_ignored: about.columns_ignored,
            left_out: about.left_out,
            started_at_ms: run.created_at_ms,
            ended_at_ms: run.ended_at_ms,
            forgotten_at_ms: (run.has_rows && !run.forget).then_some(run.touched_at_ms + KEPT_MS),
        }
    }
}

/// The newest imports, and where links can be imported to.
#[derive(Serialize, ToSchema)]
pub struct Imports {
    /// The last one first.
    imports: Vec<Import>,
    guilds: Vec<ImportGuild>,
    /// The largest file that is taken.
    most_bytes: usize,
}

#[derive(Serialize, ToSchema)]
struct ImportGuild {
    #[schema(value_type = String)]
    id: GuildId,
    name: String,
    servers: Vec<ImportServer>,
}

#[derive(Serialize, ToSchema)]
struct ImportServer {
    #[schema(value_type = String)]
    id: ServerId,
    name: String,
}

pub async fn list(app: App, caller: Authorized<perm::OrgSettings>, (): ()) -> Answer<Found<Imports>> {
    let found = runs::list(&app, caller.scope).await?;
    let mut servers = servers::list(&app, caller.scope).await?;
    if !caller.permissions.contains(Permission::ServersView) {
        servers.clear();
    }
    let guilds = guilds::list(&app, caller.scope).await?.into_iter();
    let guilds = guilds.map(|guild| ImportGuild {
        servers: servers
            .iter()
            .filter(|server| server.guild == guild.num)
            .map(|server| ImportServer {
                id: server.id.clone(),
                name: server.name.clone(),
            })
            .collect(),
        id: guild.id,
        name: guild.name,
    });
    Ok(Found(Imports {
        imports: found.into_iter().map(Import::from).collect(),
        guilds: guilds.collect(),
        most_bytes: uploads::MOST_BYTES,
    }))
}

pub async fn get(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    Segments(id): Segments<ImportId>,
) -> Answer<Found<Import>> {
    Ok(Found(runs::get(&app, caller.scope, &id).await?.into()))
}

pub async fn send(
    app: App,
    caller: Authorized<perm::FileOfSettings>,
    mut file: SentFile<FileOfLinks>,
) -> Answer<Created<Import>> {
    let by = account(caller.actor)?;
    flags::require(&app, Flag::Imports).await?;
    uploads::check_size(file.announced_bytes())?;
    let mut upload = uploads::begin(&app, caller.scope, file.asked.parse()?, by).await?;
    while let Some(piece) = file.next().await? {
        if !upload.feed(piece).await? {
            break;
        }
    }
    Ok(Created(upload.finish().await?.into()))
}

fn account(actor: Actor) -> Result<AccountId, AppError> {
    match actor {
        Actor::Account(by) => Ok(by),
        Actor::Visitor(_) | Actor::Key(_) | Actor::Player | Actor::Operator | Actor::System => {
            Err(AppError::internal("a member without an account"))
        }
    }
}

pub async fn start(
    app: App,
    caller: Authorized<perm::OfTeam<perm::OrgSettings>>,
    Segments(id): Segments<ImportId>,
) -> Answer<Found<Import>> {
    flags::require(&app, Flag::Imports).await?;
    let by = account(caller.actor)?;
    let run = runs::press(&app, caller.scope, id, Press::Start, by).await?;
    Ok(Found(run.into()))
}

pub async fn cancel(
    app: App,
    caller: Authorized<perm::OfTeam<perm::OrgSettings>>,
    Segments(id): Segments<ImportId>,
) -> Answer<Found<Import>> {
    let by = account(caller.actor)?;
    let run = runs::press(&app, caller.scope, id, Press::Cancel, by).await?;
    Ok(Found(run.into()))
}

pub async fn forget(
    app: App,
    caller: Authorized<perm::OfTeam<perm::OrgSettings>>,
    Segments(id): Segments<ImportId>,
) -> Answer<Done> {
    let by = account(caller.actor)?;
    runs::press(&app, caller.scope, id, Press::Forget, by).await?;
    Ok(Done)
}
