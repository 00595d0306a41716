//! Somebody with a browser who tries everything and remembers every answer.

use std::collections::{BTreeMap, VecDeque};

use app::identity::accounts::Account;
use axum::body::Body;
use domain::permission::{PermissionSet, Role};
use domain::platform_id::SteamId;
use http::Method;
use serde_json::Value;
use testkit::{Client, Reply};

use crate::linking::stage::form_token;

/// What somebody is in an Org.
pub type Standing = (Role, PermissionSet);

/// Ids are no secrets: what one learns, all know. Whatever stops them, it is not that they had to guess.
#[derive(Default)]
pub struct LearnedIds {
    ids: BTreeMap<&'static str, Vec<String>>,
    /// Short names of Orgs and Guilds by their ids, for confirming.
    pub slugs: BTreeMap<String, String>,
    /// What invitations make of people, by their ids.
    pub invites: BTreeMap<String, Standing>,
}

pub const KINDS: [&str; 6] = ["org_", "gld_", "srv_", "key_", "usr_", "inv_"];

impl LearnedIds {
    pub fn of(&self, kind: &str) -> &[String] {
        self.ids.get(kind).map_or(&[], Vec::as_slice)
    }

    pub fn learn_id(&mut self, text: &str) {
        let kind = KINDS.into_iter().find(|kind| text.starts_with(kind));
        if let Some(kind) = kind.filter(|kind| text.len() > kind.len() + 10) {
            let ids = self.ids.entry(kind).or_default();
            ids.retain(|id| id != text);
            ids.push(text.to_owned());
        }
    }

    fn learn_object(&mut self, object: &serde_json::Map<String, Value>) {
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        if let (Some(id), Some(slug)) = (text("id"), text("slug")) {
            self.slugs.insert(id, slug);
        }
        if let (Some(id), Some(standing)) = (text("id"), standing_in(object)) {
            self.invites.insert(id, standing);
        }
    }
}

/// The rank and the permissions that a JSON object tells of.
pub fn standing_in(object: &serde_json::Map<String, Value>) -> Option<Standing> {
    let role = Role::parse(object.get("role")?.as_str()?)?;
    let names = object.get("permissions")?.as_array()?.iter();
    let permissions = names.filter_map(|name| domain::permission::Permission::parse(name.as_str()?));
    Some((role, permissions.collect()))
}

/// Every object inside a JSON value.
pub fn objects(value: &Value) -> Vec<&serde_json::Map<String, Value>> {
    match value {
        Value::Object(fields) => {
            let inside = fields.values().flat_map(objects);
            [fields].into_iter().chain(inside).collect()
        }
        Value::Array(items) => items.iter().flat_map(objects).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// How a call shows who makes it.
pub enum Manner {
    /// The browser's cookies and a JSON body.
    Json,
    /// The same with a file.
    File,
    /// A form of one of our pages.
    Form,
    /// An API key.
    Key(String),
}

/// A call that somebody makes.
pub struct Call {
    pub method: Method,
    pub uri: String,
    pub body: String,
    pub manner: Manner,
}

pub struct Actor {
    pub name: String,
    pub account: Account,
    pub steam: SteamId,
    /// What the Owner gives back to those who left; nothing for people from elsewhere.
    pub hired_as: Option<Standing>,
    /// Runs the installation, and belongs to no Org that is attacked.
    pub is_operator: bool,
    pub client: Client,
    pub cookies: BTreeMap<String, String>,
    /// Whether their session should still count.
    pub is_signed_in: bool,
    /// What they set out to do next, as places in the route table.
    pub plan: VecDeque<usize>,
    /// Secrets, each from an answer that this person got.
    pub codes: Vec<String>,
    pub keys: Vec<String>,
    pub sessions: Vec<String>,
    /// An Org that they made.
    pub own_org: Option<String>,
    pub form: String,
    /// Where providers are waiting for them, by the way back.
    pub trips: BTreeMap<String, String>,
}

impl Actor {
    pub async fn send(&mut self, call: &Call) -> Reply {
        let mut client = self.client.clone();
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match &call.manner {
            Manner::Key(key) => client = client.header("x-api-key", key),
            Manner::Json => {
                client = client
                    .header("cookie", &pairs.join("; "))
                    .header("content-type", "application/json");
            }
            Manner::File => {
                client = client
                    .header("cookie", &pairs.join("; "))
                    .header("content-type", "application/octet-stream");
            }
            Manner::Form => {
                client = client
                    .header("cookie", &pairs.join("; "))
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("sec-fetch-site", "same-origin");
            }
        }
        let body = Body::from(call.body.clone());
        let reply = client.send(call.method.clone(), &call.uri, body).await;
        for set in reply.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap_or_default().split(';').next();
            if let Some((name, value)) = pair.and_then(|pair| pair.split_once('=')) {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }

    /// Remembers whatever an answer tells.
    pub fn learn(&mut self, reply: &Reply, known: &mut LearnedIds) {
        let text = String::from_utf8_lossy(&reply.body);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        for word in text.split(|letter| !is_part(letter)) {
            known.learn_id(word);
            if is_key(word) {
                push_new(&mut self.keys, word);
            }
        }
        for code in codes_in(&text) {
            push_new(&mut self.codes, code);
        }
        if let Some(form) = form_token(&text) {
            self.form = form;
        }
        let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        for object in objects(&json) {
            known.learn_object(object);
            if let (Some(id), true) = (object.get("id"), object.contains_key("current")) {
                push_new(&mut self.sessions, id.as_str().unwrap_or_default());
            }
        }
    }
}

/// A whole API key, as opposed to its first characters.
pub fn is_key(word: &str) -> bool {
    word.starts_with("svc_live_") && word.len() > 40
}

/// The codes of the invitation addresses in a text.
pub fn codes_in(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split("/invite/").skip(1);
    after.filter_map(|rest| rest.get(..43).filter(|code| !code.contains(['"', '/', '<', '{'])))
}

fn push_new(list: &mut Vec<String>, word: &str) {
    list.retain(|one| one != word);
    list.push(word.to_owned());
}
