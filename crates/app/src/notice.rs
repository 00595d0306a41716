//! What needs a person's attention, in the form that every capability tells it. `attention` collects them.

use domain::id::{GuildId, ServerId};

/// How much it matters. The worst stand first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something does not work.
    Bad,
    /// Something works that should be looked at before it does not.
    Warn,
    /// Something is left to do, or good to know.
    Info,
}

impl Severity {
    /// The worst first.
    pub const ALL: [Self; 3] = [Self::Bad, Self::Warn, Self::Info];

    /// Its name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Info => "info",
        }
    }
}

/// The page of the dashboard where it is put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// Adding a Guild.
    NewGuild,
    /// The Guilds of the Org.
    Guilds,
    /// The settings of one Guild.
    Guild(GuildId),
    /// The Servers of the Org.
    Servers,
    /// One Server, with its key.
    Server(ServerId),
    /// The rules of one Server.
    Rules(ServerId),
    /// The builds of the plugin, and the configuration of one Server.
    Plugin(ServerId),
    /// The custom keys of the Org.
    Keys,
    /// The buttons of the link page.
    LinkPage,
    /// What the audit log of the Org tells of visits.
    Visits,
    /// The error log of the installation, with what is for operators to put right.
    OurErrors,
    /// The error log of the installation, with one code only.
    ErrorsWith(&'static str),
}

/// One thing that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its name for programs; it never changes.
    pub kind: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// A sentence for people.
    pub text: String,
    /// What it is about: an id of ours, or a dimension of the plan.
    pub subject: Option<String>,
    /// What the link to the page says, and the page; none where no page helps.
    pub fix: Option<(&'static str, Page)>,
}

impl Notice {
    /// Without a subject and a page.
    pub(crate) fn new(kind: &'static str, severity: Severity, text: impl Into<String>) -> Self {
        Self {
            kind,
            severity,
            text: text.into(),
            subject: None,
            fix: None,
        }
    }

    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    pub(crate) fn fixed_at(mut self, label: &'static str, page: Page) -> Self {
        self.fix = Some((label, page));
        self
    }
}
