//! `bot`: until it is stopped, or the service that started it is gone.

use std::io::{BufRead, Read};

use bot::Settings;
use config::{Config, Log};
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use rustix::thread::set_no_new_privs;
use tokio::sync::oneshot;

use super::Handed;
use crate::cli::{BotOptions, Common};
use crate::logging;
use crate::open::load_config;
use crate::output::Failure;
use crate::serve::asked_to_stop;

pub async fn run(common: &Common, options: &BotOptions) -> Result<(), Failure> {
    if options.stdin {
        let (handed, closed) = take_over()?;
        return start(&handed.log(), handed.settings, closed).await;
    }
    let config = load_config(common, None)?;
    let settings = settings(&config)?;
    start(&config.log, settings, std::future::pending()).await
}

async fn start(log: &Log, settings: Settings, closed: impl Future<Output = ()>) -> Result<(), Failure> {
    logging::start(log, None);
    let stop = async {
        tokio::select! {
            () = asked_to_stop() => {}
            () = closed => {}
        }
    };
    Ok(bot::run(settings, stop).await?)
}

fn settings(config: &Config) -> Result<Settings, Failure> {
    let missing = |key: &str| format!("{key} is not set: a bot cannot run without it");
    let bot = &config.bot;
    Ok(Settings {
        service_url: bot.service_url.clone(),
        bot_id: bot.id.clone().unwrap_or_else(|| "platform".to_owned()),
        secret: bot.secret.clone().ok_or_else(|| missing("bot.secret"))?,
        token: config
            .discord
            .bot_token
            .clone()
            .ok_or_else(|| missing("discord.bot_token"))?,
        api_url: config.discord.api_url.clone(),
        state_dir: bot.state_dir.clone(),
        members_intent: config.discord.members_intent,
        parent: None,
    })
}

/// Files and connections of a bot; it needs a dozen.
const MOST_FILES: u64 = 256;

/// It dies with its parent, gets no more rights than it has, and leaves no memory behind when it crashes: its token is
/// in there. Before there are other threads, which all have it then.
fn confine() -> std::io::Result<()> {
    let at_most = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_no_new_privs(true)?;
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Nofile, at_most(MOST_FILES))?;
    Ok(())
}

/// What the service hands over, and its end: it closes the line when the bot has to go, and so does its death. A bot
/// that does not even notice that is killed by the kernel.
fn take_over() -> Result<(Handed, impl Future<Output = ()>), Failure> {
    confine()?;
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let handed: Handed =
        serde_json::from_str(&line).map_err(|_| "standard input holds no settings of a bot")?;
    let (sender, closed) = oneshot::channel::<()>();
    // It reads until the process ends, and keeps nobody from ending it.
    std::thread::Builder::new()
        .name("parent".to_owned())
        .spawn(move || {
            let mut rest = std::io::stdin().lock();
            drop(rest.read_to_end(&mut Vec::new()));
            drop(sender);
        })?;
    Ok((handed, async { drop(closed.await) }))
}
