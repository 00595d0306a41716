//! Trips of the dashboard to Discord: signing in, and showing which Discord servers somebody manages.

use domain::audit::{Actor, AuditAction};
use domain::blocklist::BlockEntry;
use domain::flow::{FlowToken, TRIP_MS};
use domain::id::{AccountId, OrgId};
use domain::name::DisplayName;
use domain::network::ClientAddress;
use domain::oauth::{AuthorizationCode, PkceVerifier, State};
use domain::platform_id::DiscordId;
use domain::return_path::ReturnPath;
use domain::seal::Aad;
use domain::token::SessionToken;
use platform::discord::oauth::Scope;
use serde_json::json;
use storage::identity::accounts::{self, Account};
use storage::identity::sign_ins::{self, NewSignIn, SignInPurpose};
use storage::identity::{blocklist, sessions};
use storage::records::audit::Act;
use storage::{AccountNum, NoOrg, Tx, Work};

use crate::error::{AppError, IdentityError, RequestError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::identity::discord_visit::{Identified, identify, open_verifier, revoke_later};
use crate::identity::sessions::Caller;
use crate::pictures::{self, Owner};
use crate::state::App;

/// What a browser brought back to the dashboard.
pub struct DiscordAnswer<'a> {
    /// The secret of the trip, as it came back.
    pub state: &'a str,
    /// None when the person said no.
    pub code: Option<&'a str>,
}

/// Where Discord sends the browser back to, one constant path for each purpose.
pub const LOGIN_CALLBACK: &str = "/auth/discord/login/callback";
/// The same after a look at the Discord servers that somebody manages.
pub const CLAIM_CALLBACK: &str = "/auth/discord/claim/callback";

/// Where to send the browser, and the secret that ties the trip to it.
pub struct Departure {
    /// Discord's page, with the trip's secret in it.
    pub url: String,
    /// Goes into the browser's cookie: a new one, or the one it has.
    pub token: FlowToken,
}

/// Begins a sign-in to the dashboard.
pub async fn start_login(
    app: &App,
    return_to: ReturnPath,
    browser: Option<FlowToken>,
    address: ClientAddress,
) -> Result<Departure, AppError> {
    start(app, SignInPurpose::Dashboard, return_to, browser, address).await
}

/// Begins a look at the Discord servers that a signed-in person manages, for an Org to claim one.
pub async fn start_claim(
    app: &App,
    org: &OrgId,
    browser: Option<FlowToken>,
    address: ClientAddress,
) -> Result<Departure, AppError> {
    let back = ["/app/orgs/", org.as_str(), "/guilds/new"].concat();
    let return_to = ReturnPath::parse(&back).ok_or(RequestError::NotFound)?;
    start(app, SignInPurpose::Claim, return_to, browser, address).await
}

const fn callback(purpose: SignInPurpose) -> &'static str {
    match purpose {
        SignInPurpose::Dashboard => LOGIN_CALLBACK,
        SignInPurpose::Claim => CLAIM_CALLBACK,
    }
}

const fn scopes(purpose: SignInPurpose) -> &'static [Scope] {
    match purpose {
        SignInPurpose::Dashboard => &[Scope::Identify],
        SignInPurpose::Claim => &[Scope::Identify, Scope::Guilds],
    }
}

pub(crate) fn verifier_place(state_hash: &str) -> Aad<'_> {
    Aad {
        table: "sign_ins",
        column: "verifier_sealed",
        row: state_hash,
        version: 1,
    }
}

/// The first thing that stores anything about a visitor. A browser that has a secret already keeps it: its other tabs may
/// be on their way, too.
async fn start(
    app: &App,
    purpose: SignInPurpose,
    return_to: ReturnPath,
    browser: Option<FlowToken>,
    address: ClientAddress,
) -> Result<Departure, AppError> {
    refuse_blocked_network(app, address).await?;
    let token = browser.unwrap_or_else(|| FlowToken::generate(&*app.random));
    let state = State::generate(&*app.random);
    let verifier = PkceVerifier::generate(&*app.random);
    let url =
        app.platforms
            .discord_sign_in()?
            .authorize_url(callback(purpose), scopes(purpose), &state, &verifier);
    let state_hash = state.hash();
    let place = verifier_place(&state_hash);
    let (verifier_sealed, verifier_kid) = app.vault.seal(&*app.random, &place, verifier.expose().as_bytes());
    let work = Begin {
        hash: token.trip_hash(&state_hash),
        purpose,
        state_hash,
        verifier_sealed,
        verifier_kid,
        return_to,
        ends_at_ms: app.now_ms() + TRIP_MS,
    };
    app.db.write(work).await?;
    Ok(Departure { url, token })
}

struct Begin {
    hash: String,
    purpose: SignInPurpose,
    state_hash: String,
    verifier_sealed: String,
    verifier_kid: String,
    return_to: ReturnPath,
    ends_at_ms: i64,
}

impl Work for Begin {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "begin_dashboard_sign_in";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        let new = NewSignIn {
            hash: &self.hash,
            purpose: self.purpose,
            state_hash: &self.state_hash,
            verifier_sealed: &self.verifier_sealed,
            verifier_kid: &self.verifier_kid,
            return_to: self.return_to.as_str(),
            ends_at_ms: self.ends_at_ms,
        };
        Ok(sign_ins::insert(tx, &new).await?)
    }
}

/// Takes the trip of this browser, once, and asks Discord who came back.
async fn arrive(
    app: &App,
    purpose: SignInPurpose,
    token: Option<&FlowToken>,
    answer: DiscordAnswer<'_>,
    address: ClientAddress,
) -> Result<(Identified, ReturnPath), AppError> {
    let token = token.ok_or(IdentityError::SignInExpired)?;
    let state = State::parse(answer.state).map_err(|_| IdentityError::SignInExpired)?;
    let code = answer.code.map(AuthorizationCode::parse).transpose();
    let code = code.map_err(|_| IdentityError::SignInExpired)?;
    let hash = token.trip_hash(&state.hash());
    let found = sign_ins::find(&app.db, &hash, purpose, app.now_ms()).await?;
    let trip = found
        .filter(|trip| state.matches(&trip.state_hash))
        .ok_or(IdentityError::SignInExpired)?;
    let return_to = ReturnPath::parse(&trip.return_to).ok_or(IdentityError::SignInExpired)?;
    // Used up before anything is asked with it: a second copy of this request finds nothing.
    let once = Take {
        hash,
        state_hash: trip.state_hash.clone(),
    };
    let is_first = app.db.write(once).await?;
    refuse_blocked_network(app, address).await?;
    if !is_first {
        return Err(IdentityError::SignInExpired.into());
    }
    let code = code.ok_or(IdentityError::SignInCancelled)?;
    let verifier = open_verifier(app, &verifier_place(&trip.state_hash), &trip.verifier_sealed)?;
    let known = identify(app, callback(purpose), scopes(purpose), &code, &verifier).await?;
    Ok((known, return_to))
}

struct Take {
    hash: String,
    state_hash: String,
}

impl Work for Take {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "take_dashboard_sign_in";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        Ok(sign_ins::take(tx, &self.hash, &self.state_hash).await?)
    }
}

/// Somebody who is signed in now.
pub struct SignedIn {
    /// The only copy; the table holds its hash.
    pub session: SessionToken,
    /// A path of ours: nobody is sent elsewhere.
    pub return_to: ReturnPath,
}

/// Finishes a sign-in. The browser gets a new session and its old one ends; a blocked person gets none.
pub async fn finish_login(
    app: &App,
    token: Option<&FlowToken>,
    answer: DiscordAnswer<'_>,
    address: ClientAddress,
    device: Option<String>,
    old: Option<&SessionToken>,
) -> Result<SignedIn, AppError> {
    let (known, return_to) = arrive(app, SignInPurpose::Dashboard, token, answer, address).await?;
    let session = SessionToken::generate(&*app.random);
    let now_ms = app.now_ms();
    let shown = DisplayName::parse(&known.person.name).map(|name| name.as_str().to_owned());
    let discord_id = known.person.id.clone();
    let work = Enter {
        id: AccountId::generate(now_ms, &*app.random),
        name: shown.unwrap_or_else(|_| known.person.id.to_string()),
        blocks: app.discord_blocks(&known.person.id),
        discord_id: known.person.id,
        hash: session.hash(),
        old_hash: old.map(SessionToken::hash),
        device,
        now_ms,
        ends_ms: now_ms + app.retention.session_ms(),
    };
    let entered = app.db.write(work).await;
    // Who somebody is has been told; nothing else is ever asked with this token.
    revoke_later(app, Some(&discord_id), known.access);
    pictures::keep_later(app, Owner::Account(entered?), known.person.avatar);
    Ok(SignedIn { session, return_to })
}

struct Enter {
    id: AccountId,
    discord_id: DiscordId,
    blocks: [BlockEntry; 2],
    name: String,
    hash: String,
    old_hash: Option<String>,
    device: Option<String>,
    now_ms: i64,
    ends_ms: i64,
}

impl Work for Enter {
    type For = NoOrg;
    type Output = Account;
    type Error = AppError;
    const NAME: &'static str = "enter_dashboard";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Account, AppError> {
        if blocklist::is_any_blocked_in(tx, &self.blocks, self.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        let account = accounts::ensure(tx, &self.id, &self.discord_id, &self.name, self.now_ms).await?;
        accounts::rename(tx, account.num, &self.name).await?;
        if let Some(old) = &self.old_hash {
            sessions::delete(tx, old).await?;
        }
        let device = self.device.as_deref();
        sessions::insert(tx, &self.hash, account.num, self.now_ms, self.ends_ms, device).await?;
        note_session(tx, account.id.clone(), self.now_ms).await?;
        Ok(account)
    }
}

/// Finishes a look at somebody's Discord servers. It has to be the person who is signed in; having signed in afresh, they
/// go on with a new session, and the one they came with ends.
pub async fn finish_claim(
    app: &App,
    token: Option<&FlowToken>,
    answer: DiscordAnswer<'_>,
    address: ClientAddress,
    (caller, old): (Caller, &SessionToken),
) -> Result<SignedIn, AppError> {
    let (known, return_to) = arrive(app, SignInPurpose::Claim, token, answer, address).await?;
    revoke_later(app, Some(&known.person.id), known.access);
    let managed = known.guilds.into_iter().filter(|guild| guild.manages);
    let session = SessionToken::generate(&*app.random);
    let work = SetManaged {
        old_hash: old.hash(),
        hash: session.hash(),
        account: caller.account,
        account_id: caller.account_id,
        blocks: app.discord_blocks(&known.person.id),
        person: known.person.id,
        guilds: managed.map(|guild| (guild.id, guild.name)).collect(),
        now_ms: app.now_ms(),
        ends_ms: app.now_ms() + app.retention.session_ms(),
    };
    app.db.write(work).await?;
    Ok(SignedIn { session, return_to })
}

struct SetManaged {
    old_hash: String,
    hash: String,
    account: AccountNum,
    account_id: AccountId,
    person: DiscordId,
    blocks: [BlockEntry; 2],
    guilds: Vec<(DiscordId, String)>,
    now_ms: i64,
    ends_ms: i64,
}

impl Work for SetManaged {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "set_managed_guilds";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        if blocklist::is_any_blocked_in(tx, &self.blocks, self.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        let account = accounts::find_in(tx, &self.account_id).await?;
        if account.is_none_or(|account| account.discord_id != self.person) {
            return Err(IdentityError::OtherAccount.into());
        }
        if !sessions::renew(tx, &self.old_hash, &self.hash, self.now_ms, self.ends_ms).await? {
            return Err(IdentityError::SignInRequired.into());
        }
        sign_ins::set_managed(tx, self.account, &self.guilds, self.now_ms).await?;
        note_session(tx, self.account_id.clone(), self.now_ms).await
    }
}

async fn note_session(tx: &mut Tx<'_>, account: AccountId, at_ms: i64) -> Result<(), AppError> {
    let act = Act::new(NoOrg, Actor::Account(account), at_ms);
    Ok(act
        .note(tx, AuditAction::SessionCreated, None, &json!({}))
        .await?)
}
