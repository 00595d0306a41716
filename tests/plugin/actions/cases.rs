//! One action, every status it can answer with: each file lists its own cases, what all actions share is made here.

use std::collections::BTreeSet;

use app::error::ServiceError;
use axum::Router;
use domain::action::{ACTIONS, Action, ActionSet};
use domain::action_docs;
use domain::audit::Actor;
use domain::plan::{RateLimit, Tier};
use testkit::{Client, Engine, Reply, Tenant, TestApp, discord, steam};
use web::Edge;
use web::error::failed_response;

use crate::plugin::actions::Stage;

/// What every action answers, whatever it does.
const SHARED: [u16; 7] = [200, 401, 403, 413, 429, 500, 503];

/// Ids in one call of the plan that the stage has.
const BULK_IDS: u64 = 500;

/// A call and the status that its title begins with.
#[derive(Clone, Copy)]
pub enum Case {
    /// Title and what follows the action in the address. `{S1}` is the Steam id of player 1 and `{D1}` the Discord id;
    /// players 1 to 3 are linked. `{MANY_S}` and `{MANY_D}` are more ids than a call may have.
    Get(&'static str, &'static str),
    /// The same with a body.
    Post(&'static str, &'static str, &'static str),
    /// A call of any action that has to succeed before the next case, with its body.
    Before(&'static str, &'static str),
    /// From here on plugins may give and take this role.
    Allow(&'static str),
}

/// Asks everything and compares with the stored answers, which both databases share. `query` is a call that succeeds.
pub async fn assert_cases(engine: Engine, action: Action, query: &str, cases: &[Case]) {
    let one_call = RateLimit {
        per_minute: 60,
        burst: 1,
        bulk_ids: 2_000,
    };
    let stage = Stage::of(TestApp::start_with(engine, |limits| limits.pro = one_call, |_| {}).await).await;
    let mut answers = Answers::new(action);
    for case in cases {
        match case {
            Case::Before(call, body) => {
                let reply = stage.post(&filled(call), &filled(body)).await;
                assert_eq!(reply.status, 200, "{call}: {}", reply.text());
            }
            Case::Allow(role) => {
                let allow = format!("UPDATE guilds SET plugin_roles = '[\"{role}\"]'");
                stage.test.db.damage(&allow).await;
            }
            Case::Get(title, rest) => answers.add(title, stage.get(&answers.call(rest)).await),
            Case::Post(title, rest, body) => {
                answers.add(title, stage.post(&answers.call(rest), &filled(body)).await);
            }
        }
    }
    answers.assert_complete();
    answers.add_refusals_of_keys(&stage, query).await;
    answers.add_refusals_of_requests(&stage, query).await;
    answers.add_failures(&stage, query).await;
    answers.assert_stored();
    stage.test.finish().await;
}

struct Answers {
    action: Action,
    text: String,
    statuses: BTreeSet<u16>,
    titles: Vec<String>,
}

impl Answers {
    fn new(action: Action) -> Self {
        Self {
            action,
            text: String::new(),
            statuses: BTreeSet::new(),
            titles: Vec::new(),
        }
    }

    /// The action with its parameters.
    fn call(&self, rest: &str) -> String {
        let separator = if rest.is_empty() { "" } else { "&" };
        format!("{}{separator}{}", self.action.name(), filled(rest))
    }

    #[track_caller]
    fn add(&mut self, title: &str, reply: Reply) {
        let status = reply.status.as_u16();
        assert!(
            title.starts_with(&format!("{status} ")),
            "{title}: {status} {}",
            reply.text()
        );
        self.statuses.insert(status);
        self.titles.push(title.to_owned());
        self.text
            .push_str(&format!("# {title}\n{}\n\n", reply.snapshot()));
    }

    /// A file may not leave out what its action can be asked wrongly.
    fn assert_complete(&self) {
        let doc = action_docs::doc(self.action);
        let name = self.action.name();
        let needs = |status: u16| assert!(self.statuses.contains(&status), "{name} has no case for {status}");
        needs(200);
        if !doc.params.is_empty() {
            needs(400);
        }
        if let Some(miss) = doc.miss {
            needs(miss.status);
        }
        if doc.params.iter().any(|param| param.kind.is_bulk()) {
            let is_there = self.titles.iter().any(|title| title.contains("too many"));
            assert!(is_there, "{name} has no case with too many ids");
        }
    }

    async fn add_refusals_of_keys(&mut self, stage: &Stage, query: &str) {
        let (test, tenant) = (&stage.test, &stage.tenant);
        let uri = format!("/api?action={}", self.call(query));
        self.add("401 without a key", test.client().get(&uri).await);
        let unknown = domain::key::PlainKey::generate(&*test.app.random);
        self.add(
            "401 with a key that nobody has",
            test.plugin(unknown.expose()).get(&uri).await,
        );
        let all = ACTIONS.iter().map(|spec| spec.action);
        let others: ActionSet = all.filter(|other| *other != self.action).collect();
        let (_, without) = test.custom_key(tenant, others, true).await;
        self.add(
            "403 with a key that may not",
            test.plugin(&without).get(&uri).await,
        );
        let other = test.tenant(2, Tier::Standard).await;
        let foreign = format!("{uri}&guild_id={}", other.guild);
        self.add("403 for another Guild", stage.caller.get(&foreign).await);
        let (id, revoked) = test.custom_key(tenant, ActionSet::ALL, true).await;
        app::keys::custom_keys::revoke(&test.app, tenant.scope, id, Actor::System)
            .await
            .unwrap();
        self.add("403 with a revoked key", test.plugin(&revoked).get(&uri).await);
        switch(test, tenant, false).await;
        self.add("403 on an inactive Server", stage.caller.get(&uri).await);
        switch(test, tenant, true).await;
        let hasty = test.tenant(3, Tier::Pro).await;
        let (_, key) = test.custom_key(&hasty, ActionSet::ALL, true).await;
        let hasty = test.plugin(&key);
        assert_eq!(hasty.get("/api?action=count").await.status, 200);
        self.add("429 with a key that called too often", hasty.get(&uri).await);
    }

    async fn add_refusals_of_requests(&mut self, stage: &Stage, query: &str) {
        let uri = format!("/api?action={}", self.call(query));
        let twice = format!("{uri}&action={}", self.action.name());
        self.add("400 with the action named twice", stage.caller.get(&twice).await);
        let long = "x".repeat(512 * 1024 + 1);
        self.add(
            "413 with a body that is too long",
            stage.caller.post(&uri, &long).await,
        );
    }

    async fn add_failures(&mut self, stage: &Stage, query: &str) {
        let uri = format!("/api?action={}", self.call(query));
        stage.test.db.damage("ALTER TABLE api_keys RENAME TO lost").await;
        self.add("500 when the database is damaged", stage.caller.get(&uri).await);
        stage.test.db.damage("ALTER TABLE lost RENAME TO api_keys").await;
        let unavailable = || async {
            failed_response(ServiceError::StorageUnavailable("the disk is full".to_owned()).into())
        };
        let caller = Client::new(Edge::new(
            Router::new().fallback(unavailable),
            stage.test.state.clone(),
        ));
        self.add("503 when the database is away", caller.get(&uri).await);
    }

    fn assert_stored(&self) {
        let missing: Vec<_> = SHARED
            .iter()
            .filter(|status| !self.statuses.contains(status))
            .collect();
        assert!(
            missing.is_empty(),
            "{} never answered {missing:?}",
            self.action.name()
        );
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(self.action.name(), self.text.trim_end()));
    }
}

async fn switch(test: &TestApp, tenant: &Tenant, active: bool) {
    let server = tenant.server.clone();
    app::tenancy::servers::set_active(&test.app, tenant.scope, server, active, Actor::System)
        .await
        .unwrap();
}

fn filled(text: &str) -> String {
    let mut filled = text.to_owned();
    if filled.contains("{MANY_") {
        let list = |id: &dyn Fn(u64) -> String| (0..=BULK_IDS).map(id).collect::<Vec<_>>().join(",");
        filled = filled.replace("{MANY_S}", &list(&|number| steam(100 + number).to_string()));
        filled = filled.replace("{MANY_D}", &list(&|number| discord(100 + number).to_string()));
        filled = filled.replace(
            "{MANY_DQ}",
            &list(&|number| format!("\"{}\"", discord(100 + number))),
        );
        filled = filled.replace(
            "{MANY_P}",
            &list(&|number| format!("\"{}\":[]", steam(100 + number))),
        );
    }
    for player in [1, 2, 3, 9] {
        filled = filled.replace(&format!("{{S{player}}}"), steam(player).as_str());
        filled = filled.replace(&format!("{{D{player}}}"), discord(player).as_str());
    }
    filled
}
