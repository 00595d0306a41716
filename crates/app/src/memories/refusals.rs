//! Refused people on their way to the audit log: one entry for each person, route and minute, with a count.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::audit::{Actor, AuditAction};
use prometheus_client::metrics::counter::Counter;
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{Db, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError, ServiceError, TenancyError};

const MINUTE_MS: i64 = 60_000;
/// Groups held between two writes; further ones are counted and dropped.
const MOST: usize = 10_000;
/// Entries written by one unit.
const SLICE: usize = 200;

/// Somebody was refused what is not theirs to do.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// Whose audit log it goes to; the operators' where it is no Org's.
    pub scope: Option<OrgScope>,
    /// Who was refused.
    pub actor: Actor,
    /// What they lacked.
    pub lacking: Lacking,
    /// Method and template of the route, never the path that was asked for.
    pub route: String,
}

/// What somebody would have needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lacking {
    /// A permission by its stored name, to do something or to give it away.
    Permission(&'static str),
    /// To own the Org.
    Ownership,
    /// A higher role than that of whom they wanted to change, or than they wanted to give.
    Rank,
    /// To run the installation.
    Operatorship,
}

impl Lacking {
    /// What a failure says that somebody lacked; nothing for one that is not about what they may do.
    pub fn of(error: &AppError) -> Option<Self> {
        if matches!(error, AppError::Request(RequestError::OperatorOnly)) {
            return Some(Self::Operatorship);
        }
        let AppError::Tenancy(error) = error else {
            return None;
        };
        match error {
            TenancyError::MissingPermission { permission } | TenancyError::CannotGrant { permission } => {
                Some(Self::Permission(permission))
            }
            TenancyError::OwnerOnly => Some(Self::Ownership),
            TenancyError::RankTooLow => Some(Self::Rank),
            TenancyError::OwnerStays
            | TenancyError::RegistrationClosed
            | TenancyError::NotYourGuild
            | TenancyError::BotAbsent { .. }
            | TenancyError::LimitReached { .. }
            | TenancyError::PlanRequired { .. } => None,
        }
    }

    /// The name and the value in the audit entry.
    const fn audit_detail(self) -> (&'static str, &'static str) {
        match self {
            Self::Permission(permission) => ("permission", permission),
            Self::Ownership => ("role", "owner"),
            Self::Rank => ("role", "higher"),
            Self::Operatorship => ("role", "operator"),
        }
    }
}

/// What waits to be written, by the minute it came in. Minutes are those of the steady clock: with the wall clock set back,
/// what was noted before would wait for its time to come again.
#[derive(Default)]
pub struct Refusals {
    groups: Mutex<HashMap<(Refusal, i64), Counted>>,
    dropped: Counter,
}

#[derive(Clone, Copy)]
struct Counted {
    first_ms: i64,
    count: u64,
}

impl Refusals {
    /// Counts it. Called while the request is answered, so it waits for nothing but a short lock.
    pub fn note(&self, refusal: Refusal, now_ms: i64, steady_ms: i64) {
        let minute = steady_ms.div_euclid(MINUTE_MS);
        let mut groups = self.locked();
        if groups.len() >= MOST && !groups.contains_key(&(refusal.clone(), minute)) {
            self.dropped.inc();
            return;
        }
        let fresh = Counted {
            first_ms: now_ms,
            count: 0,
        };
        groups.entry((refusal, minute)).or_insert(fresh).count += 1;
    }

    /// Refusals dropped because too many were waiting.
    pub fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    /// Takes the groups whose minute is over, in an order that keeps an Org's together.
    fn drain(&self, steady_ms: i64) -> Vec<Entry> {
        let over = steady_ms.div_euclid(MINUTE_MS);
        let mut groups = self.locked();
        let taken = groups.extract_if(|(_, minute), _| *minute < over);
        let mut entries: Vec<Entry> = taken
            .map(|((refusal, minute), counted)| Entry {
                refusal,
                minute,
                counted,
            })
            .collect();
        entries.sort_by_key(|entry| {
            let chain = entry.refusal.scope.map_or(0, OrgScope::num);
            (chain, entry.counted.first_ms)
        });
        entries
    }

    fn restore(&self, entries: Vec<Entry>) {
        let mut groups = self.locked();
        for entry in entries {
            let key = (entry.refusal, entry.minute);
            if groups.len() >= MOST && !groups.contains_key(&key) {
                self.dropped.inc();
                continue;
            }
            groups.entry(key).or_insert(entry.counted);
        }
    }

    /// Writes down the refusals of the minutes that were over at this time of the steady clock.
    pub async fn flush(&self, db: &Db, steady_ms: i64) -> Result<(), AppError> {
        let mut waiting = self.drain(steady_ms);
        let mut outcome = Ok(());
        while let Some(first) = waiting.first() {
            let scope = first.refusal.scope;
            let of_org = waiting.iter().take(SLICE);
            let of_org = of_org.take_while(|entry| entry.refusal.scope == scope).count();
            let rest = waiting.split_off(of_org);
            let entries = std::mem::replace(&mut waiting, rest);
            let work = Write(entries.clone());
            match db.write_for(scope, work).await {
                // Nobody reads the log of an Org that is gone.
                Ok(()) | Err(AppError::Request(RequestError::NotFound)) => {}
                Err(
                    error @ AppError::Service(ServiceError::StorageUnavailable(_) | ServiceError::Overloaded),
                ) => {
                    self.restore(entries);
                    self.restore(waiting);
                    return Err(error);
                }
                // What the store does not take at all would be in the way for ever.
                Err(error) => outcome = Err(error),
            }
        }
        outcome
    }

    /// A panic in between leaves at worst one refusal uncounted.
    fn locked(&self) -> MutexGuard<'_, HashMap<(Refusal, i64), Counted>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone)]
struct Entry {
    refusal: Refusal,
    minute: i64,
    counted: Counted,
}

struct Write(Vec<Entry>);

impl Work for Write {
    type For = Option<OrgScope>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_refusals";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &Option<OrgScope>) -> Result<(), AppError> {
        if let Some(scope) = scope {
            orgs::lock(tx, scope).await?;
        }
        for Entry { refusal, counted, .. } in &self.0 {
            let (what, value) = refusal.lacking.audit_detail();
            let detail = json!({
                what: value,
                "route": refusal.route,
                "count": counted.count,
            });
            let act = Act::new(scope, refusal.actor.clone(), counted.first_ms);
            act.note(tx, AuditAction::AccessDenied, None, &detail).await?;
        }
        Ok(())
    }
}
