//! Which column of a table is which. The older systems have no common schema, so columns are found by their names.

use super::gather::FileError;

/// Something a column can hold for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    DiscordId,
    SteamId,
    DiscordName,
    SteamName,
    Booster,
    Groups,
    LinkedAt,
    EndedAt,
    Cause,
}

/// One of the two tables of an older system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Who is linked.
    Users,
    /// Who was.
    Removed,
}

/// The name of each field for `--column`, and the column names it is known by, the best one first.
/// Compared without case and without anything but letters and digits.
pub const FIELDS: [(Field, &str, &[&str]); 9] = {
    use Field::*;
    [
        (
            DiscordId,
            "discord_id",
            &["discordid", "discorduserid", "discorduser", "discord", "did"],
        ),
        (
            SteamId,
            "steam_id",
            &[
                "steamid",
                "steamid64",
                "steam64id",
                "steam64",
                "steamuserid",
                "steam",
                "sid",
            ],
        ),
        (
            DiscordName,
            "discord_name",
            &[
                "discordname",
                "discordusername",
                "discordtag",
                "discorddisplayname",
            ],
        ),
        (
            SteamName,
            "steam_name",
            &[
                "steamname",
                "steamusername",
                "steamdisplayname",
                "personaname",
                "steampersona",
            ],
        ),
        (
            Booster,
            "booster",
            &[
                "booster",
                "isbooster",
                "boosting",
                "boost",
                "nitro",
                "isnitro",
                "hasnitro",
                "nitrostatus",
                "discordnitro",
            ],
        ),
        (
            Groups,
            "oxide_groups",
            &[
                "oxidegroups",
                "oxidegroup",
                "groups",
                "usergroups",
                "permissiongroups",
            ],
        ),
        (
            LinkedAt,
            "linked_at",
            &[
                "linkedat",
                "linkdate",
                "datelinked",
                "linked",
                "createdat",
                "created",
                "registeredat",
                "joindate",
            ],
        ),
        (
            EndedAt,
            "removed_at",
            &[
                "removedat",
                "removeddate",
                "dateremoved",
                "removed",
                "unlinkedat",
                "unlinked",
                "deletedat",
                "deleted",
                "endedat",
            ],
        ),
        (
            Cause,
            "cause",
            &["cause", "reason", "removedreason", "removereason"],
        ),
    ]
};

/// Names that say "when" without saying of what: the link's time in one table, its end in the other.
const PLAIN_TIMES: [&str; 5] = ["timestamp", "date", "datetime", "time", "at"];

/// A column chosen by hand: `FIELD=NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    field: Field,
    name: String,
}

impl Chosen {
    /// Refuses a field that there is not, with those that there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (field, name) = text
            .split_once('=')
            .ok_or("use FIELD=NAME, such as steam_id=player")?;
        let known = FIELDS.iter().find(|(_, label, _)| *label == field.trim());
        match known {
            Some((field, _, _)) => Ok(Self {
                field: *field,
                name: name.trim().to_owned(),
            }),
            None => Err(format!(
                "there is no field {field}; fields are {}",
                FIELDS.map(|(_, label, _)| label).join(", ")
            )),
        }
    }
}

/// Where each field stands in the rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    places: [Option<usize>; FIELDS.len()],
    /// Columns that nothing is taken from.
    pub ignored: Vec<String>,
}

impl Mapping {
    /// Finds the fields, or says which of the two ids has no column.
    pub fn find(table: Table, columns: &[String], chosen: &[Chosen]) -> Result<Self, FileError> {
        let places = FIELDS.map(|(field, _, aliases)| place(table, field, aliases, columns, chosen));
        for (index, (field, label, _)) in FIELDS.iter().enumerate() {
            if matches!(field, Field::DiscordId | Field::SteamId) && places[index].is_none() {
                return Err(FileError::NoColumn {
                    field: label,
                    columns: columns.join(", "),
                });
            }
        }
        let used = |index: &usize| places.contains(&Some(*index));
        let ignored = (0..columns.len()).filter(|index| !used(index));
        Ok(Self {
            ignored: ignored.map(|index| columns[index].clone()).collect(),
            places,
        })
    }

    pub fn place(&self, field: Field) -> Option<usize> {
        let index = FIELDS.iter().position(|(known, _, _)| *known == field)?;
        self.places[index]
    }

    /// The fields that were found and the columns they were found in.
    pub fn used<'a>(&self, columns: &'a [String]) -> Vec<(&'static str, &'a str)> {
        let found = FIELDS.iter().zip(self.places);
        found
            .filter_map(|((_, label, _), place)| Some((*label, columns.get(place?)?.as_str())))
            .collect()
    }
}

fn place(
    table: Table,
    field: Field,
    aliases: &[&str],
    columns: &[String],
    chosen: &[Chosen],
) -> Option<usize> {
    if let Some(choice) = chosen.iter().rev().find(|choice| choice.field == field) {
        return columns
            .iter()
            .position(|column| plain(column) == plain(&choice.name));
    }
    let by_name = |name: &&str| columns.iter().position(|column| plain(column) == **name);
    let means_time = match table {
        Table::Users => field == Field::LinkedAt,
        Table::Removed => field == Field::EndedAt,
    };
    let times: &[&str] = if means_time { &PLAIN_TIMES } else { &[] };
    aliases.iter().chain(times).find_map(by_name)
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn found(table: Table, names: &[&str], field: Field) -> Option<usize> {
        Mapping::find(table, &columns(names), &[]).unwrap().place(field)
    }

    #[test]
    fn columns_are_found_by_any_of_their_names_in_any_spelling() {
        let names = [
            "id",
            "DiscordID",
            "STEAM_ID64",
            "Nitro",
            "oxide groups",
            "created_at",
        ];
        assert_eq!(found(Table::Users, &names, Field::DiscordId), Some(1));
        assert_eq!(found(Table::Users, &names, Field::SteamId), Some(2));
        assert_eq!(found(Table::Users, &names, Field::Booster), Some(3));
        assert_eq!(found(Table::Users, &names, Field::Groups), Some(4));
        assert_eq!(found(Table::Users, &names, Field::LinkedAt), Some(5));
        assert_eq!(found(Table::Users, &names, Field::Cause), None);
    }

    #[test]
    fn the_better_name_wins_and_the_other_column_is_ignored() {
        let names = ["steam", "steam_id", "discord_id", "x"];
        let mapping = Mapping::find(Table::Users, &columns(&names), &[]).unwrap();
        assert_eq!(mapping.place(Field::SteamId), Some(1));
        assert_eq!(mapping.ignored, ["steam", "x"]);
        assert_eq!(
            mapping.used(&columns(&names)),
            [("discord_id", "discord_id"), ("steam_id", "steam_id")]
        );
    }

    #[test]
    fn a_bare_time_is_the_link_in_one_table_and_its_end_in_the_other() {
        let names = ["discord", "steam", "timestamp"];
        assert_eq!(found(Table::Users, &names, Field::LinkedAt), Some(2));
        assert_eq!(found(Table::Users, &names, Field::EndedAt), None);
        assert_eq!(found(Table::Removed, &names, Field::EndedAt), Some(2));
        assert_eq!(found(Table::Removed, &names, Field::LinkedAt), None);
    }

    #[test]
    fn a_table_without_an_id_is_refused_with_what_to_do() {
        let error = Mapping::find(Table::Users, &columns(&["discord_id", "player"]), &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no column holds the steam id; there are discord_id, player"
        );
        let chosen = [Chosen::parse("steam_id=Player").unwrap()];
        let mapping = Mapping::find(Table::Users, &columns(&["discord_id", "player"]), &chosen).unwrap();
        assert_eq!(mapping.place(Field::SteamId), Some(1));
        assert!(Mapping::find(Table::Users, &columns(&["discord_id", "steam_id"]), &chosen).is_err());
    }

    #[test]
    fn a_choice_names_a_known_field() {
        assert!(Chosen::parse("steam_id").is_err());
        assert!(
            Chosen::parse("shoe_size=x")
                .unwrap_err()
                .contains("fields are discord_id, steam_id")
        );
    }

    #[test]
    fn the_guide_lists_the_names_of_every_column() {
        let guide = include_str!("../../../../../docs/migrating.md");
        let in_ticks =
            |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(plain).collect() };
        for (_, label, names) in FIELDS {
            let start = format!("| `{label}` |");
            let line = guide.lines().find_map(|line| line.strip_prefix(&start));
            assert_eq!(in_ticks(line.expect(label)), names, "{label}");
        }
        let bare = guide.split("A column that is only called").nth(1).unwrap();
        assert_eq!(in_ticks(bare)[..PLAIN_TIMES.len()], PLAIN_TIMES);
    }

    #[test]
    fn no_name_stands_for_two_fields() {
        let mut all: Vec<&str> = FIELDS
            .iter()
            .flat_map(|(_, _, names)| names.iter().copied())
            .collect();
        all.extend(PLAIN_TIMES);
        assert!(all.iter().all(|name| plain(name) == *name));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
