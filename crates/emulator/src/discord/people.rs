//! Who is in a guild, for people who try the sandbox by hand: give and take roles, come, go and boost.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;

use super::Inner;
use super::caller::Ids;
use super::snowflake::Snowflake;
use super::state::{DiscordState, Guild, Member, Role};
use super::window::display_name;
use crate::common::dates;
use crate::common::forms::{Form, with_query};
use crate::common::page::{self, escape};

/// Where it is.
pub const PATH: &str = "/guilds/{guild}";
const SHOWN: usize = 50;
const NO_GUILD: &str = "There is no such server.";

/// The members with their roles; `find` looks for a part of a name or an id.
pub async fn show(
    State(inner): State<Arc<Inner>>,
    Ids(id): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let find = query.get("find").unwrap_or_default();
    let world = inner.world();
    let state = &world.state;
    let Some(guild) = state.guilds.get(&id) else {
        return page::problem("Discord", StatusCode::NOT_FOUND, NO_GUILD);
    };
    let mut body = String::from("<p><a href=\"/\">All servers</a></p>");
    if let Some(problem) = query.get("problem") {
        body.push_str(&format!("<p role=\"alert\">{}</p>", escape(problem)));
    }
    body.push_str(&format!(
        "<form><p><label for=\"find\">Name or ID</label> <input id=\"find\" name=\"find\" value=\"{}\"> \
         <button>Find</button></p></form>",
        escape(find)
    ));
    let people = |there: bool| {
        let known = state.users.iter().filter(|(_, user)| !user.bot);
        known
            .filter(move |(user, _)| guild.members.contains_key(user) == there)
            .filter(|(user, _)| is_meant(state, **user, find))
            .map(|(user, _)| *user)
            .take(SHOWN)
    };
    for user in people(true) {
        if let Some(member) = guild.members.get(&user) {
            body.push_str(&shown(state, id, guild, (user, member), find));
        }
    }
    let outside: String = people(false)
        .map(|user| format!("<option value=\"{user}\">{}</option>", display_name(state, user)))
        .collect();
    if !outside.is_empty() {
        body.push_str(&format!(
            "<h2>Somebody joins</h2><form method=\"post\"><p><label for=\"join\">Person</label> \
             <select id=\"join\" name=\"member\">{outside}</select> \
             <button name=\"do\" value=\"join\">Join</button></p></form>"
        ));
    }
    page::page("Discord", &format!("Members of {}", guild.name), &body)
}

fn is_meant(state: &DiscordState, user: Snowflake, find: &str) -> bool {
    let known = state.users.get(&user);
    let name = known.map(|user| user.global_name.as_deref().unwrap_or(&user.username));
    let find = find.to_lowercase();
    user.to_string() == find || name.is_some_and(|name| name.to_lowercase().contains(&find))
}

/// One member, with a button for each role.
fn shown(
    state: &DiscordState,
    guild_id: Snowflake,
    guild: &Guild,
    (id, member): (Snowflake, &Member),
    find: &str,
) -> String {
    let (mut has, mut lacks) = (String::new(), String::new());
    let is_givable = |(role_id, role): &(&Snowflake, &Role)| **role_id != guild_id && !role.managed;
    for (role_id, role) in guild.roles.iter().filter(is_givable) {
        let name = escape(&role.name);
        if member.roles.contains(role_id) {
            has.push_str(&format!(
                "<button name=\"take\" value=\"{role_id}\" title=\"Take this role\">{name} ✕</button> "
            ));
        } else {
            lacks.push_str(&format!("<option value=\"{role_id}\">{name}</option>"));
        }
    }
    if has.is_empty() {
        has.push_str("none");
    }
    if !lacks.is_empty() {
        lacks = format!(
            "<p><label for=\"give-{id}\">Give</label> <select id=\"give-{id}\" name=\"give\">\
             <option value=\"\">Choose a role</option>{lacks}</select> <button>Give</button></p>"
        );
    }
    let nick = member
        .nick
        .as_deref()
        .map(|nick| format!(", here called {}", escape(nick)));
    let boost = if member.premium_since.is_some() {
        "Stop boosting"
    } else {
        "Boost"
    };
    format!(
        "<article><h3>{name}{nick}</h3><p><small>{id}</small></p><form method=\"post\">\
         <input type=\"hidden\" name=\"member\" value=\"{id}\"><input type=\"hidden\" name=\"find\" value=\"{find}\">\
         <p>Roles: {has}</p>{lacks}\
         <p><button name=\"do\" value=\"boost\">{boost}</button> <button name=\"do\" value=\"leave\">Leave</button></p>\
         </form></article>",
        name = display_name(state, id),
        nick = nick.unwrap_or_default(),
        find = escape(find),
    )
}

/// Does what the button says, as the owner or the member would.
pub async fn act(State(inner): State<Arc<Inner>>, Ids(id): Ids<Snowflake>, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let problem = change(&inner, id, &form).err();
    let back = format!("/guilds/{id}");
    let find = form.get("find").filter(|find| !find.is_empty());
    let mut fields: Vec<(&str, &str)> = find.map(|find| ("find", find)).into_iter().collect();
    fields.extend(problem.map(|problem| ("problem", problem)));
    let location = if fields.is_empty() {
        back
    } else {
        with_query(&back, fields)
    };
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

fn change(inner: &Inner, id: Snowflake, form: &Form) -> Result<(), &'static str> {
    let chosen = |name: &str| form.get(name).and_then(|id| id.parse::<Snowflake>().ok());
    let user = chosen("member").ok_or("Who?")?;
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    if !world.state.users.contains_key(&user) {
        return Err("There is no such person.");
    }
    let changed = world.change_guild(id, |guild| {
        let (give, take) = (chosen("give"), chosen("take"));
        let is_known =
            |role: &Snowflake| *role != id && guild.roles.get(role).is_some_and(|role| !role.managed);
        if [give, take].iter().flatten().any(|role| !is_known(role)) {
            return Err("This role cannot be given.");
        }
        let what = form.get("do");
        if what == Some("join") {
            let fresh = Member {
                joined_ms: now_ms,
                ..Member::default()
            };
            guild.members.entry(user).or_insert(fresh);
            return Ok(());
        }
        let Some(member) = guild.members.get_mut(&user) else {
            return Err("They are not in this server.");
        };
        match (what, take, give) {
            (Some("leave"), _, _) if guild.owner_id == Some(user) => return Err("The owner cannot leave."),
            (Some("leave"), _, _) => drop(guild.members.remove(&user)),
            (Some("boost"), _, _) => {
                let since = member.premium_since.is_none().then(|| dates::micros(now_ms));
                member.premium_since = since;
            }
            (_, Some(role), _) => member.roles.retain(|own| *own != role),
            (_, None, Some(role)) if !member.roles.contains(&role) => member.roles.push(role),
            (_, None, _) => return Err("Choose a role."),
        }
        Ok(())
    });
    changed.unwrap_or(Err(NO_GUILD))
}
