//! A service that answers as the real one does, and remembers what it was told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub const SECRET: &str = "sbot_0000000000000000000000000000000000000000000000000000000000000000";
const SILENT: Duration = Duration::from_secs(15);

/// What it was told, and how it answers.
pub struct Known {
    pub linked: u64,
    /// Instead of an answer to signs of life.
    pub session_fails: Option<u16>,
    /// Sessions that may not begin yet.
    pub refused_identifies: u32,
    /// The same, because too much was asked at once.
    pub hurried_identifies: u32,
    pub answer_after: Duration,
    pub answer_fails: Option<u16>,
    pub reports: Vec<Value>,
    pub failed_reports: u32,
    pub identifies: Vec<Value>,
    pub asked: Vec<Value>,
    /// Where the bot should be. One on a page.
    pub guilds: Vec<String>,
    /// The signs of life of this process are never answered.
    pub hangs_for: Option<String>,
    /// Kinds of hints by guild.
    pub hints: BTreeMap<String, Vec<String>>,
    /// Calls about members: the guild, and each with what happened.
    pub members: Vec<(String, Vec<(String, String)>)>,
    /// Instead of an answer to those.
    pub members_fail: Option<u16>,
    holder: Option<(String, Instant)>,
}

#[derive(Clone)]
pub struct Service {
    pub url: String,
    known: Arc<Mutex<Known>>,
    _serving: Arc<JoinSet<()>>,
}

impl Service {
    pub async fn start() -> Self {
        let known = Arc::new(Mutex::new(Known {
            linked: 3,
            session_fails: None,
            refused_identifies: 0,
            hurried_identifies: 0,
            answer_after: Duration::ZERO,
            answer_fails: None,
            reports: Vec::new(),
            failed_reports: 0,
            identifies: Vec::new(),
            asked: Vec::new(),
            guilds: Vec::new(),
            hangs_for: None,
            hints: BTreeMap::new(),
            members: Vec::new(),
            members_fail: None,
            holder: None,
        }));
        let router = Router::new()
            .route("/bot/session", post(session))
            .route("/bot/identify", post(identify))
            .route("/bot/events", post(events))
            .route("/bot/members", post(members))
            .route("/bot/guilds", get(guilds))
            .route("/bot/interactions", post(interactions))
            .with_state(Arc::clone(&known));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            known,
            _serving: Arc::new(serving),
        }
    }

    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    /// The last sign of life.
    pub fn last(&self) -> Value {
        self.known().reports.last().cloned().unwrap_or_default()
    }

    pub fn is_online(&self) -> bool {
        self.last()["state"] == "online"
    }

    /// What happened to members of a guild, in the order of the calls.
    pub fn members_of(&self, guild: impl ToString) -> Vec<(String, String)> {
        let (known, guild) = (self.known(), guild.to_string());
        let calls = known.members.iter().filter(|(own, _)| *own == guild);
        calls.flat_map(|(_, members)| members.clone()).collect()
    }

    pub fn was_hinted(&self, guild: impl ToString, kind: &str) -> bool {
        let known = self.known();
        let kinds = known.hints.get(&guild.to_string());
        kinds.is_some_and(|kinds| kinds.iter().any(|own| own == kind))
    }
}

type Shared = State<Arc<Mutex<Known>>>;

fn refuse(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, Json(json!({"code": "TEST"}))).into_response()
}

fn is_known(headers: &HeaderMap) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    header("x-bot-id") == Some("platform") && header("authorization") == Some(&format!("Bearer {SECRET}"))
}

async fn guilds(State(known): Shared, Query(asked): Query<BTreeMap<String, String>>) -> Response {
    let known = known.lock().unwrap();
    let at: usize = asked.get("cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let page: Vec<_> = known.guilds.get(at).into_iter().collect();
    let page: Vec<_> = page
        .into_iter()
        .map(|id| json!({"discord_guild_id": id}))
        .collect();
    let next = (at + 1 < known.guilds.len()).then(|| (at + 1).to_string());
    Json(json!({"guilds": page, "next": next})).into_response()
}

async fn session(State(known): Shared, headers: HeaderMap, Json(report): Json<Value>) -> Response {
    if known.lock().unwrap().hangs_for.as_deref() == report["instance"].as_str() {
        return std::future::pending().await;
    }
    let mut known = known.lock().unwrap();
    if let Some(status) = known.session_fails {
        known.failed_reports += 1;
        return refuse(status);
    }
    if !is_known(&headers) {
        return refuse(401);
    }
    let instance = report["instance"].as_str().unwrap().to_owned();
    let other = known.holder.as_ref();
    if other.is_some_and(|(other, at)| *other != instance && at.elapsed() < SILENT) {
        known.reports.push(json!({"refused": instance}));
        return refuse(409);
    }
    known.holder = (report["state"] != "stopped").then(|| (instance, Instant::now()));
    known.reports.push(report);
    Json(json!({"linked": known.linked, "instance_ok": true})).into_response()
}

async fn identify(State(known): Shared, Json(wish): Json<Value>) -> Response {
    let mut known = known.lock().unwrap();
    if known.hurried_identifies > 0 {
        known.hurried_identifies -= 1;
        return refuse(429);
    }
    if known.refused_identifies > 0 {
        known.refused_identifies -= 1;
        let refusal = json!({"code": "IDENTIFY_BUDGET"});
        return (
            StatusCode::TOO_MANY_REQUESTS,
            [("retry-after", "1")],
            Json(refusal),
        )
            .into_response();
    }
    known.identifies.push(wish);
    Json(json!({})).into_response()
}

async fn events(State(known): Shared, Json(body): Json<Value>) -> StatusCode {
    for event in body["events"].as_array().unwrap() {
        let guild = event["discord_guild_id"].as_str().unwrap().to_owned();
        let kind = event["kind"].as_str().unwrap().to_owned();
        known.lock().unwrap().hints.entry(guild).or_default().push(kind);
    }
    StatusCode::NO_CONTENT
}

async fn members(State(known): Shared, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let mut known = known.lock().unwrap();
    if let Some(status) = known.members_fail {
        return refuse(status);
    }
    if !is_known(&headers) {
        return refuse(401);
    }
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let members = body["members"].as_array().unwrap().iter();
    let members = members.map(|member| (text(&member["id"]), text(&member["change"])));
    let told = (text(&body["discord_guild_id"]), members.collect());
    known.members.push(told);
    StatusCode::NO_CONTENT.into_response()
}

async fn interactions(State(known): Shared, Json(asked): Json<Value>) -> Response {
    let (after, fails) = {
        let mut known = known.lock().unwrap();
        known.asked.push(asked);
        (known.answer_after, known.answer_fails)
    };
    if let Some(status) = fails {
        return refuse(status);
    }
    tokio::time::sleep(after).await;
    Json(json!({"content": "Your accounts are linked.", "embeds": [], "components": []})).into_response()
}
