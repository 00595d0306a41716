//! Names that people chose elsewhere.

use domain::name::without_zero_width;

/// Both platforms allow 32 characters; whoever stands between may send anything.
const NAME_CHARS: usize = 64;

/// A name that can be shown on one line, or `otherwise` when nothing of it is left.
pub(crate) fn shown_name(name: &str, otherwise: &str) -> String {
    let visible: String = without_zero_width(name)
        .chars()
        .filter(|letter| !letter.is_control())
        .collect();
    let cut: String = visible.trim().chars().take(NAME_CHARS).collect();
    if cut.is_empty() {
        return otherwise.to_owned();
    }
    cut
}
