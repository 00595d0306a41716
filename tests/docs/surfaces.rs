//! The manual's table of surfaces.

use web::layers::{Form, Surface};

use crate::errors::surfaces::{Follows, follows};

const MANUAL: &str = include_str!("../../docs/surfaces.md");

/// The cells of a surface that say what follows from it.
fn row(surface: Surface) -> String {
    let Follows {
        form,
        closes,
        no_referrer,
        kept,
        unlisted,
        noted,
        limit_kib,
    } = follows(surface);
    let (failures, listed) = match form {
        Form::Plugin => ("JSON, fails closed", ""),
        Form::Api => ("JSON", ""),
        Form::Page if unlisted => ("page", "left out"),
        Form::Page => ("page", "listed"),
    };
    let maintenance = if closes { "closed" } else { "open" };
    let referrer = if no_referrer { "none" } else { "origin" };
    let caches = if kept { "if it says so" } else { "never" };
    let noted = if noted { "all" } else { "ours only" };
    let cells = [failures, maintenance, referrer, caches, listed];
    format!(
        "| `{}` | {} | {limit_kib} KiB | {noted} |",
        surface.name(),
        cells.join(" | ")
    )
    .replace("|  |", "| |")
}

#[test]
fn the_manual_says_what_follows_from_every_surface() {
    let rows: Vec<&str> = MANUAL.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), Surface::ALL.len());
    for (told, surface) in rows.into_iter().zip(Surface::ALL) {
        assert!(
            told.starts_with(&row(surface)),
            "{told}\nis not\n{}",
            row(surface)
        );
        let has_route = web::table().iter().any(|route| route.surface == surface);
        assert_eq!(told.ends_with("| no route yet |"), !has_route, "{told}");
    }
}
