//! A node that makes jobs, does them and is killed: a process of its own, which runs this very test binary.
//!
//! What it makes and what it does goes into two tables of the test's own, each in the unit of work that it tells about:
//! so they are as true after a crash as the jobs themselves.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use app::jobs::{Claimed, Engine, Held, Outcome};
use app::tenancy::guilds;
use app::{App, AppError, OrgScope, Parts, Platforms};
use domain::clock::{Clock, SystemClock};
use domain::id::{GuildId, LinkId};
use domain::job::{Job, LaneKind};
use domain::random::{SeededRandom, SharedRandom};
use serde::{Deserialize, Serialize};
use storage::db::Statement;
use storage::jobs::{self, Grip};
use storage::testing::{options, statement};
use storage::{Db, NoOrg, Tx, Work, params};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::race::generous;

/// Where a process reads what its life is.
const LIFE: &str = "SYMBOLON_TEST_LIFE";
/// The test below, which lives it.
const NAME: &str = "torture::life::a_node_does_what_it_makes_and_ends";
/// Steps of a job.
pub const STEPS: i64 = 3;
/// What begins the line about a job that was made.
const MADE: &str = "made ";

pub const TABLES: &str = "
    CREATE TABLE life_made (lane TEXT NOT NULL, place BIGINT NOT NULL, link TEXT NOT NULL, PRIMARY KEY (lane, place));
    CREATE TABLE life_done (
        lane TEXT NOT NULL, place BIGINT NOT NULL, link TEXT NOT NULL, step BIGINT NOT NULL,
        PRIMARY KEY (lane, place))";

/// The lane is locked by whoever writes here, so its lines are numbered one after the other.
static NOTE_MADE: LazyLock<&Statement> = LazyLock::new(|| {
    let sql = "INSERT INTO life_made (place, lane, link)
        VALUES ((SELECT COALESCE(MAX(place), 0) + 1 FROM life_made WHERE lane = $1), $1, $2)";
    statement(sql, sql)
});
static NOTE_DONE: LazyLock<&Statement> = LazyLock::new(|| {
    let sql = "INSERT INTO life_done (place, lane, link, step)
        VALUES ((SELECT COALESCE(MAX(place), 0) + 1 FROM life_done WHERE lane = $1), $1, $2, $3)";
    statement(sql, sql)
});

#[derive(Clone, Serialize, Deserialize)]
pub struct Life {
    pub database: String,
    pub directory: String,
    /// How far its clock is ahead: what others hold is over for it.
    pub ahead_ms: i64,
    pub seed: u64,
    /// Each has a lane.
    pub guilds: Vec<String>,
    /// Jobs that it makes in each lane.
    pub makes: usize,
}

impl Life {
    /// Begins it in a process of its own.
    pub fn begin(&self) -> Living {
        let life = serde_json::to_string(self).expect("a life in words");
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", NAME, "--nocapture"])
            .env(LIFE, life)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Living {
            child,
            output,
            said: String::new(),
        }
    }

    /// Makes jobs and does what is due, until there is nothing more.
    async fn live(self) {
        let app = self.start().await;
        let mut makers = JoinSet::new();
        for guild in &self.guilds {
            let guild = GuildId::parse(guild).expect("a Guild");
            let scope = guilds::find_org(&app, &guild).await.expect("its Org");
            makers.spawn(make(app.clone(), scope, guild, self.makes));
        }
        let (stopper, stop) = watch::channel(false);
        let worker = Arc::new(|app, claimed| -> futures_util::future::BoxFuture<'static, _> {
            Box::pin(async move { step(&app, claimed).await })
        });
        let engine = Engine::new(&app, LaneKind::Log, worker.clone(), stop);
        let mut running = JoinSet::new();
        running.spawn(engine.run());
        makers.join_all().await;
        stopper.send_replace(true);
        running.join_all().await;
        let (_never, stop) = watch::channel(false);
        let last = Engine::new(&app, LaneKind::Log, worker, stop);
        last.drain().await.expect("what is due is done");
        app.db.close().await;
    }

    async fn start(&self) -> App {
        let parts = Parts {
            db: Db::open(options(&self.database))
                .await
                .expect("the database opens"),
            clock: Arc::new(Ahead(self.ahead_ms)),
            random: Arc::new(SeededRandom::new(self.seed)),
            master_key_file: Path::new(&self.directory).join("master.keys"),
            limits: generous(),
            platforms: Platforms::default(),
            operators: Vec::new(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            retention: app::retention::Retention::default(),
            thresholds: domain::trust::Thresholds::default(),
            plans: domain::plan::Plans::default(),
        };
        App::start(parts).await.expect("the application starts")
    }
}

/// A life that goes on in a process of its own.
pub struct Living {
    child: Child,
    output: BufReader<ChildStdout>,
    /// What was read of its output.
    said: String,
}

impl Living {
    /// Waits until it has told of so many jobs, however long the machine takes for it, or is over.
    pub fn until_it_told(&mut self, jobs: usize) {
        while self.said.matches(MADE).count() < jobs
            && self.output.read_line(&mut self.said).expect("what it wrote") > 0
        {}
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("a child can be killed");
    }

    /// The links of the jobs that it told to have made, and whether it ended well.
    pub fn end(mut self) -> (Vec<String>, bool) {
        let read = self.output.read_to_string(&mut self.said);
        read.expect("what it wrote");
        let whole = self.said.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let made = whole.lines().filter_map(|line| line.strip_prefix(MADE));
        let made = made.map(str::to_owned).collect();
        let status = self.child.wait().expect("a child can be awaited");
        (made, status.success())
    }
}

/// Some jobs are given up, and always the same.
pub fn is_hopeless(link: &str) -> bool {
    link.bytes().map(usize::from).sum::<usize>().is_multiple_of(16)
}

struct Ahead(i64);

impl Clock for Ahead {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() + self.0
    }

    fn steady_ms(&self) -> i64 {
        SystemClock.steady_ms()
    }

    fn ahead_ms(&self) -> Option<i64> {
        Some(self.0)
    }
}

async fn make(app: App, scope: OrgScope, guild: GuildId, count: usize) {
    for _ in 0..count {
        let random: &SharedRandom = &app.random;
        let link = LinkId::generate(app.now_ms(), &**random);
        let make = Make {
            guild: guild.clone(),
            link: link.clone(),
            now_ms: app.now_ms(),
        };
        app.db.write_for(scope, make).await.expect("a job is left");
        app.bell.ring();
        let line = format!("{MADE}{}\n", link.as_str());
        let told = std::io::stdout().write_all(line.as_bytes());
        told.expect("somebody listens");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

struct Make {
    guild: GuildId,
    link: LinkId,
    now_ms: i64,
}

impl Work for Make {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "life_make";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let (guild, link) = (self.guild.clone(), self.link.clone());
        let job = Job::LogLinked { guild, link };
        jobs::enqueue(tx, scope, &job, self.now_ms).await?;
        tx.execute_one(*NOTE_MADE, params![&job.lane(), self.link.as_str()])
            .await?;
        Ok(())
    }
}

/// One step in 64 fails, and one job in sixteen can never work.
async fn step(app: &App, claimed: Claimed) -> Result<Outcome, AppError> {
    let Job::LogLinked { link, .. } = &claimed.job else {
        return Err(AppError::internal("a job that nobody made"));
    };
    if is_hopeless(link.as_str()) {
        return Ok(Outcome::Drop { code: "HOPELESS" });
    }
    let [dice] = domain::random::bytes::<1>(&*app.random);
    if dice < 4 {
        return Ok(Outcome::Retry {
            after: None,
            code: "UNLUCKY",
        });
    }
    let note = Note {
        link: link.clone(),
        held: claimed.held,
        done: claimed.done,
    };
    app.db.write(note).await
}

struct Note {
    link: LinkId,
    held: Held,
    done: i64,
}

impl Work for Note {
    type For = NoOrg;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "life_note";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Outcome, AppError> {
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        if self.done == STEPS {
            return Ok(Outcome::Done);
        }
        let values = params![&self.held.claim.lane, self.link.as_str(), self.done];
        tx.execute_one(*NOTE_DONE, values).await?;
        jobs::advance(tx, &self.held, Some("noted"), self.done + 1).await?;
        Ok(match self.done + 1 {
            STEPS => Outcome::Done,
            _ => Outcome::Again,
        })
    }
}

/// The life that this process was given; by itself, a small one that nobody ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_does_what_it_makes_and_ends() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test that began this process says how it goes on"
    )]
    if let Ok(life) = std::env::var(LIFE) {
        let life: Life = serde_json::from_str(&life).expect("a life");
        return life.live().await;
    }
    super::jobs::one_life_without_a_crash().await;
}
