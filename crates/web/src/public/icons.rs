//! Pictures of link-page buttons: plain strokes of our own, no trademarks.

use domain::navigation::Icon;

/// The content of a picture on a field of 24 by 24; none for a button without one.
pub const fn strokes(icon: Icon) -> Option<&'static str> {
    Some(match icon {
        Icon::None => return None,
        Icon::Discord => r#"<path d="M4 5h16v11H9l-5 4zM9 10.5h.01M15 10.5h.01"/>"#,
        Icon::Steam => {
            r#"<rect x="3" y="8" width="18" height="9" rx="4.5"/><path d="M8 10.5v4M6 12.5h4M15 12.5h.01M18 12.5h.01"/>"#
        }
        Icon::Youtube => r#"<rect x="3" y="6" width="18" height="12" rx="3"/><path d="M10 9.5v5l4.5-2.5z"/>"#,
        Icon::X => r#"<path d="M4 5h16v10H8l-4 4zM8 9h8M8 12h5"/>"#,
        Icon::Twitch => r#"<rect x="3" y="5" width="18" height="12" rx="2"/><path d="M8 21h8"/>"#,
        Icon::Github => r#"<path d="M9 8l-4 4 4 4M15 8l4 4-4 4"/>"#,
        Icon::Shop => r#"<path d="M5 8h14l-1 12H6zM9 8a3 3 0 0 1 6 0"/>"#,
        Icon::Forum => r#"<path d="M3 5h12v8H7l-4 3zM18 9h3v11l-3-3h-8"/>"#,
        Icon::News => r#"<rect x="4" y="4" width="16" height="16" rx="2"/><path d="M8 9h8M8 13h8M8 17h4"/>"#,
        Icon::Download => r#"<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>"#,
        Icon::Globe => {
            r#"<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c4 4 4 14 0 18M12 3c-4 4-4 14 0 18"/>"#
        }
        Icon::External => r#"<path d="M13 5h6v6M19 5l-8 8M17 14v5H5V7h5"/>"#,
    })
}
