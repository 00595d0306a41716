//! The service itself: whether the audit log is intact, what waits, which bots run.

use std::collections::BTreeMap;

use app::admin::health::{self, BotStatus, JobFilter, ListedJob, Seen};
use app::jobs::operate::{self, Soon};
use app::{App, AppError};
use domain::id::OrgId;
use domain::job::JobKind;
use domain::runner::{Reason, Step};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::paging::{limit, next};
use crate::extract::{Asked, Asks, JobNumber, Operator, Question, Segments};
use crate::routes::{Answer, Found};

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct VerifyQuery {
    org: String,
}

impl Question for VerifyQuery {
    const ASKS: &'static [Asks] = &[Asks::Text("org")];
}

/// Whether the entries of an audit log are as they were written.
#[derive(Serialize, ToSchema)]
pub struct AuditCheck {
    intact: bool,
    entries: i64,
    /// What does not fit.
    finding: Option<String>,
}

pub async fn verify(
    app: App,
    operator: Operator,
    Asked(asked): Asked<VerifyQuery>,
) -> Answer<Found<AuditCheck>> {
    let named = Some(asked.org.trim()).filter(|org| !org.is_empty());
    let org = named.map(|text| {
        OrgId::parse(text).map_err(|_| AppError::invalid("org", "an organisation ID starts with org_"))
    });
    let checked = health::verify(&app, operator.scope, org.transpose()?.as_ref()).await?;
    Ok(Found(AuditCheck {
        intact: checked.finding.is_none(),
        entries: checked.entries,
        finding: checked.finding,
    }))
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct JobQuery {
    state: String,
    kind: String,
    after: String,
    limit: Option<i64>,
}

impl Question for JobQuery {
    const ASKS: &'static [Asks] = &[
        Asks::OneOf("state", &["failed", "running", "waiting"]),
        Asks::Text("kind"),
        Asks::Text("after"),
        Asks::Number("limit"),
    ];
}

impl JobQuery {
    fn filter(&self) -> Result<JobFilter, AppError> {
        let state = match self.state.as_str() {
            "" => "",
            "failed" => "failed",
            "running" => "running",
            "waiting" => "waiting",
            _ => return Err(AppError::invalid("state", "must be failed, running or waiting")),
        };
        let after = if self.after.is_empty() {
            Ok(0)
        } else {
            self.after.parse()
        };
        Ok(JobFilter {
            after: after
                .map_err(|_| AppError::invalid("after", "must be the next_after of an earlier page"))?,
            kind: self.kind.trim().to_owned(),
            state,
        })
    }
}

#[derive(Serialize, ToSchema)]
pub struct JobPage {
    jobs: Vec<JobView>,
    next_after: Option<String>,
    /// Of all jobs, by their kind.
    kinds: Vec<JobKindCount>,
    /// Of all jobs, by the kind of lane that they are in.
    lanes: Vec<LaneCount>,
}

/// Work that waits or is being done.
#[derive(Serialize, ToSchema)]
pub struct JobView {
    number: i64,
    kind: String,
    lane: String,
    org_id: Option<String>,
    created_at_ms: i64,
    /// Failed ones since the last step that worked.
    attempts: i64,
    done: i64,
    total: i64,
    cancelled: bool,
    last_error: Option<String>,
    run_at_ms: i64,
    running: bool,
    /// False for what finishes something that was begun.
    droppable: bool,
}

impl From<ListedJob> for JobView {
    fn from(job: ListedJob) -> Self {
        Self {
            droppable: JobKind::parse(&job.kind).is_none_or(JobKind::may_be_dropped),
            number: job.num,
            kind: job.kind,
            lane: job.lane,
            org_id: job.org,
            created_at_ms: job.created_at_ms,
            attempts: job.attempts,
            done: job.done,
            total: job.total,
            cancelled: job.cancelled,
            last_error: job.last_error,
            run_at_ms: job.run_at_ms,
            running: job.is_taken,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct JobKindCount {
    kind: String,
    jobs: i64,
    /// Those whose last attempt failed.
    failed: i64,
    oldest_at_ms: i64,
}

#[derive(Serialize, ToSchema)]
pub struct LaneCount {
    kind: String,
    jobs: i64,
}

pub async fn jobs(app: App, operator: Operator, Asked(asked): Asked<JobQuery>) -> Answer<Found<JobPage>> {
    let limit = limit(asked.limit)?;
    let found = health::jobs(&app, operator.scope, &asked.filter()?, limit).await?;
    let kinds = found.kinds.into_iter().map(|count| JobKindCount {
        kind: count.kind,
        jobs: count.jobs,
        failed: count.failed,
        oldest_at_ms: count.oldest_at_ms,
    });
    let lanes = found.lanes.into_iter().map(|waiting| LaneCount {
        kind: waiting.lanes,
        jobs: waiting.jobs,
    });
    Ok(Found(JobPage {
        next_after: next(&found.jobs, limit, |job| job.num.to_string()),
        jobs: found.jobs.into_iter().map(JobView::from).collect(),
        kinds: kinds.collect(),
        lanes: lanes.collect(),
    }))
}

/// How soon it happens.
#[derive(Serialize, ToSchema)]
pub struct JobTouched {
    /// Somebody is at it, and it happens after their step.
    running: bool,
}

impl From<Soon> for JobTouched {
    fn from(soon: Soon) -> Self {
        let running = match soon {
            Soon::Now => false,
            Soon::Running => true,
        };
        Self { running }
    }
}

pub async fn retry(
    app: App,
    operator: Operator,
    Segments(JobNumber(number)): Segments<JobNumber>,
) -> Answer<Found<JobTouched>> {
    let soon = operate::retry(&app, number, operator.by()).await?;
    Ok(Found(soon.into()))
}

pub async fn drop_job(
    app: App,
    operator: Operator,
    Segments(JobNumber(number)): Segments<JobNumber>,
) -> Answer<Found<JobTouched>> {
    let soon = operate::drop_job(&app, number, operator.by()).await?;
    Ok(Found(soon.into()))
}

#[derive(Serialize, ToSchema)]
pub struct RunnerOverview {
    states: Vec<StateCount>,
    nodes: Vec<NodeCount>,
    bots: Vec<RunningBot>,
}

#[derive(Serialize, ToSchema)]
pub struct StateCount {
    state: String,
    bots: i64,
}

#[derive(Serialize, ToSchema)]
pub struct NodeCount {
    node: String,
    bots: i64,
}

/// A bot and what was last heard of it.
#[derive(Serialize, ToSchema)]
pub struct RunningBot {
    /// Its Discord ID; `platform` for the shared bot.
    id: String,
    guild_id: Option<String>,
    /// A Guild's own that the service runs.
    hosted: bool,
    /// What its process said; nothing before it said anything.
    state: Option<String>,
    /// How far it is with being set up.
    step: Option<&'static str>,
    reason: Option<&'static str>,
    failure: Option<String>,
    /// Which node runs it.
    node: Option<String>,
    guilds: i64,
    memory_bytes: i64,
    heard_at_ms: Option<i64>,
    online_at_ms: Option<i64>,
}

impl RunningBot {
    fn of((bot, hosted): (BotStatus, Option<Seen>)) -> Self {
        let runner = hosted.as_ref().map(|seen| &seen.runner);
        Self {
            id: bot.id.as_str().to_owned(),
            guild_id: hosted.as_ref().map(|seen| seen.guild.to_string()),
            hosted: bot.is_hosted,
            state: bot.state,
            step: runner.map(|runner| Step::as_str(runner.step)),
            reason: runner.and_then(|runner| runner.reason).map(Reason::as_str),
            failure: bot.failure,
            node: hosted.and_then(|seen| seen.held_by).map(|(node, _)| node),
            guilds: bot.guilds,
            memory_bytes: bot.memory_bytes,
            heard_at_ms: bot.heard_at_ms,
            online_at_ms: bot.online_at_ms,
        }
    }
}

pub async fn runners(app: App, operator: Operator, (): ()) -> Answer<Found<RunnerOverview>> {
    let found = health::bots(&app, operator.scope).await?;
    let bots: Vec<RunningBot> = found.into_iter().map(RunningBot::of).collect();
    let (mut states, mut nodes) = (BTreeMap::<String, i64>::new(), BTreeMap::<String, i64>::new());
    for bot in &bots {
        let state = bot.step.or(bot.state.as_deref()).unwrap_or("unknown");
        *states.entry(state.to_owned()).or_default() += 1;
        if let Some(node) = &bot.node {
            *nodes.entry(node.clone()).or_default() += 1;
        }
    }
    let states = states.into_iter().map(|(state, bots)| StateCount { state, bots });
    let nodes = nodes.into_iter().map(|(node, bots)| NodeCount { node, bots });
    Ok(Found(RunnerOverview {
        states: states.collect(),
        nodes: nodes.collect(),
        bots,
    }))
}
