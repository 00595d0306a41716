//! Two Orgs with everything in them, and everybody who could call.

use app::identity::accounts::{self, Account};
use app::identity::sessions;
use app::tenancy::{orgs, servers};
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::id::{InviteId, ServerId};
use domain::name::DisplayName;
use domain::permission::{Permission, PermissionSet, Role};
use domain::plan::Tier;
use testkit::{Client, Engine, Tenant, TestApp};

use super::callers::Who;
use super::examples::Target;
use crate::secrecy::rows::Rows;

const WITHOUT: u64 = 11;
const WITH: u64 = 12;
const FOREIGN: u64 = 10;
const OPERATOR: u64 = 13;
/// Somebody of the team who is changed and removed.
const HELPER: u64 = 14;
const OPERATOR_MEMBER: u64 = 15;
const VISITOR: u64 = 16;
const WRITING_VISITOR: u64 = 17;

pub struct World {
    pub test: TestApp,
    pub rows: Rows,
    pub ours: Tenant,
    pub theirs: Tenant,
    expired: String,
    custom_key: String,
    bot_key: String,
}

impl World {
    pub async fn new(engine: Engine) -> World {
        let test = TestApp::start_with(
            engine,
            |limits| {
                limits.dashboard.burst = 10_000;
                limits.link_starts.burst = 10_000;
                limits.link_steps.burst = 10_000;
            },
            |_| {},
        )
        .await;
        let (ours, theirs) = (
            test.full_tenant(1, Tier::Pro).await,
            test.full_tenant(2, Tier::Pro).await,
        );
        let expired = sessions::start(&test.app, &ours.owner, 1)
            .await
            .expect("a session");
        for number in [OPERATOR, OPERATOR_MEMBER, VISITOR, WRITING_VISITOR] {
            let operator = test.account(number).await;
            accounts::grant_operator(&test.app, operator)
                .await
                .expect("an operator");
        }
        test.member(&theirs, FOREIGN, Permission::ALL).await;
        let (_, custom_key) = test.custom_key(&ours, ActionSet::ALL, true).await;
        let bot_key = test.bot_key(&ours).await;
        test.clock.advance_ms(10);
        let rows = Rows::of(&test.db.db).await;
        World {
            test,
            rows,
            ours,
            theirs,
            expired: expired.expose().to_owned(),
            custom_key,
            bot_key,
        }
    }

    /// Everybody comes with a session of their own, since some calls end it.
    pub async fn client(&self, who: Who, key: &str) -> Client {
        let json = |client: Client| client.header("content-type", "application/json");
        if let Some(account) = self.account(who).await {
            let person = self.test.person(&self.test.session(&account).await);
            if let Some(writes) = who.visits() {
                self.visit(&person, writes).await;
            }
            return person;
        }
        match who {
            Who::PluginKey => json(self.test.plugin(key)),
            Who::CustomKey => json(self.test.plugin(&self.custom_key)),
            Who::BotKey => json(self.test.plugin(&self.bot_key)),
            Who::Garbage => self.test.person("garbage\u{7e}=;symbolon=x"),
            Who::Expired => self.test.person(&self.expired),
            Who::Nobody
            | Who::ForeignMember
            | Who::ForeignOwner
            | Who::Operator
            | Who::OperatorMember
            | Who::Visitor
            | Who::WritingVisitor
            | Who::Without
            | Who::With
            | Who::Owner => json(self.test.client()),
        }
    }

    /// Some calls end it.
    async fn visit(&self, visitor: &Client, writes: bool) {
        let uri = format!("/admin/orgs/{}/visit", self.ours.org);
        let body = format!(r#"{{"reason":"walking the table","write":{writes}}}"#);
        let reply = visitor.post(&uri, &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }

    /// Who it is, if they are signed in.
    pub async fn account(&self, who: Who) -> Option<Account> {
        let number = match who {
            Who::ForeignOwner => return Some(self.theirs.owner.clone()),
            Who::Owner => return Some(self.ours.owner.clone()),
            Who::ForeignMember => FOREIGN,
            Who::Operator => OPERATOR,
            Who::OperatorMember => OPERATOR_MEMBER,
            Who::Visitor => VISITOR,
            Who::WritingVisitor => WRITING_VISITOR,
            Who::Without => WITHOUT,
            Who::With => WITH,
            Who::Nobody | Who::Garbage | Who::Expired | Who::PluginKey | Who::CustomKey | Who::BotKey => {
                return None;
            }
        };
        Some(self.test.account(number).await)
    }

    /// Both members are there with what this route asks for, whatever calls before did to them.
    pub async fn grant(&self, permission: Option<Permission>) {
        let mut only = PermissionSet::EMPTY;
        let mut others = PermissionSet::ALL;
        if let Some(permission) = permission {
            only.insert(permission);
            others = others.without(permission);
        }
        for (number, role, set) in [
            (WITHOUT, Role::Staff, others),
            (WITH, Role::Admin, only),
            (HELPER, Role::Staff, PermissionSet::EMPTY),
            (OPERATOR_MEMBER, Role::Staff, PermissionSet::EMPTY),
        ] {
            let account = self.test.account(number).await;
            let (app, scope) = (&self.test.app, self.ours.scope);
            orgs::add_member(app, scope, &account, role)
                .await
                .expect("a member");
            self.test.set_permissions(&self.ours, &account, set).await;
        }
    }

    pub async fn target(&self, server: &ServerId, invite: &InviteId, code: String) -> Target {
        Target {
            server: server.to_string(),
            account: self.test.account(HELPER).await.id.to_string(),
            invite: invite.to_string(),
            code,
            ..Target::from(&self.ours)
        }
    }

    pub async fn short_lived(&self) -> servers::CreatedServer {
        let name = DisplayName::parse("Short lived").expect("a name");
        let (scope, guild) = (self.ours.scope, self.ours.guild.clone());
        let created = servers::create(&self.test.app, scope, guild, name, Actor::System).await;
        created.expect("a Server")
    }
}
