//! A person's way through the link page: the secret that ties it to their browser, what it has found out so far, and
//! what comes next.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::digest::HexDigest;
use crate::id::GuildId;
use crate::random::Random;
use crate::secret;
use crate::words::words;

/// One trip to a provider and back is used within this time or not at all.
pub const TRIP_MS: i64 = 10 * 60_000;
/// A flow ends this long after its last step.
pub const LIFETIME_MS: i64 = 60 * 60_000;

/// Stored hashes depend on these texts; changing one ends all flows.
const FLOW_LABEL: &str = "symbolon flow v2";
const TRIP_LABEL: &str = "symbolon trip v2";
const VISIT_LABEL: &str = "symbolon visit v1";
const FORM_LABEL: &str = "symbolon flow form v1";

words! {
    /// What a flow is for.
    pub enum FlowPurpose {
        Link = "link",
        Unlink = "unlink",
    }
}

words! {
    /// Who proves an identity.
    pub enum Provider {
        Discord = "discord",
        Steam = "steam",
    }
}

words! {
    /// What a Guild does about being in its Discord server.
    pub enum JoinMode {
        /// It does not matter.
        Off = "off",
        /// Players have to be in it and join by themselves.
        Invite = "invite",
        /// Players are added when they verify.
        Auto = "auto",
    }
}

words! {
    /// The answer to a question about a person. Not knowing is an answer of its own, never a no.
    pub enum Finding {
        Yes = "yes",
        No = "no",
        /// The profile does not show it.
        Hidden = "hidden",
        /// Whoever knows did not answer.
        Unknown = "unknown",
    }
}

words! {
    /// How far somebody gets on a link page.
    pub enum LinkStep {
        /// Went to sign in for the first time.
        Started = "started",
        /// Came back from Discord.
        Discord = "discord",
        /// Came back from Steam.
        Steam = "steam",
        /// Is in the Discord server.
        Joined = "joined",
        /// Is linked.
        Verified = "verified",
        /// Could not go on; a code says why.
        Failed = "failed",
    }
}

/// The text is not a flow token; the cause is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a flow of this browser")]
pub struct MalformedFlow;

/// The value of the flow cookie: 256 random bits of one browser, wiped on drop, never printed. A browser has one for all
/// pages it visits, and a flow for each of them, so that two tabs do not end each other's way.
pub struct FlowToken(Zeroizing<String>);

impl FlowToken {
    pub fn generate(random: &dyn Random) -> Self {
        Self(secret::generate(random))
    }

    /// Accepts exactly the generated form.
    pub fn parse(text: &str) -> Result<Self, MalformedFlow> {
        secret::read(text).map(Self).ok_or(MalformedFlow)
    }

    /// The secret text, for the cookie only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored and looked up: this browser's flow for one purpose in one Guild.
    pub fn flow_hash(&self, guild: &GuildId, purpose: FlowPurpose) -> String {
        self.hash_with(FLOW_LABEL, &[guild.as_str(), purpose.as_str()])
    }

    /// The same for one trip of the dashboard, by the hash of its state.
    pub fn trip_hash(&self, state_hash: &str) -> String {
        self.hash_with(TRIP_LABEL, &[state_hash])
    }

    /// What a visit to one's own page is bound to.
    pub fn visit_hash(&self) -> String {
        self.hash_with(VISIT_LABEL, &[])
    }

    fn hash_with(&self, label: &str, parts: &[&str]) -> String {
        let mut content = Zeroizing::new(self.0.as_bytes().to_vec());
        for part in parts {
            content.push(0);
            content.extend_from_slice(part.as_bytes());
        }
        HexDigest::labelled(label, &content).as_str().to_owned()
    }

    /// What a form on our own page carries, and a form on any other page cannot know.
    pub fn form_token(&self) -> String {
        HexDigest::labelled(FORM_LABEL, self.0.as_bytes())
            .as_str()
            .to_owned()
    }

    pub fn accepts_form(&self, token: &str) -> bool {
        self.form_token().as_bytes().ct_eq(token.as_bytes()).into()
    }
}

impl fmt::Debug for FlowToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("FlowToken(…)")
    }
}

/// What a Guild asks for besides both accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demands {
    pub membership: bool,
    pub steam_group: bool,
}

/// What is known about a person so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub discord: bool,
    pub steam: bool,
    pub member: Option<Finding>,
    pub group: Option<Finding>,
}

/// How far one step of the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// Something before it is missing.
    Later,
    /// It can be done now.
    Now,
    Done,
    /// It was looked at, and the answer is not yes.
    Open(Finding),
}

/// The steps as the page shows them; those that the Guild does not ask for are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub discord: StepState,
    pub steam: StepState,
    pub member: Option<StepState>,
    pub group: Option<StepState>,
    /// Both accounts are known, so the button works; it looks at the other steps itself.
    pub can_verify: bool,
}

/// Both sign-ins can be done in either order; what is looked up needs to know who to ask about.
pub fn steps(progress: Progress, demands: Demands) -> Steps {
    let sign_in = |done: bool| if done { StepState::Done } else { StepState::Now };
    let looked_up = |known: bool, finding: Option<Finding>| match finding {
        Some(Finding::Yes) => StepState::Done,
        Some(other) => StepState::Open(other),
        None if known => StepState::Now,
        None => StepState::Later,
    };
    Steps {
        discord: sign_in(progress.discord),
        steam: sign_in(progress.steam),
        member: demands
            .membership
            .then(|| looked_up(progress.discord, progress.member)),
        group: demands
            .steam_group
            .then(|| looked_up(progress.steam, progress.group)),
        can_verify: progress.discord && progress.steam,
    }
}

/// Whether linking another account has to wait, and until when. It counts from the end of the last link; the first is free.
pub fn relink_waits_until(last_end_ms: Option<i64>, cooldown_ms: i64, now_ms: i64) -> Option<i64> {
    let until = last_end_ms?.saturating_add(cooldown_ms);
    (cooldown_ms > 0 && until > now_ms).then_some(until)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn a_token_is_shown_nowhere_and_its_derived_texts_differ() {
        let token = FlowToken::generate(&SeededRandom::new(1));
        assert_eq!(format!("{token:?}"), "FlowToken(…)");
        let random = SeededRandom::new(3);
        let (one, two) = (GuildId::generate(1, &random), GuildId::generate(2, &random));
        let texts = [
            token.form_token(),
            token.flow_hash(&one, FlowPurpose::Link),
            token.flow_hash(&one, FlowPurpose::Unlink),
            token.flow_hash(&two, FlowPurpose::Link),
            token.trip_hash(one.as_str()),
        ];
        let different: std::collections::HashSet<&String> = texts.iter().collect();
        assert_eq!(different.len(), texts.len());
        assert!(token.accepts_form(&token.form_token()));
        for wrong in ["", token.expose(), &texts[1]] {
            assert!(!token.accepts_form(wrong));
        }
        let other = FlowToken::generate(&SeededRandom::new(2));
        assert!(!other.accepts_form(&token.form_token()));
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in ["", "x", &"A".repeat(42), &"A".repeat(44), &"/".repeat(43)] {
            assert!(FlowToken::parse(wrong).is_err());
        }
    }

    #[test]
    fn sign_ins_come_in_any_order_and_the_rest_waits_for_them() {
        let all = Demands {
            membership: true,
            steam_group: true,
        };
        let begun = steps(Progress::default(), all);
        assert_eq!((begun.discord, begun.steam), (StepState::Now, StepState::Now));
        assert_eq!(
            (begun.member, begun.group),
            (Some(StepState::Later), Some(StepState::Later))
        );
        let steam_first = steps(
            Progress {
                steam: true,
                ..Progress::default()
            },
            all,
        );
        assert_eq!(
            (steam_first.discord, steam_first.group),
            (StepState::Now, Some(StepState::Now))
        );
        assert!(!steam_first.can_verify);
        let both = Progress {
            discord: true,
            steam: true,
            ..Progress::default()
        };
        assert!(steps(both, all).can_verify);
        let nothing = Demands {
            membership: false,
            steam_group: false,
        };
        assert_eq!(
            (steps(both, nothing).member, steps(both, nothing).group),
            (None, None)
        );
    }

    #[test]
    fn not_knowing_is_shown_as_such() {
        let demands = Demands {
            membership: true,
            steam_group: true,
        };
        for finding in [Finding::No, Finding::Hidden, Finding::Unknown] {
            let progress = Progress {
                discord: true,
                steam: true,
                member: Some(finding),
                group: Some(finding),
            };
            let shown = steps(progress, demands);
            assert_eq!(shown.group, Some(StepState::Open(finding)));
            assert!(shown.can_verify, "the button asks again");
        }
    }

    #[test]
    fn a_cool_down_counts_from_the_last_end_and_is_off_at_zero() {
        assert_eq!(relink_waits_until(None, 1_000, 5), None);
        assert_eq!(relink_waits_until(Some(100), 0, 101), None);
        assert_eq!(relink_waits_until(Some(100), 1_000, 1_099), Some(1_100));
        assert_eq!(relink_waits_until(Some(100), 1_000, 1_100), None);
    }

    proptest! {
        #[test]
        fn a_token_reads_back_as_itself(seed: u64) {
            let token = FlowToken::generate(&SeededRandom::new(seed));
            let read = FlowToken::parse(token.expose()).unwrap();
            prop_assert_eq!(read.trip_hash("x"), token.trip_hash("x"));
        }
    }
}
