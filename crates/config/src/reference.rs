use std::fmt::Write;
use std::sync::LazyLock;

use crate::settings::{SETTINGS, Setting};

const FILE_HEAD: &str = "\
# Symbolon configuration.
#
# Every setting is listed with its default, commented out. To change one, remove
# the `#` and edit the value. Environment variables override this file, and the
# command line overrides both.
";

const PAGE_HEAD: &str = "\
<!-- Generated: cargo run -p config --example reference > docs/configuration.md -->

# Configuration

Symbolon reads each setting from the first of these that sets it:

1. the command line,
2. the environment,
3. the configuration file, in TOML,
4. the default.

The file is optional; `--config` or the variable `SYMBOLON_CONFIG` names it. In a
variable, separate the entries of a list with commas. Relative paths start at the
working directory.

Every setting is checked at start, and all problems are shown together. A key or
`SYMBOLON_` variable that is not listed here is refused, except variables that
start with `SYMBOLON_TEST_` or `SYMBOLON_BUILD_`.

Keep secrets in files of their own, named by the settings that end in `_file`;
whitespace around a file's contents is ignored. Setting both a secret and its file
is refused, but a database given on the command line replaces `database.url` and
its file.
";

/// The default configuration file, with every setting commented out.
pub fn default_file() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(build_default_file);
    &TEXT
}

/// The text of `docs/configuration.md`.
pub fn reference_markdown() -> String {
    let mut page = PAGE_HEAD.to_owned();
    for (section, settings) in sections() {
        let title = if section.is_empty() { "General" } else { section };
        let _ = write!(
            page,
            "\n## {title}\n\n\
             | Setting | Variable | Default | Allowed | Meaning |\n\
             |---|---|---|---|---|\n"
        );
        for setting in settings {
            let _ = writeln!(
                page,
                "| `{}` | `{}` | `{}` | {} | {} |",
                setting.key,
                setting.variable(),
                setting.kind.default(),
                setting.kind.allowed(),
                setting.about,
            );
        }
    }
    page
}

fn build_default_file() -> String {
    let mut file = FILE_HEAD.to_owned();
    for (section, settings) in sections() {
        if !section.is_empty() {
            let _ = write!(file, "\n[{section}]\n");
        }
        for setting in settings {
            let _ = write!(
                file,
                "\n# {}\n# Allowed: {}.\n#{} = {}\n",
                setting.about,
                setting.kind.allowed(),
                setting.name(),
                setting.kind.default(),
            );
        }
    }
    file
}

/// The settings in table order, which keeps each section together.
fn sections() -> impl Iterator<Item = (&'static str, &'static [Setting])> {
    SETTINGS
        .chunk_by(|a, b| a.section() == b.section())
        .filter_map(|settings| settings.first().map(|first| (first.section(), settings)))
}
