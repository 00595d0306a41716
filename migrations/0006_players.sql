-- What game servers and bots report about players, and what waits to be passed on to them.

ALTER TABLE links ADD COLUMN discord_name TEXT;
ALTER TABLE links ADD COLUMN steam_name TEXT;
-- The nickname that was last set on Discord, and whether another one is wanted.
ALTER TABLE links ADD COLUMN nickname TEXT;
ALTER TABLE links ADD COLUMN nickname_pending BIGINT NOT NULL DEFAULT 0 CHECK (nickname_pending IN (0, 1));
CREATE INDEX links_nickname_pending ON links (guild_num, num) WHERE nickname_pending = 1 AND ended_at IS NULL;

-- Roles as JSON arrays of Discord ids: given to everyone linked, given to boosters, and allowed to plugins.
ALTER TABLE guilds ADD COLUMN verified_roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE guilds ADD COLUMN booster_roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE guilds ADD COLUMN plugin_roles TEXT NOT NULL DEFAULT '[]';

-- For one very old client: the two id look-ups answer bare digits.
ALTER TABLE servers ADD COLUMN bare_ids BIGINT NOT NULL DEFAULT 0 CHECK (bare_ids IN (0, 1));
ALTER TABLE orgs ADD COLUMN refuse_query_keys BIGINT NOT NULL DEFAULT 0 CHECK (refuse_query_keys IN (0, 1));

CREATE TABLE boosters (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (guild_num, discord_id),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

-- One row per player and Server: reported groups, which roles followed from them, when they were last seen.
CREATE TABLE server_players (
  server_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  steam_id TEXT NOT NULL,
  oxide_groups TEXT,
  reported_at BIGINT,
  roles_synced TEXT,
  roles_pending BIGINT NOT NULL DEFAULT 0 CHECK (roles_pending IN (0, 1)),
  seen_at BIGINT,
  PRIMARY KEY (server_num, steam_id),
  FOREIGN KEY (server_num, guild_num, org_num) REFERENCES servers (num, guild_num, org_num) ON DELETE CASCADE
);
CREATE INDEX server_players_pending ON server_players (server_num, steam_id) WHERE roles_pending = 1;

-- Group changes that a game server is to fetch; one per player and group, the newest wins.
CREATE TABLE group_changes (
  server_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  steam_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove')),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (server_num, steam_id, group_name),
  FOREIGN KEY (server_num, guild_num, org_num) REFERENCES servers (num, guild_num, org_num) ON DELETE CASCADE
);

-- Role changes that plugins asked for and the bot is to make; one per member and role, the newest wins.
CREATE TABLE role_changes (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('add', 'remove')),
  requested_at BIGINT NOT NULL,
  PRIMARY KEY (guild_num, discord_id, role_id),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
