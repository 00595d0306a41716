//! What a message may contain, and how much of it.

use serde::Deserialize;
use serde_json::Value;

use crate::discord::error::ApiError;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::Message;

const CONTENT: usize = 2_000;
const EMBEDS: usize = 10;
const EMBED_TOTAL: usize = 6_000;
const FIELDS: usize = 25;
const ROWS: usize = 5;
const NONCE: usize = 25;
pub const EPHEMERAL: u64 = 1 << 6;
/// Flags an author may set: no embeds for links, only for the one who asked, silent, new components.
const SETTABLE: u64 = (1 << 2) | EPHEMERAL | (1 << 12) | (1 << 15);

/// The body of a message on its way in. What is missing stays as it is in an edit.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Content {
    content: Option<String>,
    embeds: Option<Vec<Value>>,
    components: Option<Vec<Value>>,
    allowed_mentions: Option<Value>,
    flags: Option<u64>,
    nonce: Option<Value>,
    pub enforce_nonce: bool,
}

impl Content {
    pub fn check(&self) -> Result<(), ApiError> {
        longer_than(self.content.as_deref(), CONTENT, "content")?;
        let embeds = self.embeds.as_deref().unwrap_or_default();
        if embeds.len() > EMBEDS {
            return Err(ApiError::too_long("embeds", EMBEDS));
        }
        let mut total = 0;
        for (index, embed) in embeds.iter().enumerate() {
            total += check_embed(embed, &format!("embeds.{index}"))?;
        }
        if total > EMBED_TOTAL {
            let message = "Embed size exceeds maximum size of 6000";
            return Err(ApiError::field("embeds", "MAX_EMBED_SIZE_EXCEEDED", message));
        }
        let components = self.components.as_deref().unwrap_or_default();
        if components.len() > ROWS {
            return Err(ApiError::too_long("components", ROWS));
        }
        check_components(components, "components")?;
        longer_than(self.nonce().as_deref(), NONCE, "nonce")
    }

    /// Text or number; Discord takes both.
    pub fn nonce(&self) -> Option<String> {
        match self.nonce.as_ref()? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    pub fn is_ephemeral(&self) -> bool {
        self.flags.unwrap_or_default() & EPHEMERAL != 0
    }

    pub fn has_embeds(&self) -> bool {
        self.embeds.as_ref().is_some_and(|embeds| !embeds.is_empty())
    }

    /// A new message with this content; an empty one is refused.
    pub fn into_message(self, id: Snowflake, author_id: Snowflake, now_ms: i64) -> Result<Message, ApiError> {
        let mut message = Message {
            id,
            author_id,
            created_ms: now_ms,
            nonce: self.nonce(),
            flags: self.flags.unwrap_or_default() & SETTABLE,
            ..Message::default()
        };
        self.apply(&mut message);
        if message.content.is_empty() && message.embeds.is_empty() && message.components.is_empty() {
            return Err(ApiError::EMPTY_MESSAGE);
        }
        Ok(message)
    }

    /// Puts the parts that are there in place of the old ones.
    pub fn apply(self, message: &mut Message) {
        if let Some(content) = self.content {
            message.content = content.trim().to_owned();
        }
        if let Some(embeds) = self.embeds {
            message.embeds = embeds.into_iter().map(as_shown).collect();
        }
        if let Some(components) = self.components {
            message.components = numbered(components, &mut 0);
        }
        if self.allowed_mentions.is_some() {
            message.allowed_mentions = self.allowed_mentions;
        }
    }
}

/// An embed as Discord gives it back.
fn as_shown(mut embed: Value) -> Value {
    embed["type"] = "rich".into();
    if let Some(fields) = embed["fields"].as_array_mut() {
        for field in fields {
            if field["inline"].is_null() {
                field["inline"] = false.into();
            }
        }
    }
    if let Value::Object(entries) = &mut embed {
        entries.retain(|_, value| !value.is_null());
    }
    embed
}

/// Components are numbered in the order in which they are read, unless their author did it.
fn numbered(components: Vec<Value>, last: &mut u32) -> Vec<Value> {
    let number = |mut component: Value| {
        *last += 1;
        if component["id"].as_u64().is_none_or(|id| id == 0) {
            component["id"] = (*last).into();
        }
        if let Value::Array(inner) = component["components"].take() {
            component["components"] = numbered(inner, last).into();
        } else if let Value::Object(fields) = &mut component {
            fields.remove("components");
        }
        component
    };
    components.into_iter().map(number).collect()
}

/// How many characters of the embed count.
fn check_embed(embed: &Value, path: &str) -> Result<usize, ApiError> {
    let mut total = 0;
    let texts = [
        ("title", &embed["title"], 256),
        ("description", &embed["description"], 4_096),
        ("footer.text", &embed["footer"]["text"], 2_048),
        ("author.name", &embed["author"]["name"], 256),
    ];
    for (name, value, limit) in texts {
        total += length(value, limit, &format!("{path}.{name}"))?;
    }
    let fields = embed["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
    if fields.len() > FIELDS {
        return Err(ApiError::too_long(&format!("{path}.fields"), FIELDS));
    }
    for (index, field) in fields.iter().enumerate() {
        for (name, limit) in [("name", 256), ("value", 1_024)] {
            let path = format!("{path}.fields.{index}.{name}");
            match length(&field[name], limit, &path)? {
                0 => return Err(ApiError::required(&path)),
                count => total += count,
            }
        }
    }
    if embed
        .get("color")
        .is_some_and(|color| !color.is_null() && color.as_u64().is_none_or(|color| color > 0xFF_FFFF))
    {
        let message = "int value should be less than or equal to 16777215.";
        return Err(ApiError::field(
            &format!("{path}.color"),
            "NUMBER_TYPE_MAX",
            message,
        ));
    }
    for (name, value) in [
        ("url", &embed["url"]),
        ("thumbnail.url", &embed["thumbnail"]["url"]),
        ("image.url", &embed["image"]["url"]),
    ] {
        check_url(value, &format!("{path}.{name}"))?;
    }
    Ok(total)
}

fn check_url(value: &Value, path: &str) -> Result<(), ApiError> {
    let Some(url) = value.as_str().filter(|url| !url.is_empty()) else {
        return Ok(());
    };
    let known = ["http://", "https://", "attachment://"]
        .iter()
        .any(|scheme| url.starts_with(scheme));
    let message = "Scheme must be one of ('http', 'https').";
    known
        .then_some(())
        .ok_or_else(|| ApiError::field(path, "URL_TYPE_INVALID_SCHEME", message))
}

fn check_components(components: &[Value], path: &str) -> Result<(), ApiError> {
    for (index, component) in components.iter().enumerate() {
        let path = format!("{path}.{index}");
        length(&component["custom_id"], 100, &format!("{path}.custom_id"))?;
        length(&component["label"], 80, &format!("{path}.label"))?;
        // A button that is no link has to say who it is.
        if component["type"] == 2
            && component["style"] != 5
            && component["custom_id"].as_str().is_none_or(str::is_empty)
        {
            return Err(ApiError::required(&format!("{path}.custom_id")));
        }
        let inner = component["components"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        check_components(inner, &format!("{path}.components"))?;
    }
    Ok(())
}

fn length(value: &Value, limit: usize, path: &str) -> Result<usize, ApiError> {
    longer_than(value.as_str(), limit, path)?;
    Ok(value.as_str().map_or(0, |text| text.chars().count()))
}

fn longer_than(text: Option<&str>, limit: usize, path: &str) -> Result<(), ApiError> {
    match text {
        Some(text) if text.chars().count() > limit => Err(ApiError::too_long(path, limit)),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(body: Value) -> Result<(), ApiError> {
        serde_json::from_value::<Content>(body).unwrap().check()
    }

    #[test]
    fn every_bound_is_kept_exactly() {
        let text = |count: usize| "ä".repeat(count);
        let field = |name: usize, value: usize| json!({"name": text(name), "value": text(value)});
        let embed = |embed: Value| json!({ "embeds": [embed] });
        for (good, bad) in [
            (json!({"content": text(2_000)}), json!({"content": text(2_001)})),
            (
                embed(json!({"title": text(256)})),
                embed(json!({"title": text(257)})),
            ),
            (
                embed(json!({"description": text(4_096)})),
                embed(json!({"description": text(4_097)})),
            ),
            (
                embed(json!({"fields": [field(256, 1_024)]})),
                embed(json!({"fields": [field(257, 1)]})),
            ),
            (
                embed(json!({"fields": [field(1, 1)]})),
                embed(json!({"fields": [field(1, 1_025)]})),
            ),
            (
                embed(json!({"fields": [field(1, 1)]})),
                embed(json!({"fields": [field(0, 1)]})),
            ),
            (
                embed(json!({"fields": vec![field(1, 1); 25]})),
                embed(json!({"fields": vec![field(1, 1); 26]})),
            ),
            (
                embed(json!({"color": 0xFF_FFFF})),
                embed(json!({"color": 0x100_0000})),
            ),
            (
                embed(json!({"url": "https://a"})),
                embed(json!({"url": "javascript:1"})),
            ),
            (
                json!({"embeds": vec![json!({"title": "a"}); 10]}),
                json!({"embeds": vec![json!({"title": "a"}); 11]}),
            ),
            (json!({"nonce": "1".repeat(25)}), json!({"nonce": "1".repeat(26)})),
        ] {
            assert!(verdict(good.clone()).is_ok(), "{good}");
            assert!(verdict(bad.clone()).is_err(), "{bad}");
        }
        let long = json!({"description": text(3_001)});
        assert!(verdict(json!({"embeds": [long, long]})).is_err());
    }

    #[test]
    fn a_button_needs_an_id_or_a_link() {
        let row = |button: Value| json!({"components": [{"type": 1, "components": [button]}]});
        assert!(
            verdict(row(
                json!({"type": 2, "style": 1, "label": "Verify", "custom_id": "verify"})
            ))
            .is_ok()
        );
        assert!(
            verdict(row(
                json!({"type": 2, "style": 5, "label": "Verify", "url": "https://a"})
            ))
            .is_ok()
        );
        assert!(verdict(row(json!({"type": 2, "style": 1, "label": "Verify"}))).is_err());
    }

    #[test]
    fn components_are_numbered_as_they_are_read() {
        let button = json!({"type": 2, "style": 1, "custom_id": "a"});
        let row = json!({"type": 1, "components": [button, button]});
        let rows = numbered(vec![row.clone(), row], &mut 0);
        let ids = [
            &rows[0],
            &rows[0]["components"][0],
            &rows[0]["components"][1],
            &rows[1],
        ];
        assert_eq!(
            ids.map(|component| component["id"].as_u64()),
            [Some(1), Some(2), Some(3), Some(4)]
        );
        assert_eq!(rows[0]["components"][0].get("components"), None);
    }

    #[test]
    fn nothing_is_not_a_message() {
        let message = |body| {
            serde_json::from_value::<Content>(body)
                .unwrap()
                .into_message(Snowflake(1), Snowflake(2), 0)
        };
        assert!(message(json!({"content": " \n"})).is_err());
        assert_eq!(message(json!({"content": " a "})).unwrap().content, "a");
    }
}
