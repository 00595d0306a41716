//! A look into the guilds for people who try the sandbox by hand: read a channel, use a command, press a button.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde_json::{Value, json};

use super::Inner;
use super::caller::Ids;
use super::interactions::{CommandUse, ComponentUse, Use, What};
use super::portal;
use super::snowflake::Snowflake;
use super::speech::Said;
use super::state::{DiscordState, Guild, Message};
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, escape};

const SHOWN: usize = 50;
const ANSWER_STEPS: u32 = 60;
const ANSWER_STEP: Duration = Duration::from_millis(50);

/// All guilds and their text channels.
pub fn front(inner: &Inner) -> Response {
    let world = inner.world();
    let mut body = format!(
        "<p>Bots connect here. People can read along, and make bots in the <a href=\"{}\">developer portal</a>.</p>",
        portal::PATH
    );
    for (id, guild) in &world.state.guilds {
        body.push_str(&format!(
            "<h2>{}</h2><p><a href=\"/guilds/{id}\">Members and roles</a></p><ul>",
            escape(&guild.name)
        ));
        for (id, channel) in guild.channels.iter().filter(|(_, channel)| channel.kind == 0) {
            body.push_str(&format!(
                "<li><a href=\"/channels/{id}\">#{}</a></li>",
                escape(&channel.name)
            ));
        }
        body.push_str("</ul>");
    }
    page::page("Discord", "Servers", &body)
}

/// The messages of a channel, and what the chosen person can do there.
pub async fn channel(
    State(inner): State<Arc<Inner>>,
    Ids(id): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let world = inner.world();
    let state = &world.state;
    let found = state
        .guild_of_channel(id)
        .and_then(|guild| Some((guild, state.guilds.get(&guild)?)));
    let Some((guild_id, guild)) = found else {
        return page::problem("Discord", StatusCode::NOT_FOUND, "There is no such channel.");
    };
    let person = query
        .get("as")
        .and_then(|id| id.parse().ok())
        .or_else(|| first_person(state, guild));
    let messages = state.messages.get(&id).map(Vec::as_slice).unwrap_or_default();
    let mut body = String::from("<p><a href=\"/\">All servers</a></p>");
    if let Some(problem) = query.get("problem") {
        body.push_str(&format!("<p role=\"alert\">{}</p>", escape(problem)));
    }
    body.push_str("<h2>Messages</h2>");
    for message in &messages[messages.len().saturating_sub(SHOWN)..] {
        body.push_str(&shown(state, message, person));
    }
    if messages.is_empty() {
        body.push_str("<p>No messages yet.</p>");
    }
    body.push_str("<h2>Only for you</h2>");
    let mine = world
        .interactions
        .latest()
        .filter(|own| own.channel_id == id && Some(own.user_id) == person);
    for message in mine
        .flat_map(|own| &own.messages)
        .filter(|message| message.flags & 64 != 0)
        .take(5)
    {
        body.push_str(&shown(state, message, None));
    }
    body.push_str(&forms(state, guild_id, guild, person));
    let name = guild
        .channels
        .get(&id)
        .map(|channel| channel.name.as_str())
        .unwrap_or_default();
    page::page("Discord", &format!("#{name} in {}", guild.name), &body)
}

/// Does what the form says, waits for the bot, and shows the channel again.
pub async fn act(State(inner): State<Arc<Inner>>, Ids(id): Ids<Snowflake>, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let person = form.get("as").unwrap_or_default().to_owned();
    let back = format!("/channels/{id}");
    if let Some(text) = form.get("text") {
        let problem = said(&person, id, text).and_then(|said| inner.say(&said)).err();
        let fields = [("as", person.as_str())].into_iter();
        let fields = fields.chain(problem.as_deref().map(|problem| ("problem", problem)));
        return (StatusCode::SEE_OTHER, [(LOCATION, with_query(&back, fields))]).into_response();
    }
    let outcome = requested(&inner, id, &form).and_then(|used| inner.interact(&used));
    let location = match outcome {
        Err(problem) => with_query(&back, [("as", person.as_str()), ("problem", problem.as_str())]),
        Ok(interaction) => {
            for _ in 0..ANSWER_STEPS {
                let answered = inner
                    .world()
                    .interactions
                    .get(interaction.id)
                    .is_some_and(|own| !own.messages.is_empty());
                if answered {
                    break;
                }
                tokio::time::sleep(ANSWER_STEP).await;
            }
            with_query(&back, [("as", person.as_str())])
        }
    };
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

fn said(person: &str, channel_id: Snowflake, text: &str) -> Result<Said, String> {
    Ok(Said {
        channel_id,
        user_id: person.parse().map_err(|_| "Who are you?")?,
        content: text.to_owned(),
    })
}

fn requested(inner: &Inner, channel: Snowflake, form: &Form) -> Result<Use, String> {
    let id = |name: &str| form.get(name).and_then(|id| id.parse::<Snowflake>().ok());
    let world = inner.world();
    let guild_id = world
        .state
        .guild_of_channel(channel)
        .ok_or("There is no such channel.")?;
    let what = match (id("message"), form.get("button"), form.get("command")) {
        (Some(message_id), Some(button), _) => What::Component(ComponentUse {
            message_id,
            custom_id: button.to_owned(),
            values: Vec::new(),
        }),
        (_, _, Some(line)) => What::Command(parse_command(line)),
        (_, _, None) => return Err("Choose a command or a button.".to_owned()),
    };
    Ok(Use {
        application_id: id("application").ok_or("Which bot?")?,
        guild_id,
        channel_id: channel,
        user_id: id("as").ok_or("Who are you?")?,
        what,
    })
}

/// `/whois user=123` and the like.
fn parse_command(line: &str) -> CommandUse {
    let mut words = line.trim().trim_start_matches('/').split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let options = words.filter_map(|word| word.split_once('='));
    CommandUse {
        name,
        options: options
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect(),
    }
}

fn first_person(state: &DiscordState, guild: &Guild) -> Option<Snowflake> {
    let human = |id: &&Snowflake| state.users.get(id).is_some_and(|user| !user.bot);
    guild.members.keys().find(human).copied()
}

pub fn display_name(state: &DiscordState, id: Snowflake) -> String {
    let user = state.users.get(&id);
    let name = user.map(|user| user.global_name.as_deref().unwrap_or(&user.username));
    escape(name.unwrap_or("somebody"))
}

fn shown(state: &DiscordState, message: &Message, person: Option<Snowflake>) -> String {
    let mut html = format!(
        "<article><h3>{}</h3><p>{}</p>",
        display_name(state, message.author_id),
        escape(&message.content)
    );
    for embed in &message.embeds {
        let text = |value: &Value| escape(value.as_str().unwrap_or_default());
        html.push_str(&format!(
            "<h4>{}</h4><p>{}</p><dl>",
            text(&embed["title"]),
            text(&embed["description"])
        ));
        for field in embed["fields"].as_array().into_iter().flatten() {
            html.push_str(&format!(
                "<dt>{}</dt><dd>{}</dd>",
                text(&field["name"]),
                text(&field["value"])
            ));
        }
        html.push_str("</dl>");
    }
    let buttons = buttons(&message.components);
    html.push_str(&match person {
        Some(person) => format!(
            "<form method=\"post\"><input type=\"hidden\" name=\"as\" value=\"{person}\">\
             <input type=\"hidden\" name=\"application\" value=\"{}\">\
             <input type=\"hidden\" name=\"message\" value=\"{}\">{buttons}</form></article>",
            message.author_id, message.id,
        ),
        None => format!("<p>{buttons}</p></article>"),
    });
    html
}

/// Links open, buttons are sent.
fn buttons(components: &[Value]) -> String {
    let text = |value: &Value| escape(value.as_str().unwrap_or_default());
    let one = |component: &Value| {
        let label = text(&component["label"]);
        match (&component["url"], &component["custom_id"]) {
            (Value::String(url), _) => format!("<a href=\"{}\">{label}</a> ", escape(url)),
            (_, Value::String(id)) => format!(
                "<button name=\"button\" value=\"{}\">{label}</button> ",
                escape(id)
            ),
            _ => buttons(
                component["components"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default(),
            ),
        }
    };
    components.iter().map(one).collect()
}

fn forms(state: &DiscordState, guild_id: Snowflake, guild: &Guild, person: Option<Snowflake>) -> String {
    let people: String = guild
        .members
        .keys()
        .filter(|id| state.users.get(id).is_some_and(|user| !user.bot))
        .take(SHOWN)
        .map(|id| {
            let chosen = if Some(*id) == person { " selected" } else { "" };
            format!(
                "<option value=\"{id}\"{chosen}>{}</option>",
                display_name(state, *id)
            )
        })
        .collect();
    let bots = state
        .applications
        .iter()
        .filter(|(id, _)| guild.members.contains_key(id));
    let bots: String = bots
        .map(|(id, application)| {
            let commands = application
                .guild_commands
                .get(&guild_id)
                .into_iter()
                .flatten()
                .chain(&application.commands);
            let names: Vec<String> = commands
                .map(|command| format!("/{}", command["name"].as_str().unwrap_or_default()))
                .collect();
            let (name, names) = (escape(&application.name), escape(&names.join(" ")));
            format!("<option value=\"{id}\">{name} {names}</option>")
        })
        .collect();
    format!(
        "<h2>Say something</h2><form method=\"post\">\
         <p><label for=\"speaker\">You are</label> <select id=\"speaker\" name=\"as\">{people}</select></p>\
         <p><label for=\"text\">Message</label> \
         <input id=\"text\" name=\"text\" autocomplete=\"off\" required> <button>Say</button></p></form>\
         <h2>Use a command</h2><form method=\"post\">\
         <p><label for=\"who\">You are</label> <select id=\"who\" name=\"as\">{people}</select></p>\
         <p><label for=\"bot\">Bot and its commands</label> <select id=\"bot\" name=\"application\">{bots}</select></p>\
         <p><label for=\"command\">Command, options as name=value</label> \
         <input id=\"command\" name=\"command\" placeholder=\"/link\" required> <button>Send</button></p></form>"
    )
}
