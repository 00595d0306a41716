//! The rules in memory, as short as they can be said.

use domain::plan::Tier;

#[derive(Clone, Debug)]
pub enum Step {
    Link(u64, u64),
    UnlinkDiscord(u64),
    UnlinkSteam(u64),
    CreateServer,
    DeleteServer(usize),
    Regenerate(usize),
    Revoke(usize),
    SetActive(usize, bool),
    SetTier(usize),
}

/// What a link command leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Linking {
    Created { relinked: usize },
    Already,
    Limit,
}

#[derive(Clone, Debug)]
pub struct Server {
    pub revoked: bool,
    pub active: bool,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub tier: Tier,
    /// Links that no command touches; they bring the ceiling near.
    pub ballast: i64,
    pub links: Vec<(u64, u64)>,
    /// Ended links: player, account, cause.
    pub ended: Vec<(u64, u64, &'static str)>,
    pub servers: Vec<Server>,
}

impl Model {
    pub fn new(ballast: i64) -> Self {
        Model {
            tier: Tier::Free,
            ballast,
            links: Vec::new(),
            ended: Vec::new(),
            servers: Vec::new(),
        }
    }

    pub fn total(&self) -> i64 {
        self.ballast + self.links.len() as i64
    }

    pub fn link(&mut self, player: u64, account: u64) -> Linking {
        if self.links.contains(&(player, account)) {
            return Linking::Already;
        }
        let (old, kept): (Vec<_>, Vec<_>) = self
            .links
            .iter()
            .copied()
            .partition(|(other, held)| *other == player || *held == account);
        if old.is_empty() && self.total() >= self.tier.default_ceilings().links {
            return Linking::Limit;
        }
        self.links = kept;
        self.links.push((player, account));
        self.ended
            .extend(old.iter().map(|(player, account)| (*player, *account, "relink")));
        Linking::Created { relinked: old.len() }
    }

    /// True when there was something to unlink.
    pub fn unlink(&mut self, matches: impl Fn(&(u64, u64)) -> bool) -> bool {
        let Some(at) = self.links.iter().position(matches) else {
            return false;
        };
        let (player, account) = self.links.remove(at);
        self.ended.push((player, account, "user"));
        true
    }

    /// True when there was room.
    pub fn create_server(&mut self) -> bool {
        let room = (self.servers.len() as i64) < self.tier.default_ceilings().servers;
        if room {
            self.servers.push(Server {
                revoked: false,
                active: true,
            });
        }
        room
    }

    /// What the plugin API answers to the key of a Server.
    pub fn answer(&self, server: usize) -> (u16, String) {
        match self.servers[server] {
            Server { revoked: true, .. } => (403, "KEY_REVOKED".to_owned()),
            Server { active: false, .. } => (403, "SERVER_INACTIVE".to_owned()),
            Server { .. } => (200, format!(r#"{{"Total":{}}}"#, self.total())),
        }
    }
}
