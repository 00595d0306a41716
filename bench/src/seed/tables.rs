//! The rows, table by table, in an order that satisfies the foreign keys. Row numbers count from 1 in every table.

use std::collections::BTreeMap;

use domain::action::ActionSet;
use domain::key::KeyKind;
use domain::plan::Tier;

use crate::data::{
    CREATED_AT_MS, Dataset, TENANTS, Tenant, VIP_ROLE, discord_guild_id, discord_id, guild_slug, steam_id,
};

const DAY_MS: i64 = 24 * 60 * 60_000;

pub enum Cell {
    Int(i64),
    Text(String),
}

pub struct Table<'a> {
    pub name: &'static str,
    pub columns: &'static [&'static str],
    pub rows: Box<dyn Iterator<Item = Vec<Cell>> + Send + 'a>,
}

impl<'a> Table<'a> {
    fn per_tenant(
        name: &'static str,
        columns: &'static [&'static str],
        data: &'a Dataset,
        row: impl Fn(u64, &Tenant) -> Vec<Cell> + Send + 'a,
    ) -> Self {
        let rows = data.rows().map(move |(number, tenant)| row(number, tenant));
        Self {
            name,
            columns,
            rows: Box::new(rows),
        }
    }
}

/// Everything the product would have written for these tenants, but for their history.
pub fn tables(data: &Dataset) -> Vec<Table<'_>> {
    vec![
        accounts(data),
        orgs(data),
        org_usage(data),
        audit_heads(data),
        guilds(data),
        servers(data),
        api_keys(data),
        links(data),
        link_days(data),
        server_players(data),
        discord_roles(data),
        role_members(data),
    ]
}

fn int(value: u64) -> Cell {
    Cell::Int(value.cast_signed())
}

fn text(value: impl ToString) -> Cell {
    Cell::Text(value.to_string())
}

/// Nobody's people are gone through by themselves while something is measured.
const NEVER_DUE_MS: i64 = 4_000_000_000_000;

fn accounts(data: &Dataset) -> Table<'_> {
    let row = vec![
        text(&data.owner),
        text("100000000000000001"),
        text("Owner"),
        int(TENANTS + 1),
        Cell::Int(CREATED_AT_MS),
    ];
    Table {
        name: "accounts",
        columns: &["id", "discord_id", "name", "orgs_owned", "created_at"],
        rows: Box::new(std::iter::once(row)),
    }
}

fn orgs(data: &Dataset) -> Table<'_> {
    let columns = &[
        "id",
        "slug",
        "name",
        "tier",
        "owner_account_num",
        "created_at",
        "people_swept_at",
    ];
    Table::per_tenant("orgs", columns, data, |number, tenant| {
        let (slug, name) = (format!("org-{number}"), format!("Org {number}"));
        vec![
            text(&tenant.org),
            text(slug),
            text(name),
            text(Tier::Pro.as_str()),
            int(1),
            Cell::Int(CREATED_AT_MS),
            Cell::Int(NEVER_DUE_MS),
        ]
    })
}

fn org_usage(data: &Dataset) -> Table<'_> {
    Table::per_tenant(
        "org_usage",
        &["org_num", "guilds", "servers", "links"],
        data,
        |number, _| vec![int(number), int(1), int(1), int(data.links_of(number))],
    )
}

fn audit_heads(data: &Dataset) -> Table<'_> {
    Table::per_tenant("audit_heads", &["chain", "seq", "hash"], data, |number, _| {
        vec![int(number), int(0), text("")]
    })
}

fn guilds(data: &Dataset) -> Table<'_> {
    let columns = &[
        "id",
        "org_num",
        "discord_guild_id",
        "slug",
        "name",
        "active_links",
        "created_at",
    ];
    Table::per_tenant("guilds", columns, data, |number, tenant| {
        vec![
            text(&tenant.guild),
            int(number),
            text(discord_guild_id(number)),
            text(guild_slug(number)),
            text(format!("Guild {number}")),
            int(data.links_of(number)),
            Cell::Int(CREATED_AT_MS),
        ]
    })
}

fn servers(data: &Dataset) -> Table<'_> {
    let columns = &["id", "org_num", "guild_num", "name", "created_at"];
    Table::per_tenant("servers", columns, data, |number, tenant| {
        let name = format!("Server {number}");
        vec![
            text(&tenant.server),
            int(number),
            int(number),
            text(name),
            Cell::Int(CREATED_AT_MS),
        ]
    })
}

fn api_keys(data: &Dataset) -> Table<'_> {
    let columns = &[
        "id",
        "org_num",
        "guild_num",
        "server_num",
        "kind",
        "actions",
        "tier",
        "hash",
        "prefix",
        "sealed",
        "sealed_kid",
        "version",
        "created_at",
        "rotated_at",
    ];
    Table::per_tenant("api_keys", columns, data, |number, tenant| {
        vec![
            text(&tenant.key_id),
            int(number),
            int(number),
            int(number),
            text(KeyKind::Plugin.as_str()),
            Cell::Int(ActionSet::PLUGIN.bits()),
            text("pro"),
            text(tenant.key.hash().as_str()),
            text(tenant.key.prefix()),
            // As long as a real one; nothing here reveals a key.
            text("-".repeat(130)),
            text("k1"),
            int(1),
            Cell::Int(CREATED_AT_MS),
            Cell::Int(CREATED_AT_MS),
        ]
    })
}

fn links(data: &Dataset) -> Table<'_> {
    let rows = data.all_links().map(|(tenant, number, id)| {
        let at_ms = CREATED_AT_MS + number.cast_signed();
        vec![
            text(id),
            int(tenant),
            int(tenant),
            text(discord_id(number)),
            text(steam_id(number)),
            text("DE"),
            Cell::Int(at_ms),
            Cell::Int(at_ms),
        ]
    });
    Table {
        name: "links",
        columns: &[
            "id",
            "org_num",
            "guild_num",
            "discord_id",
            "steam_id",
            "country",
            "linked_at",
            "verified_at",
        ],
        rows: Box::new(rows),
    }
}

/// The same links by the day they began.
fn link_days(data: &Dataset) -> Table<'_> {
    let mut counted: BTreeMap<(u64, i64), u64> = BTreeMap::new();
    for (tenant, number, _) in data.all_links() {
        let day = (CREATED_AT_MS + number.cast_signed()) / DAY_MS;
        *counted.entry((tenant, day)).or_default() += 1;
    }
    let rows = counted.into_iter().map(|((tenant, day), times)| {
        vec![
            int(tenant),
            int(tenant),
            Cell::Int(day),
            text("linked"),
            int(times),
        ]
    });
    Table {
        name: "link_days",
        columns: &["guild_num", "org_num", "day", "what", "times"],
        rows: Box::new(rows),
    }
}

/// Players that the Server of the large Guild has seen. They go with the Guild.
fn server_players(data: &Dataset) -> Table<'_> {
    let of_large = data.all_links().filter(|(row, _, _)| *row > TENANTS);
    Table {
        name: "server_players",
        columns: &[
            "server_num",
            "guild_num",
            "org_num",
            "steam_id",
            "seen_at",
            "oxide_groups",
            "reported_at",
        ],
        rows: Box::new(of_large.map(|(row, number, _)| {
            vec![
                int(row),
                int(row),
                int(row),
                text(steam_id(number)),
                Cell::Int(CREATED_AT_MS),
                // Half of them are in the group that a rule will name.
                text(if number.is_multiple_of(2) {
                    r#"["vip"]"#
                } else {
                    "[]"
                }),
                Cell::Int(CREATED_AT_MS),
            ]
        })),
    }
}

/// The role that a rule will name, in the Discord server of the large Guild.
fn discord_roles(data: &Dataset) -> Table<'_> {
    let large = data.rows().filter(|(row, _)| *row > TENANTS);
    Table {
        name: "discord_roles",
        columns: &["guild_num", "org_num", "id", "name", "position"],
        rows: Box::new(large.map(|(row, _)| vec![int(row), int(row), text(VIP_ROLE), text("VIP"), int(1)])),
    }
}

/// What the members of the large Guild had at the last look.
fn role_members(data: &Dataset) -> Table<'_> {
    let of_large = data.all_links().filter(|(row, _, _)| *row > TENANTS);
    Table {
        name: "role_members",
        columns: &["guild_num", "org_num", "discord_id", "roles", "looked_at"],
        rows: Box::new(of_large.map(|(row, number, _)| {
            vec![
                int(row),
                int(row),
                text(discord_id(number)),
                text("[]"),
                Cell::Int(CREATED_AT_MS),
            ]
        })),
    }
}
