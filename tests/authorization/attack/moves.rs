//! What somebody does at a route: the call with ids, codes and words that they learned.

use domain::permission::Permission;
use serde_json::{Value, json};
use testkit::{Tenant, discord};
use web::routes::{RouteAnswer, RouteSpec};

use super::actor::{Actor, Call, LearnedIds, Manner};
use super::dice::Dice;
use crate::authorization::examples::{Example, Target, example};
use crate::linking::stage::{own_path, visit};

/// Discord servers that nobody has claimed; whoever may settle an Org's settings manages some there.
pub const UNCLAIMED: std::ops::Range<u64> = 820_000_000..820_000_012;

/// The ways through several pages that somebody sets out on when they come to one of these.
pub fn way_to(path: &str) -> &'static [&'static str] {
    match path {
        "/link/{slug}/verify" | "/link/{slug}/join" => {
            &["/auth/discord/link", "/auth/steam/link", "/link/{slug}"]
        }
        "/unlink/{slug}/confirm" => &["/auth/discord/unlink", "/unlink/{slug}"],
        "/link/{slug}/restart" => &["/auth/steam/link", "/link/{slug}"],
        "/unlink/{slug}/restart" => &["/auth/steam/unlink", "/unlink/{slug}"],
        "/orgs/{org}/guilds" => &["/auth/discord/claim"],
        // Whoever belongs to an Org stays what they are, so they leave it first.
        "/invite/{code}/accept" => &["/account/memberships/{org}"],
        _ => &[],
    }
}

pub struct Place<'a> {
    pub ours: &'a Tenant,
    pub theirs: &'a Tenant,
    pub known: &'a LearnedIds,
}

impl Place<'_> {
    /// The call that somebody makes at a route this time.
    pub async fn call(&self, route: &RouteSpec, actor: &mut Actor, dice: &mut Dice) -> Call {
        let mut target = self.target(actor, dice);
        target.confirm = self.word(route, &target);
        let Example {
            method, uri, body, ..
        } = example(route, &target);
        let mut call = Call {
            method,
            uri,
            body: body.unwrap_or_default(),
            manner: if route.takes_file {
                Manner::File
            } else {
                Manner::Json
            },
        };
        match (route.method.as_str(), route.path) {
            ("GET", "/api") => {
                let key = dice.learned(&actor.keys).cloned().unwrap_or_default();
                let action = dice.one(&["count", "findBySteam", "listAllLinked", "remove", "serverDetails"]);
                call.uri = format!("/api?action={action}&id={}", actor.steam);
                call.manner = Manner::Key(key);
            }
            ("GET", "/app/{*rest}") => call.uri = "/app/orgs".to_owned(),
            ("GET", "/auth/discord/claim") => call.uri = format!("/auth/discord/claim?org={}", target.org),
            ("GET", path) if path.ends_with("/callback") => call.uri = come_back(path, actor).await,
            ("POST", "/orgs") => {
                let slug = format!("own-{}", dice.below(1 << 40));
                call.body = json!({ "name": "Own", "slug": slug }).to_string();
            }
            ("POST", "/orgs/{org}/guilds") => {
                let number = UNCLAIMED.start + dice.below(UNCLAIMED.count()) as u64;
                let slug = format!("claimed-{}", dice.below(1 << 40));
                call.body = json!({ "discord_guild_id": discord(number).as_str(), "slug": slug }).to_string();
            }
            ("POST", "/orgs/{org}/keys") if dice.percent(50) => {
                let mut body: Value = serde_json::from_str(&call.body).expect("an object");
                body["server_id"] = target.server.as_str().into();
                call.body = body.to_string();
            }
            ("PATCH", "/orgs/{org}/servers/{server}") => {
                call.body = json!({ "active": dice.percent(80) }).to_string();
            }
            ("PATCH", "/orgs/{org}/team/{account}") => call.body = self.member_change(actor, dice),
            ("POST", "/orgs/{org}/invites") => {
                let role = dice.one(&["staff", "admin", "admin", "owner"]);
                let permissions = some_permissions(actor, dice);
                call.body = json!({ "role": role, "permissions": permissions, "expires": "7d" }).to_string();
            }
            ("POST", _) if matches!(route.answer, RouteAnswer::SeeOther) => {
                call.manner = Manner::Form;
                call.body = format!("form={}", actor.form);
            }
            _ => {}
        }
        call
    }

    /// Ours, the other Org's, or whatever else was seen; mostly ours, or little would ever succeed.
    fn target(&self, actor: &Actor, dice: &mut Dice) -> Target {
        let mut named = |kind: &str, chance: usize, ours: &str, theirs: &str| match dice.below(100) {
            0..10 => theirs.to_owned(),
            roll if roll < 10 + chance => ours.to_owned(),
            _ => dice
                .learned(self.known.of(kind))
                .map_or(ours, String::as_str)
                .to_owned(),
        };
        let (ours, theirs) = (Target::from(self.ours), Target::from(self.theirs));
        let mut org = named("org_", 65, &ours.org, &theirs.org);
        let guild = named("gld_", 45, &ours.guild, &theirs.guild);
        let server = named("srv_", 15, &ours.server, &theirs.server);
        let key = named("key_", 15, &ours.key, &theirs.key);
        let account = named("usr_", 15, &ours.account, &theirs.account);
        let invite = named("inv_", 15, &ours.invite, &theirs.invite);
        if let Some(own) = actor.own_org.as_ref().filter(|_| dice.percent(15)) {
            org.clone_from(own);
        }
        Target {
            confirm: String::new(),
            code: dice
                .learned(&actor.codes)
                .cloned()
                .unwrap_or_else(|| "A".repeat(43)),
            slug: if dice.percent(85) { "guild-1" } else { "guild-2" }.to_owned(),
            user: if dice.percent(80) { ours.user } else { theirs.user },
            import: if dice.percent(80) {
                ours.import
            } else {
                theirs.import
            },
            session: dice.learned(&actor.sessions).cloned().unwrap_or(ours.session),
            org,
            guild,
            server,
            key,
            account,
            invite,
        }
    }

    /// Everybody knows the word that removes a thing. For what is attacked they type a wrong one, or it would be gone.
    fn word(&self, route: &RouteSpec, target: &Target) -> String {
        let (named, precious) = if route.path.contains("{guild}") {
            (&target.guild, self.ours.guild.as_str())
        } else {
            (&target.org, self.ours.org.as_str())
        };
        let word = self.known.slugs.get(named).filter(|_| named != precious);
        word.map_or("no", String::as_str).to_owned()
    }

    /// The Owner gives single permissions, the others ask for as much as they can get.
    fn member_change(&self, actor: &Actor, dice: &mut Dice) -> String {
        let role = *dice.one(&["staff", "staff", "admin", "owner"]);
        let is_owner = actor.account.id == self.ours.owner.id;
        let permissions = if is_owner {
            vec![dice.one(Permission::ALL).as_str()]
        } else {
            some_permissions(actor, dice)
        };
        let change = match dice.below(3) {
            0 => json!({ "permissions": permissions }),
            1 if !is_owner => json!({ "role": role }),
            _ => json!({ "role": role, "permissions": permissions }),
        };
        change.to_string()
    }
}

/// None, one's own, any single one, or all of them.
fn some_permissions(actor: &Actor, dice: &mut Dice) -> Vec<&'static str> {
    let own = actor
        .hired_as
        .map(|(_, set)| set.iter().map(Permission::as_str).collect());
    match dice.below(4) {
        0 => Vec::new(),
        1 => own.unwrap_or_default(),
        2 => vec![dice.one(Permission::ALL).as_str()],
        _ => Permission::ALL.iter().map(|one| one.as_str()).collect(),
    }
}

/// The way back from a provider that this person was sent to, or one that nobody was sent on.
async fn come_back(path: &str, actor: &mut Actor) -> String {
    let Some(there) = actor.trips.remove(path) else {
        return format!("{path}?state={}&code=x", "A".repeat(43));
    };
    let me = if path.starts_with("/auth/steam") {
        actor.steam.to_string()
    } else {
        actor.account.discord_id.to_string()
    };
    own_path(&visit(&format!("{there}&as={me}")).await)
}
