//! Commands and buttons that people use on Discord, as the bot hands them on. Whichever bot was asked, it is answered.

use domain::audit::Actor;
use domain::permission::Permission;
use domain::platform_id::{DiscordId, EitherId};
use domain::roles::Cause;
use platform::Unanswered;
use platform::discord::rest::Asking;
use storage::bots::guild_lists::{self, ServedGuild};
use storage::bots::interactions;
use storage::bots::register::HeldBot;
use storage::identity::blocklist;
use storage::linking::lookups::{self, LinkedPlayer};
use storage::tenancy::team::{self, Staff};
use storage::{NoOrg, Tx, Work};

use super::commands::{Command, VERIFY_BUTTON};
use super::log::{Target, refuse_foreign};
pub use super::replies::Reply;
use super::replies::{mention, panel};
use super::texts::{Language, Text};
use super::unlinking::{self, Ending, Unlinked};
use crate::error::AppError;
use crate::role_marks;
use crate::roles;
use crate::serving;
use crate::state::App;

/// What was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Used {
    /// A command, by its name.
    Command(String),
    /// A button, by the name that we gave it.
    Button(String),
}

/// Somebody asks for something.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Discord's; what changes something is done once for each.
    pub id: DiscordId,
    /// What was used.
    pub used: Used,
    /// The member that it is about.
    pub user: Option<String>,
    /// The id that it is about.
    pub search: Option<String>,
    /// Where.
    pub discord_guild_id: DiscordId,
    /// Where in it.
    pub channel_id: DiscordId,
    /// Who asks.
    pub user_id: DiscordId,
    /// Discord's name for their language.
    pub locale: String,
    /// The same for the Discord server.
    pub guild_locale: Option<String>,
}

/// Answers a command or a button.
pub async fn answer(app: &App, bot: &HeldBot, asked: Asked) -> Result<Reply, AppError> {
    let language = Language::of(&asked.locale);
    // First the person, so that one of them cannot use up what their Discord server may ask.
    let gate = &app.memories.gate;
    let is_fine =
        gate.take_member(&asked.user_id).allowed && gate.take_discord_guild(&asked.discord_guild_id).allowed;
    if !is_fine {
        return Ok(Reply::text(language, Text::SlowDown));
    }
    let found = guild_lists::find_by_discord(&app.db, &asked.discord_guild_id).await?;
    let own = found.filter(|guild| bot.guild.is_none_or(|(_, own)| own == guild.num));
    let Some(guild) = own else {
        return Ok(Reply::text(language, Text::NotSetUp));
    };
    let entries = app.discord_blocks(&asked.user_id);
    if blocklist::is_any_blocked(&app.db, &entries, app.now_ms()).await? {
        return Ok(Reply::text(language, Text::Blocked));
    }
    let asking = Conversation {
        app,
        guild,
        asked,
        language,
    };
    asking.answer().await
}

struct Conversation<'a> {
    app: &'a App,
    guild: ServedGuild,
    asked: Asked,
    language: Language,
}

impl Conversation<'_> {
    async fn answer(&self) -> Result<Reply, AppError> {
        let command = match &self.asked.used {
            Used::Button(name) if name == VERIFY_BUTTON => Some(Command::Link),
            Used::Button(_) => None,
            Used::Command(name) => Command::parse(name),
        };
        let Some(command) = command else {
            return Ok(self.say(Text::Unknown));
        };
        let whose = match self.asked.user.as_deref().map(DiscordId::parse) {
            None => self.asked.user_id.clone(),
            Some(Ok(id)) => id,
            Some(Err(_)) => return Ok(self.say(Text::BadId)),
        };
        let is_about_another = whose != self.asked.user_id;
        let staff = match command.needs(is_about_another) {
            None => None,
            Some(permission) => match self.find_staff(permission).await? {
                Some(staff) => Some(staff),
                None => return Ok(self.denied(permission)),
            },
        };
        match command {
            Command::Link => self.link().await,
            Command::LinkStatus => {
                let player = self.find(&EitherId::Discord(self.asked.user_id.clone())).await?;
                Ok(Reply::status(self.language, player.as_ref()))
            }
            Command::Unlink => self.unlink(whose, staff).await,
            Command::Whois => self.tell(&EitherId::Discord(whose)).await,
            Command::Search => match self
                .asked
                .search
                .as_deref()
                .map(|text| EitherId::parse(text.trim()))
            {
                Some(Ok(id)) => self.tell(&id).await,
                Some(Err(_)) | None => Ok(self.say(Text::BadId)),
            },
            Command::Panel => self.post_panel().await,
            Command::Sync => self.sync(whose, staff).await,
        }
    }

    fn say(&self, text: Text) -> Reply {
        Reply::text(self.language, text)
    }

    fn denied(&self, permission: Permission) -> Reply {
        Reply::filled(
            self.language,
            Text::NotAllowed,
            "{permission}",
            permission.as_str(),
        )
    }

    /// Whoever asks, if they hold this in the Org of the Guild.
    async fn find_staff(&self, permission: Permission) -> Result<Option<Staff>, AppError> {
        let found = team::find_staff(&self.app.db, self.guild.scope, &self.asked.user_id).await?;
        Ok(found.filter(|staff| staff.permissions.contains(permission)))
    }

    /// Somebody who is linked in this Guild; nobody else's people are ever told.
    async fn find(&self, id: &EitherId) -> Result<Option<LinkedPlayer>, AppError> {
        let (db, guild) = (&self.app.db, self.guild.num);
        Ok(match id {
            EitherId::Discord(id) => lookups::find_by_discord(db, guild, id).await?,
            EitherId::Steam(id) => lookups::find_by_steam(db, guild, id).await?,
        })
    }

    async fn link(&self) -> Result<Reply, AppError> {
        let own = EitherId::Discord(self.asked.user_id.clone());
        let reply = match self.find(&own).await? {
            Some(player) => Reply::status(self.language, Some(&player)),
            None => self.say(Text::LinkHere),
        };
        let url = [&self.app.public_url, "/link/", &self.guild.slug].concat();
        Ok(reply.with_page(self.language, &url))
    }

    async fn tell(&self, id: &EitherId) -> Result<Reply, AppError> {
        Ok(match self.find(id).await? {
            Some(player) => Reply::player(self.language, &player),
            None => self.not_linked(id),
        })
    }

    fn not_linked(&self, id: &EitherId) -> Reply {
        let who = match id {
            EitherId::Discord(id) => mention(id.as_str()),
            EitherId::Steam(id) => id.to_string(),
        };
        Reply::filled(self.language, Text::OtherNotLinked, "{who}", &who)
    }

    async fn unlink(&self, whose: DiscordId, staff: Option<Staff>) -> Result<Reply, AppError> {
        let staff = staff.map(|staff| (self.asked.user_id.clone(), staff));
        let (is_own, who) = (staff.is_none(), mention(whose.as_str()));
        let ending = Ending {
            interaction: self.asked.id.as_str(),
            guild: &self.guild,
            whose: whose.clone(),
            staff,
        };
        Ok(match unlinking::end(self.app, ending).await? {
            Unlinked::Done if is_own => self.say(Text::Unlinked),
            Unlinked::Done => Reply::filled(self.language, Text::UnlinkedOther, "{who}", &who),
            Unlinked::NotLinked if is_own => self.say(Text::NotLinked),
            Unlinked::NotLinked => self.not_linked(&EitherId::Discord(whose)),
            Unlinked::Denied => self.denied(Permission::LinksUnlink),
        })
    }

    /// Has one member looked at, or everybody. Asked twice, it is one look.
    async fn sync(&self, whose: DiscordId, staff: Option<Staff>) -> Result<Reply, AppError> {
        let (app, guild) = (self.app, &self.guild);
        if self.asked.user.is_none() {
            let actor = staff.map_or(Actor::System, |staff| Actor::Account(staff.account));
            roles::start(app, guild.scope, &guild.id, actor).await?;
            return Ok(self.say(Text::SyncAll));
        }
        let marks = [(whose.clone(), Cause::Sync)];
        let is_known = role_marks::mark_members(app, guild.scope, guild.num, &guild.id, &marks).await?;
        if !is_known {
            return Ok(self.not_linked(&EitherId::Discord(whose)));
        }
        let who = mention(whose.as_str());
        Ok(Reply::filled(self.language, Text::SyncOne, "{who}", &who))
    }

    /// Posts the panel in the language of the Discord server.
    async fn post_panel(&self) -> Result<Reply, AppError> {
        let Some(rest) = serving::find(self.app, self.guild.num).await? else {
            return Ok(self.say(Text::TryLater));
        };
        if interactions::is_accepted(&self.app.db, self.asked.id.as_str()).await? {
            return Ok(self.say(Text::PanelPosted));
        }
        let language = self
            .asked
            .guild_locale
            .as_deref()
            .map_or(self.language, Language::of);
        let message = panel(language, &self.guild.name);
        let asking = Asking::for_person(self.guild.scope.num(), &self.guild.discord_guild_id).again();
        // The interaction's own number: Discord takes it once.
        let nonce = self.asked.id.as_str().parse().map_err(AppError::internal)?;
        let target = Target {
            guild: self.guild.num,
            discord_guild: self.guild.discord_guild_id.clone(),
            channel: self.asked.channel_id.clone(),
        };
        let posted = match refuse_foreign(self.app, &rest, asking, self.guild.scope, &target).await? {
            Ok(()) => rest.post(asking, &target.channel, message, nonce).await,
            Err(not) => Err(not),
        };
        match posted {
            Ok(()) => {
                let accept = Accept {
                    id: self.asked.id.clone(),
                    now_ms: self.app.now_ms(),
                };
                self.app.db.write(accept).await?;
                Ok(self.say(Text::PanelPosted))
            }
            Err(not) if matches!(not.cause, Unanswered::Status(403 | 404)) => {
                Ok(self.say(Text::PanelRefused))
            }
            Err(_) => Ok(self.say(Text::TryLater)),
        }
    }
}

struct Accept {
    id: DiscordId,
    now_ms: i64,
}

impl Work for Accept {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "accept_interaction";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        interactions::accept(tx, self.id.as_str(), self.now_ms).await?;
        Ok(())
    }
}
