//! A row for each table that no unit of the fixture writes, where there is none yet.

/// A row for each Guild or Server that has none, in the tables that game servers and bots fill.
pub const PLAYER_TABLES: [&str; 57] = [
    "INSERT INTO payers (org_num, id, customer_id, wanted, read_wanted, asked_at, read_at, created_at)
     SELECT num, 'pay_' || id, 'cus_' || id, 2, 1, 3, 4, 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM payers)",
    "INSERT INTO checkouts (id, org_num, guild_num, offer, session_id, url, account_id, created_at, expires_at, ended_at)
     SELECT 'chk_' || id, org_num, num, 'bot_month', 'cs_1', 'https://x', 'usr_1', 1, 2, 3
     FROM guilds WHERE num NOT IN (SELECT guild_num FROM checkouts WHERE guild_num IS NOT NULL)",
    "INSERT INTO subscriptions (id, org_num, guild_num, status, tier, bot, pay_interval, told_at, started_at, period_end,
         cancel_at, ended_at, checkout_id, listed)
     SELECT 'sub_' || id, org_num, num, 'canceled', NULL, 1, 'month', 1, 2, 3, 4, 5, 'chk_1', 0
     FROM guilds WHERE num NOT IN (SELECT guild_num FROM subscriptions WHERE guild_num IS NOT NULL)",
    "INSERT INTO stripe_events (id, org_num, received_at)
     SELECT 'evt_' || id, num, 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM stripe_events)",
    "INSERT INTO tier_grants (org_num, tier, ends_at, created_at)
     SELECT num, tier, 5, 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM tier_grants)",
    "INSERT INTO tombstones (org_num, tombstone, erased_at, alias)
     SELECT num, 'x:' || id, 1, NULL FROM orgs WHERE num NOT IN (SELECT org_num FROM tombstones)",
    "INSERT INTO erased_members (guild_num, org_num, tombstone, sealed, sealed_kid, ends_at)
     SELECT num, org_num, 'x:' || id, 's', 'k1', 2 FROM guilds WHERE num NOT IN (SELECT guild_num FROM erased_members)",
    "INSERT INTO stat_days (org_num, day, guild_num, what, times)
     SELECT num, 1, 0, 'country:NL', 2 FROM orgs WHERE num NOT IN (SELECT org_num FROM stat_days)",
    "INSERT INTO idempotency_keys (account_num, route, key_hash, request_hash, made, ends_at)
     SELECT num, '/orgs', id, 'a', id, 1 FROM accounts WHERE num NOT IN (SELECT account_num FROM idempotency_keys)",
    "INSERT INTO sign_ins (hash, purpose, state_hash, verifier_sealed, return_to, ends_at)
     SELECT id, 'dashboard', 'a', 'b', '/app/', 1 FROM guilds WHERE id NOT IN (SELECT hash FROM sign_ins)",
    "INSERT INTO managed_guilds (account_num, discord_guild_id, name, seen_at)
     SELECT num, discord_id, name, 1 FROM accounts WHERE num NOT IN (SELECT account_num FROM managed_guilds)",
    "INSERT INTO invites (id, org_num, code_hash, sealed, sealed_kid, role, permissions, note, account_num, created_at)
     SELECT 'inv_' || substr(id, 5), num, id, 's', 'k1', 'staff', 0, 'a	b', owner_account_num, 1 FROM orgs
     WHERE num NOT IN (SELECT org_num FROM invites)",
    "INSERT INTO registration_codes (hash, note, created_at)
     SELECT id, '', 1 FROM orgs WHERE id NOT IN (SELECT hash FROM registration_codes)",
    "INSERT INTO flows (hash, org_num, guild_num, purpose, created_at, touched_at)
     SELECT id, org_num, num, 'link', 1, 2 FROM guilds WHERE num NOT IN (SELECT guild_num FROM flows)",
    "INSERT INTO flow_trips (hash, flow, provider, ends_at)
     SELECT hash, hash, 'steam', 1 FROM flows WHERE hash NOT IN (SELECT flow FROM flow_trips)",
    "INSERT INTO openid_nonces (nonce, seen_at)
     SELECT id, 1 FROM guilds WHERE id NOT IN (SELECT nonce FROM openid_nonces)",
    "INSERT INTO blocklist (entry, id, reason, created_at, expires_at)
     SELECT id, id, 'a	b', 1, NULL FROM guilds WHERE id NOT IN (SELECT entry FROM blocklist)",
    "INSERT INTO navigation_links (org_num, position, label, url)
     SELECT num, 0, 'a', 'https://example.com/' FROM orgs WHERE num NOT IN (SELECT org_num FROM navigation_links)",
    "INSERT INTO boosters (guild_num, org_num, discord_id, since)
     SELECT num, org_num, discord_guild_id, 1 FROM guilds WHERE num NOT IN (SELECT guild_num FROM boosters)",
    "INSERT INTO server_players (server_num, guild_num, org_num, steam_id, oxide_groups, reported_at, seen_at)
     SELECT num, guild_num, org_num,
            COALESCE((SELECT MIN(l.steam_id) FROM links l WHERE l.guild_num = servers.guild_num AND l.ended_at IS NULL), '0'),
            '[\"a\tb\"]', 2, NULL FROM servers
     WHERE num NOT IN (SELECT server_num FROM server_players)",
    "INSERT INTO group_changes (server_num, guild_num, org_num, steam_id, group_name, action, created_at)
     SELECT num, guild_num, org_num, '76561197960265728', 'vip', 'add', 3 FROM servers
     WHERE num NOT IN (SELECT server_num FROM group_changes)",
    "INSERT INTO role_mappings (id, server_num, guild_num, org_num, group_name, role_id, direction, authority, on_loss, position)
     SELECT 'map_' || substr(id, 5), num, guild_num, org_num, 'vip', '800000000000000009', 'both', 'game', 'keep', 0 FROM servers
     WHERE num NOT IN (SELECT server_num FROM role_mappings)",
    "INSERT INTO role_marks (guild_num, org_num, discord_id, gen, cause, marked_at, place)
     SELECT num, org_num, discord_guild_id, 3, 'link', 4, 5 FROM guilds WHERE num NOT IN (SELECT guild_num FROM role_marks)",
    "INSERT INTO role_grants (guild_num, org_num, discord_id, role_id, server_num, granted_at)
     SELECT guild_num, org_num, '700000000000000001', '800000000000000009', num, 5 FROM servers
     WHERE num NOT IN (SELECT server_num FROM role_grants)",
    "INSERT INTO role_members (guild_num, org_num, discord_id, given, looked_at)
     SELECT num, org_num, discord_guild_id, '[\"800000000000000009\"]', 6 FROM guilds
     WHERE num NOT IN (SELECT guild_num FROM role_members)",
    "INSERT INTO role_ledger (guild_num, org_num, link_num, side, change, role_id, source, cause, result, at)
     SELECT guild_num, org_num, num, 'discord', 'add', '800000000000000009', 'rule', 'link', 'done', 7 FROM links
     WHERE num NOT IN (SELECT link_num FROM role_ledger)",
    "INSERT INTO bots (id, kind, org_num, guild_num, secret_hash, secret_sealed, secret_kid, version, created_at, rotated_at)
     SELECT discord_guild_id, 'dedicated', org_num, num, id, 's', 'k1', 1, 1, 2 FROM guilds
     WHERE num NOT IN (SELECT guild_num FROM bots)",
    "INSERT INTO dedicated_bots (id, org_num, guild_num, bot_user_id, name, token_sealed, token_kid, token_version, token_last4,
         token_saved_at, step, reason, attempts, next_at, exits, restarted_at, restart_reason, shared_present, created_at)
     SELECT 'bot_' || id, org_num, num, id, 'b', 's', 'k1', 2, 'abcd', 3, 'failed', 'crash_loop', 4, 5, '[6]', 7, 'crashed', 1, 8
     FROM guilds WHERE num NOT IN (SELECT guild_num FROM dedicated_bots)",
    "INSERT INTO guild_bots (guild_num, org_num, present, permissions)
     SELECT num, org_num, 1, 9007199254740993 FROM guilds WHERE num NOT IN (SELECT guild_num FROM guild_bots)",
    "INSERT INTO discord_roles (guild_num, org_num, id, name, position)
     SELECT num, org_num, discord_guild_id, 'a	b', 3 FROM guilds WHERE num NOT IN (SELECT guild_num FROM discord_roles)",
    "INSERT INTO discord_channels (guild_num, org_num, id, name, position, kind)
     SELECT num, org_num, discord_guild_id, 'a	b', 3, 0 FROM guilds WHERE num NOT IN (SELECT guild_num FROM discord_channels)",
    "INSERT INTO interactions (id, seen_at)
     SELECT id, 1 FROM guilds WHERE id NOT IN (SELECT id FROM interactions)",
    "INSERT INTO pictures (owner, source, digest, content_type, kept_at)
     SELECT id, 'a	b', 'c', 'image/png', 1 FROM guilds WHERE id NOT IN (SELECT owner FROM pictures)",
    "INSERT INTO log_batches (guild_num, org_num, body, last_job, created_at)
     SELECT num, org_num, '{\"a\":\"b	c\"}', 7, 5 FROM guilds WHERE num NOT IN (SELECT guild_num FROM log_batches)",
    "INSERT INTO key_refusals (key_num, hour, code, calls)
     SELECT num, 9007199254740993, 'INVALID_PARAMETER', 5 FROM api_keys WHERE num NOT IN (SELECT key_num FROM key_refusals)",
    "UPDATE servers SET plugin_stamp = '0123456789ab' WHERE plugin_stamp IS NULL",
    "INSERT INTO person_words (org_num, word, person_num)
     SELECT org_num, 'a', num FROM people WHERE num NOT IN (SELECT person_num FROM person_words)",
    "INSERT INTO person_servers (server_num, person_num, linked_at)
     SELECT s.server_num, l.person_num, 1 FROM person_places l
     JOIN server_players s ON s.guild_num = l.guild_num AND s.steam_id = l.steam_id
     WHERE l.person_num NOT IN (SELECT person_num FROM person_servers)",
    "INSERT INTO person_marks (org_num, steam_id)
     SELECT num, '76561197960265728' FROM orgs WHERE num NOT IN (SELECT org_num FROM person_marks)",
    "INSERT INTO trust_points (person_num, at, score, stability, cross_server, age, multi)
     SELECT num, 1, 56, 100, 5, 0, 100 FROM people WHERE num NOT IN (SELECT person_num FROM trust_points)",
    "INSERT INTO trust_settings (org_num, keywords, colours, revision)
     SELECT num, '[]', '{}', 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM trust_settings)",
    "INSERT INTO chosen_links (org_num, link_num)
     SELECT org_num, num FROM links WHERE num NOT IN (SELECT link_num FROM chosen_links)",
    "INSERT INTO player_seen (org_num, steam_id, seen_at)
     SELECT num, '76561197960265728', 5 FROM orgs WHERE num NOT IN (SELECT org_num FROM player_seen)",
    "INSERT INTO guild_days (guild_num, org_num, day)
     SELECT num, org_num, 20000 FROM guilds WHERE num NOT IN (SELECT guild_num FROM guild_days)",
    "INSERT INTO cleanup_settings (org_num, enabled, days, grace_days, revision)
     SELECT num, 0, 90, 7, 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM cleanup_settings)",
    "INSERT INTO dormant_links (link_num, org_num, kept_at)
     SELECT num, org_num, 5 FROM links WHERE ended_at IS NULL AND num NOT IN (SELECT link_num FROM dormant_links)",
    "INSERT INTO imports (id, org_num, guild_num, kind, state, about, result, created_at, touched_at)
     SELECT 'imp_' || substr(id, 5), org_num, num, 'dump', 'checked', '{}', '{\"a\":\"b	c\"}', 5, 6 FROM guilds
     WHERE num NOT IN (SELECT guild_num FROM imports)",
    "INSERT INTO import_rows (import_num, org_num, row_no, part, place, line, body, reason)
     SELECT num, org_num, 1, 'users', 1, 2, NULL, 'a	b' FROM imports WHERE num NOT IN (SELECT import_num FROM import_rows)",
    "INSERT INTO visits (account_num, org_num, reason, can_write, began_at, ends_at)
     SELECT owner_account_num, num, 'a	b', 1, 5, 6 FROM orgs WHERE num NOT IN (SELECT org_num FROM visits)",
    "INSERT INTO announcements (id, severity, target, body, starts_at, ends_at, created_at, created_by)
     SELECT 'ann_' || substr(id, 5), 'info', 'all', 'a	b', 1, NULL, 1, NULL FROM orgs
     WHERE 'ann_' || substr(id, 5) NOT IN (SELECT id FROM announcements)",
    "INSERT INTO announcement_dismissals (announcement_num, account_num, dismissed_at)
     SELECT a.num, o.owner_account_num, 5 FROM announcements a JOIN orgs o ON substr(o.id, 5) = substr(a.id, 5)
     WHERE a.num NOT IN (SELECT announcement_num FROM announcement_dismissals)",
    "INSERT INTO flags (name, is_on, set_at, set_by)
     SELECT id, 1, 5, NULL FROM orgs WHERE id NOT IN (SELECT name FROM flags)",
    "INSERT INTO operator_alerts (code, place, told_at, untold, seen_at, request_id, number, attempts)
     SELECT 'INTERNAL', id, 5, 2, 6, NULL, 1, 0 FROM orgs WHERE id NOT IN (SELECT place FROM operator_alerts)",
    "INSERT INTO alert_budget (one, told, open_until, number)
     SELECT 1, '[5]', 0, 1 FROM orgs WHERE NOT EXISTS (SELECT 1 FROM alert_budget) LIMIT 1",
    "INSERT INTO webhook_endpoints (id, org_num, url, created_at)
     SELECT 'whk_' || substr(id, 5), num, 'https://example.com/a	b', 1 FROM orgs
     WHERE num NOT IN (SELECT org_num FROM webhook_endpoints)",
    "INSERT INTO webhook_secrets (id, endpoint_num, sealed, sealed_kid)
     SELECT 'whs_' || substr(id, 5), num, 's', 'k1' FROM webhook_endpoints
     WHERE num NOT IN (SELECT endpoint_num FROM webhook_secrets)",
    "INSERT INTO webhook_deliveries (endpoint_num, org_num, guild_num, link_id, event, created_at, begun_at, next_at)
     SELECT e.num, l.org_num, l.guild_num, l.id, 'link.created', 5, 5, 6 FROM links l JOIN webhook_endpoints e ON e.org_num = l.org_num
     WHERE l.id NOT IN (SELECT link_id FROM webhook_deliveries)",
];
