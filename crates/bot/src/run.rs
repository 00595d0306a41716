//! The whole bot, from its start to its end.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::random::{SystemRandom, bytes};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::SetupError;
use crate::discord::Discord;
use crate::gate::Gatekeeper;
use crate::gateway::Line;
use crate::hints::Hints;
use crate::http;
use crate::members::Members;
use crate::reach::Crowd;
use crate::refusal::End;
use crate::resume::ResumeFile;
use crate::service::Service;
use crate::session::{Reporter, Standing, Word};
use crate::settings::{Settings, Stop};
use crate::status::{Failure, State, Status};

/// How long the end may take. Whoever started the process kills it after four seconds.
const LAST: Duration = Duration::from_secs(3);
/// Of that, for answers that are under way.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// What all parts of the bot share.
pub struct Core {
    pub service: Service,
    pub discord: Discord,
    pub hints: Hints,
    pub members: Members,
    pub status: watch::Sender<Status>,
    pub crowd: Crowd,
    /// Why Discord could not be reached, as it was logged last.
    trouble: Mutex<Option<String>>,
}

impl Core {
    pub fn update(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_if_modified(|status| {
            let before = status.clone();
            change(status);
            *status != before
        });
    }

    /// Changes what is wrong.
    pub fn fail(&self, change: impl FnOnce(Option<Failure>) -> Option<Failure>) {
        self.update(|status| status.failure = change(status.failure));
    }

    /// Discord cannot be reached: said once, and again when the reason is another.
    pub fn unreachable(&self, reason: &dyn Display) {
        let reason = reason.to_string();
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.as_ref() != Some(&reason) {
            tracing::warn!(%reason, "Discord cannot be reached");
            *trouble = Some(reason);
        }
        self.fail(|failure| failure.or(Some(Failure::Unreachable)));
    }

    /// Whether the bot is in the Discord server that it is for.
    pub fn at_home(&self, home: Option<u64>, guilds: &BTreeSet<u64>) {
        let is_online = self.status.borrow().state == State::Online;
        let Some(home) = home.filter(|_| is_online) else {
            return;
        };
        let is_there = guilds.contains(&home);
        self.fail(|failure| at_home(failure, is_there));
    }

    /// A session is there. In the same breath it is told whether the bot is in the Discord server that it is for: one that
    /// is not must not be taken for one that serves it.
    pub fn online(&self, home: Option<u64>, guilds: &BTreeSet<u64>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let is_there = home.is_none_or(|home| guilds.contains(&home));
        self.update(|status| {
            status.state = State::Online;
            let left = status.failure.filter(|failure| *failure != Failure::Unreachable);
            status.failure = at_home(left, is_there);
        });
    }
}

fn at_home(failure: Option<Failure>, is_there: bool) -> Option<Failure> {
    match failure {
        _ if !is_there => Some(Failure::NotInGuild),
        Some(Failure::NotInGuild) => None,
        other => other,
    }
}

/// Runs the bot until it is told to stop, or must not go on.
pub async fn run(settings: Settings, stop: impl Future<Output = Stop>) -> Result<(), SetupError> {
    // For the gateway's client, which asks for the one that is installed. Somebody may have done so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = http::client()?;
    let file = ResumeFile::open(&settings.state_dir, &settings.bot_id, &settings.token)?;
    let parent = settings.parent.as_ref();
    let instance = parent.map_or_else(new_instance, |parent| parent.instance.clone());
    let core = Arc::new(Core {
        service: Service::new(client.clone(), &settings, instance),
        discord: Discord::new(client, &settings),
        hints: Hints::default(),
        members: Members::default(),
        status: watch::Sender::default(),
        crowd: Crowd::new(),
        trouble: Mutex::default(),
    });
    let (words, word) = watch::channel(Word::default());
    let (rejected, rejections) = mpsc::channel(1);
    let (gate, keeper) = Gatekeeper::new(rejected);
    let mut reporter = Reporter::new(words, settings.parent.as_ref());
    let mut line = Line::new(Arc::clone(&core), &settings, file, (gate, rejections));
    let mut tasks = JoinSet::new();
    tasks.spawn(keeper.keep(Arc::clone(&core)));
    let hinting = Arc::clone(&core);
    tasks.spawn(async move { hinting.hints.keep_sending(&hinting.service).await });
    let telling = Arc::clone(&core);
    tasks.spawn(async move { telling.members.keep_sending(&telling.service).await });
    let stop = tokio::select! {
        stop = stop => stop,
        () = reporter.keep(&core) => Stop::Leave,
        () = hold(&core, &mut line, word) => Stop::Leave,
    };
    let deadline = Instant::now() + LAST;
    line.leave(stop, LAST_ANSWERS).await;
    let last = async {
        tokio::join!(
            core.hints.send_all(&core.service),
            core.members.send_all(&core.service),
            reporter.farewell(&core)
        )
    };
    drop(tokio::time::timeout_at(deadline, last).await);
    Ok(())
}

fn new_instance() -> String {
    bytes::<8>(&SystemRandom)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Keeps the line while this process is the bot. Returns when it must not be any more.
async fn hold(core: &Core, line: &mut Line, mut word: watch::Receiver<Word>) {
    loop {
        let allowed = word.wait_for(|word| matches!(word.standing, Standing::Ours | Standing::Lost));
        match allowed.await.map(|word| word.standing) {
            Ok(Standing::Ours) => {}
            Ok(Standing::Unknown | Standing::Anothers | Standing::Lost) | Err(_) => return,
        }
        match line.hold(&mut word).await {
            End::LetGo => core.update(|status| status.state = State::Connecting),
            End::WithoutMembers => line.forgo_members(),
            End::Stopped(failure) => {
                core.update(|status| {
                    status.state = State::Stopped;
                    status.failure = Some(failure);
                });
                // Somebody has to change something first; until then the service is told so.
                drop(word.wait_for(|word| word.standing == Standing::Lost).await);
                return;
            }
        }
    }
}
