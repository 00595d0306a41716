//! Calls with a body, which are counted before anything of it is read.

use std::sync::OnceLock;

use domain::network::ClientNetwork;
use storage::keys::plugin_keys::{self, ResolvedKey};
use storage::{KeyNum, OrgScope};

use super::{
    ActionParam, Answer, Params, Presented, RateState, count, note_refusal, repeated_action, retired,
};
use crate::error::{AppError, KeysError, RequestError, ServiceError};
use crate::memories::bodies::BodyPlace;
use crate::state::App;

/// Until one of a key's bodies has arrived. None takes longer than the accept loop lets it, most are there at once.
const WAIT_FOR_PLACE_MS: i64 = 1_000;

/// A call whose body may be read. It is counted, and it has a place among the bodies of its key.
pub struct Admitted {
    place: BodyPlace,
    key: KeyNum,
    rate: RateState,
    key_in_query: bool,
}

impl Admitted {
    /// Asks for room for more of the body, before that is kept.
    pub fn keep(&mut self, bytes: usize) -> Result<(), AppError> {
        if self.place.keep(bytes) {
            return Ok(());
        }
        Err(ServiceError::Overloaded.into())
    }

    /// The body is whole.
    pub fn arrived(&mut self) {
        self.place.arrived();
    }

    /// The answer to a body that was not taken.
    pub fn refused(self, app: &App, error: AppError) -> Answer {
        note_refusal(app, self.key, &error);
        Answer {
            result: Err(error),
            rate: Some(self.rate),
            key_in_query: self.key_in_query,
        }
    }

    pub(super) fn rate(&self) -> RateState {
        self.rate
    }
}

/// Whether a body may be read: not for whom every call is refused, and so never for a key that is none of ours. The key
/// is judged once more with the whole call, because a body can take its time.
pub async fn admit_body(
    app: &App,
    params: &Params<'_>,
    presented: &Presented,
    network: ClientNetwork,
    org: &OnceLock<OrgScope>,
) -> Result<Admitted, Box<Answer>> {
    let mut answer = Answer::refused(KeysError::Unauthorized.into());
    if matches!(params.action(), ActionParam::Repeated) {
        answer.result = Err(repeated_action());
        return Err(Box::new(answer));
    }
    let (key, in_query) = match presented {
        Presented::Missing | Presented::Malformed => return Err(Box::new(answer)),
        Presented::Key { key, in_query } => (key, *in_query),
    };
    answer.key_in_query = in_query;
    let hash = key.hash();
    let resolved = match plugin_keys::resolve(&app.db, &hash, None).await {
        Ok(Some(resolved)) => resolved,
        Ok(None) => {
            answer.result = Err(retired::refuse_unknown(app, hash, network).await);
            return Err(Box::new(answer));
        }
        Err(error) => {
            answer.result = Err(error.into());
            return Err(Box::new(answer));
        }
    };
    org.get_or_init(|| resolved.scope);
    let (passed, rate) = count(app, &resolved, in_query);
    match passed.and_then(|()| begin(app, &resolved)) {
        Ok(place) => Ok(Admitted {
            place,
            key: resolved.num,
            rate,
            key_in_query: in_query,
        }),
        Err(error) => {
            note_refusal(app, resolved.num, &error);
            Err(Box::new(Answer {
                result: Err(error),
                rate: Some(rate),
                key_in_query: in_query,
            }))
        }
    }
}

fn begin(app: &App, key: &ResolvedKey) -> Result<BodyPlace, AppError> {
    let place = app.memories.bodies.begin(key.num.0, key.scope.num());
    let no_place = RequestError::RateLimited {
        retry_after_ms: WAIT_FOR_PLACE_MS,
    };
    place.ok_or(no_place.into())
}
