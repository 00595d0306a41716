use std::fmt::Write;
use std::sync::LazyLock;

use crate::settings::{SETTINGS, Setting};

const FILE_HEAD: &str = "\
# Symbolon configuration.
#
# Each setting stands here with its default, switched off by a `#`. To change
# one, take away the `#` and edit the value. Environment variables are stronger
# than this file, and the command line is stronger than both.
";

const PAGE_HEAD: &str = "\
<!-- Generated: cargo run -p config --example reference > docs/configuration.md -->

# Configuration

Symbolon takes each setting from the strongest source that gives it:

1. the command line,
2. the environment,
3. the configuration file, in TOML,
4. the default.

Without a file, only the defaults and the environment count. `SYMBOLON_CONFIG`
names the file for the command line. In a variable, a list is separated by
commas. Relative paths start at the working directory.

At start every setting is checked, and all problems are shown together. A key
or `SYMBOLON_` variable that is not listed here is refused, except variables
whose name begins with `SYMBOLON_TEST_`.

Secrets belong in files of their own, named by the settings that end in `_file`;
space around a file's contents is dropped. Setting both a secret and its file is
refused, but a database given on the command line replaces `database.url` and its
file.
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
