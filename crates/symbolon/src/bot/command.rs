//! `bot`: until it is stopped, or the service that started it is gone.

use std::io::{BufRead, Read};
use std::path::PathBuf;

use bot::{Settings, Stop};
use config::{Config, Log};
use rustix::process::{
    Gid, Resource, Rlimit, Signal, Uid, getppid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use tokio::sync::oneshot;

use super::{HANDED, Handed, MOST_FILES, PAUSE};
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
    if options.handed {
        let text = std::fs::read_to_string(format!("/run/secrets/{HANDED}"))?;
        confine()?;
        let handed = parse(&text)?;
        // Nothing of it is left for the next one to go on with.
        let asked = async {
            asked_to_stop().await;
            Stop::Pause
        };
        return start(&handed.log(), handed.settings, asked).await;
    }
    let config = load_config(common, None)?;
    let settings = settings(&config)?;
    start(&config.log, settings, std::future::pending()).await
}

async fn start(log: &Log, settings: Settings, closed: impl Future<Output = Stop>) -> Result<(), Failure> {
    logging::start(log, None);
    let stop = async {
        tokio::select! {
            biased;
            stop = closed => stop,
            () = asked_to_stop() => Stop::Leave,
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
        home: None,
        parent: None,
    })
}

/// It dies with its parent, gets no more rights than it has, and leaves no memory behind when it crashes: its token is
/// in there. Before there are other threads, which all have it then.
fn confine() -> std::io::Result<()> {
    // In a container it has none.
    if getppid().is_some() {
        set_parent_process_death_signal(Some(Signal::KILL))?;
    }
    set_no_new_privs(true)?;
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Nofile, at_most(MOST_FILES.cast_unsigned()))?;
    // A machine without memory is to end a bot before anything else. Where that cannot be said it guesses.
    drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
    Ok(())
}

const fn at_most(most: u64) -> Rlimit {
    Rlimit {
        current: Some(most),
        maximum: Some(most),
    }
}

/// It goes on as a user of its own, who can do nothing but what is everybody's to do. Its folder is that user's, and the
/// folders above it need not be: it is there already. Before there are other threads, for each would have to do the same.
fn become_user(handed: &mut Handed) -> Result<(), Failure> {
    let Some(user) = handed.run_as else {
        return Ok(());
    };
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err("a bot that is to run as another user has begun too much".into());
    }
    std::env::set_current_dir(&handed.settings.state_dir)?;
    handed.settings.state_dir = PathBuf::from(".");
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    // The kernel forgets it with the user.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// The text is a secret, and no part of what is said about it.
fn parse(text: &str) -> Result<Handed, Failure> {
    Ok(serde_json::from_str(text).map_err(|_| "what was handed over are no settings of a bot")?)
}

/// What the service hands over, and its end: it closes the line when the bot has to go, and so does its death. A bot
/// that does not even notice that is killed by the kernel. A word before the end says that the bot is to pause.
fn take_over() -> Result<(Handed, impl Future<Output = Stop>), Failure> {
    confine()?;
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let mut handed = parse(&line)?;
    if let Some(most) = handed.most_data_bytes {
        setrlimit(Resource::Data, at_most(most))?;
    }
    become_user(&mut handed)?;
    config::leak_point(&handed.settings.state_dir);
    let (sender, closed) = oneshot::channel::<Stop>();
    // It reads until the process ends, and keeps nobody from ending it.
    std::thread::Builder::new()
        .name("parent".to_owned())
        .spawn(move || {
            let mut last = Vec::new();
            drop(std::io::stdin().lock().read_to_end(&mut last));
            let stop = if last == PAUSE { Stop::Pause } else { Stop::Leave };
            let _ = sender.send(stop);
        })?;
    Ok((handed, async { closed.await.unwrap_or(Stop::Leave) }))
}
