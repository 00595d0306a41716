//! What actions read from their parameters, with one way to refuse each.

use std::collections::HashSet;

use domain::id::IdError;
use domain::platform_id::{DiscordId, EitherId, SteamId};
use serde_json::Value;
use storage::ServerNum;

use super::Call;
use super::params::Body;
use crate::error::{AppError, PluginError};

/// Players per call of the bulk writers and lists are bounded by the tier, texts by these.
const TEXT_CHARS: usize = 200;

/// What a call lists: each entry once, in the order asked. One odd entry must not stop a server's whole poll.
pub(crate) struct Listed<'c, T> {
    pub ids: Vec<T>,
    /// Entries that are no such id, each with the number of ids before it.
    pub odd: Vec<(usize, &'c str)>,
}

impl Call<'_> {
    pub(crate) fn steam_id(&self) -> Result<SteamId, AppError> {
        self.one("id", SteamId::parse)
    }

    pub(crate) fn discord_id(&self) -> Result<DiscordId, AppError> {
        self.one("id", DiscordId::parse)
    }

    pub(crate) fn either_id(&self) -> Result<EitherId, AppError> {
        self.one("id", EitherId::parse)
    }

    pub(crate) fn one<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, IdError>,
    ) -> Result<T, AppError> {
        let text = self
            .params
            .last(name)
            .ok_or_else(|| AppError::invalid(name, "it is missing"))?;
        parse(text.trim()).map_err(|error| AppError::invalid(name, error))
    }

    /// Steam ids from `id=a,b` or from a body `{"ids":[…]}`.
    pub(crate) fn steam_ids(&self) -> Result<Listed<'_, SteamId>, AppError> {
        self.id_list("ids", SteamId::parse)
    }

    /// The same where one entry that is no Steam id refuses the call.
    pub(crate) fn steam_ids_only(&self) -> Result<Vec<SteamId>, AppError> {
        let listed = self.steam_ids()?;
        if listed.odd.is_empty() {
            Ok(listed.ids)
        } else {
            Err(AppError::invalid("id", IdError::Steam))
        }
    }

    /// Discord ids from a body `{"discord_ids":[…]}` or from `id=a,b`.
    pub(crate) fn discord_ids(&self) -> Result<Listed<'_, DiscordId>, AppError> {
        self.id_list("discord_ids", DiscordId::parse)
    }

    /// Ids of either platform from a body `{"ids":[…]}`; nothing when there is no such body.
    pub(crate) fn posted_ids(&self) -> Option<Result<Listed<'_, EitherId>, AppError>> {
        match self.params.body() {
            Body::Json(body) if body.get("ids").is_some() => Some(self.id_list("ids", EitherId::parse)),
            Body::Json(_) | Body::Empty | Body::Unreadable => None,
        }
    }

    fn id_list<T>(
        &self,
        field: &'static str,
        parse: impl Fn(&str) -> Result<T, IdError>,
    ) -> Result<Listed<'_, T>, AppError> {
        let texts: Vec<&str> = match self.params.body() {
            Body::Empty => {
                let listed = self.params.last("id");
                let listed = listed.ok_or_else(|| AppError::invalid("id", "it is missing"))?;
                listed.split(',').collect()
            }
            Body::Json(body) => texts(body.get(field).unwrap_or(&Value::Null), field)?,
            Body::Unreadable => return Err(AppError::invalid("body", "it is not JSON")),
        };
        let mut known = HashSet::with_capacity(texts.len());
        let asked: Vec<&str> = texts
            .into_iter()
            .map(str::trim)
            .filter(|id| !id.is_empty() && known.insert(*id))
            .collect();
        self.check_count(asked.len())?;
        let mut listed = Listed {
            ids: Vec::with_capacity(asked.len()),
            odd: Vec::new(),
        };
        for text in asked {
            match parse(text) {
                Ok(id) => listed.ids.push(id),
                Err(_) => listed.odd.push((listed.ids.len(), text)),
            }
        }
        Ok(listed)
    }

    /// Refuses more ids than the tier allows, before anything is done.
    pub(crate) fn check_count(&self, count: usize) -> Result<(), AppError> {
        let limit = self.app.memories.gate.limit(self.key.tier).bulk_ids;
        if count > limit as usize {
            Err(PluginError::TooManyIds { limit }.into())
        } else {
            Ok(())
        }
    }

    /// A name that somebody chose: 1 to 200 characters after trimming.
    pub(crate) fn free_text(&self, name: &'static str) -> Result<String, AppError> {
        let given = self
            .params
            .free_text(name)
            .ok_or_else(|| AppError::invalid(name, "it is missing"))?;
        let text: String = given
            .chars()
            .filter(|character| !character.is_control())
            .collect();
        let text = text.trim();
        if text.is_empty() || text.chars().count() > TEXT_CHARS {
            return Err(AppError::invalid(
                name,
                format!("must have 1 to {TEXT_CHARS} characters"),
            ));
        }
        Ok(text.to_owned())
    }

    /// The Server that an action of the Server scope is about.
    pub(crate) fn server(&self) -> Result<ServerNum, AppError> {
        self.server.ok_or_else(|| {
            AppError::invalid("server_id", "this key covers a whole Guild, so name the Server")
        })
    }

    pub(crate) fn json_body(&self) -> Result<&Value, AppError> {
        match self.params.body() {
            Body::Json(body) => Ok(body),
            Body::Empty => Err(AppError::invalid("body", "a JSON body is needed")),
            Body::Unreadable => Err(AppError::invalid("body", "it is not JSON")),
        }
    }
}

/// The texts of a JSON array. Numbers are refused: an id above 2^53 would already be wrong.
pub(super) fn texts<'v>(value: &'v Value, field: &'static str) -> Result<Vec<&'v str>, AppError> {
    let list = value
        .as_array()
        .ok_or_else(|| AppError::invalid(field, "must be a list of strings"))?;
    list.iter()
        .map(|item| {
            item.as_str()
                .ok_or_else(|| AppError::invalid(field, "every item must be a string"))
        })
        .collect()
}
