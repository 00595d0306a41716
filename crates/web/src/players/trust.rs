//! What an Org says about the permission groups of its game servers.

use std::collections::BTreeMap;

use app::App;
use app::players::trust_rules::{self, Simulation};
use domain::trust::{GroupClass, GroupRules, Keyword, PillTone, TrustTier};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::TierThresholds;
use crate::extract::{Authorized, JsonBody, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// Keywords and colours, the organisation's own and the usual ones.
#[derive(Serialize, ToSchema)]
pub struct TrustSettings {
    /// The organisation's own, in the order in which they are tried, before the usual ones.
    keywords: Vec<GroupKeyword>,
    /// The usual ones that are tried after them.
    usual_keywords: Vec<GroupKeyword>,
    /// Every class, the weightiest first.
    classes: Vec<GroupClassSettings>,
    thresholds: TierThresholds,
    /// One more with every save.
    revision: i64,
}

/// A group whose name holds the text is of the class.
#[derive(Serialize, Deserialize, Clone, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupKeyword {
    text: String,
    #[schema(value_type = words::GroupClass)]
    class: GroupClass,
}

#[derive(Serialize, ToSchema)]
struct GroupClassSettings {
    #[schema(value_type = words::GroupClass)]
    class: GroupClass,
    /// What it counts of a hundred.
    weight: u64,
    #[schema(value_type = words::PillTone)]
    tone: PillTone,
    #[schema(value_type = words::PillTone)]
    usual_tone: PillTone,
}

impl From<Keyword> for GroupKeyword {
    fn from(keyword: Keyword) -> Self {
        Self {
            text: keyword.text,
            class: keyword.class,
        }
    }
}

/// Keywords and colours as somebody wants them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustChange {
    /// At most 50, in the order in which they are tried.
    keywords: Vec<GroupKeyword>,
    /// Colours by class; a class that is left out has its usual one.
    #[serde(default)]
    tones: Vec<ClassTone>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ClassTone {
    #[schema(value_type = words::GroupClass)]
    class: GroupClass,
    #[schema(value_type = words::PillTone)]
    tone: PillTone,
}

impl TrustChange {
    fn rules(self) -> GroupRules {
        let keywords = self.keywords.into_iter().map(|keyword| Keyword {
            text: keyword.text,
            class: keyword.class,
        });
        let colours = self.tones.into_iter().map(|tone| (tone.class, tone.tone));
        GroupRules {
            keywords: keywords.collect(),
            colours: colours.collect::<BTreeMap<_, _>>(),
        }
    }
}

pub async fn get(app: App, caller: Authorized<perm::OrgSettings>, (): ()) -> Answer<Found<TrustSettings>> {
    let (stored, thresholds) = trust_rules::get(&app, caller.scope).await?;
    let own = stored.rules.keywords.len();
    let usual = stored.rules.effective().into_iter().skip(own);
    let classes = GroupClass::ALL.iter().map(|class| GroupClassSettings {
        class: *class,
        weight: class.weight(),
        tone: stored.rules.tone(*class),
        usual_tone: class.tone(),
    });
    Ok(Found(TrustSettings {
        usual_keywords: usual.map(GroupKeyword::from).collect(),
        classes: classes.collect(),
        thresholds: thresholds.into(),
        revision: stored.revision,
        keywords: stored
            .rules
            .keywords
            .into_iter()
            .map(GroupKeyword::from)
            .collect(),
    }))
}

pub async fn save(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    JsonBody(change): JsonBody<TrustChange>,
) -> Answer<Found<TrustSettings>> {
    let revision = change.revision;
    trust_rules::save(&app, caller.scope, change.rules(), revision, caller.actor.clone()).await?;
    get(app, caller, ()).await
}

/// What the settings would do to people with an active link.
#[derive(Serialize, ToSchema)]
pub struct TrustSimulation {
    people: i64,
    /// Whose score would change.
    rescored: i64,
    /// Whose tier would change.
    moved: i64,
    moves: Vec<TierMove>,
}

#[derive(Serialize, ToSchema)]
struct TierMove {
    #[schema(value_type = words::TrustTier)]
    from: TrustTier,
    #[schema(value_type = words::TrustTier)]
    to: TrustTier,
    people: i64,
}

impl From<Simulation> for TrustSimulation {
    fn from(found: Simulation) -> Self {
        let moves = found.moves.iter().map(|((from, to), people)| TierMove {
            from: *from,
            to: *to,
            people: *people,
        });
        Self {
            people: found.people,
            rescored: found.rescored,
            moved: found.moves.values().sum(),
            moves: moves.collect(),
        }
    }
}

pub async fn simulate(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    JsonBody(change): JsonBody<TrustChange>,
) -> Answer<Found<TrustSimulation>> {
    Ok(Found(
        trust_rules::simulate(&app, caller.scope, change.rules())
            .await?
            .into(),
    ))
}
