-- Roles on Discord and groups in the game, kept in line with each other.

ALTER TABLE guilds ADD COLUMN nickname_template TEXT;
-- Whether whoever has the role can administer the Discord server, whatever else stands against it.
ALTER TABLE discord_roles ADD COLUMN powerful BIGINT NOT NULL DEFAULT 0 CHECK (powerful IN (0, 1));
-- One more with every save of a Server's rules.
ALTER TABLE servers ADD COLUMN roles_revision BIGINT NOT NULL DEFAULT 0 CHECK (roles_revision >= 0);
-- Groups that we put there; a JSON array.
ALTER TABLE server_players ADD COLUMN put_groups TEXT NOT NULL DEFAULT '[]';
-- Changes of ours stay until the game server shows them: `rule` tells ours, `taken_at` when the plugin took it, `asks` how
-- often it was asked for before in vain.
ALTER TABLE group_changes ADD COLUMN rule TEXT;
ALTER TABLE group_changes ADD COLUMN taken_at BIGINT;
ALTER TABLE group_changes ADD COLUMN asks BIGINT NOT NULL DEFAULT 0 CHECK (asks >= 0);

CREATE INDEX group_changes_ends ON group_changes (server_num) WHERE rule = 'end' AND taken_at IS NOT NULL;

CREATE TABLE role_mappings (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  server_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  group_name TEXT NOT NULL,
  role_id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('to_discord', 'to_game', 'both')),
  authority TEXT NOT NULL CHECK (authority IN ('discord', 'game')),
  on_loss TEXT NOT NULL CHECK (on_loss IN ('remove', 'keep')),
  position BIGINT NOT NULL,
  -- The Owner lets it give a powerful role.
  confirmed BIGINT NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
  FOREIGN KEY (server_num, guild_num, org_num) REFERENCES servers (num, guild_num, org_num) ON DELETE CASCADE
);
CREATE INDEX role_mappings_server ON role_mappings (server_num, group_name);
CREATE INDEX role_mappings_guild ON role_mappings (guild_num, position, num);

-- Members to be looked at. However often somebody is marked, it is one row with another number.
CREATE TABLE role_marks (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  gen BIGINT NOT NULL,
  cause TEXT NOT NULL,
  -- Bulk work comes after what somebody waits for.
  rank BIGINT NOT NULL DEFAULT 0 CHECK (rank IN (0, 1)),
  marked_at BIGINT NOT NULL,
  -- The lower, the sooner. Of people somebody waits for the newest come first, of many the oldest.
  place BIGINT NOT NULL,
  PRIMARY KEY (guild_num, discord_id),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX role_marks_order ON role_marks (guild_num, rank, place, discord_id);

-- Roles that plugins gave. By a Server, or by a key that records none.
CREATE TABLE role_grants (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  server_num BIGINT NOT NULL DEFAULT 0,
  key_num BIGINT NOT NULL DEFAULT 0,
  granted_at BIGINT NOT NULL,
  PRIMARY KEY (guild_num, discord_id, role_id, server_num, key_num),
  CHECK ((server_num = 0) <> (key_num = 0)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

-- What is remembered of a member between two looks. Lists are JSON arrays of Discord ids, `base` is an object from rule to
-- what both sides agreed on. `roles` is what they had at the last look.
CREATE TABLE role_members (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  given TEXT NOT NULL DEFAULT '[]',
  owed TEXT NOT NULL DEFAULT '[]',
  base TEXT NOT NULL DEFAULT '{}',
  roles TEXT,
  looked_at BIGINT,
  -- Why a role could not be given or taken, and which.
  problem TEXT,
  problem_role TEXT,
  -- The nickname that we set, and the one that was there before.
  nick_set TEXT,
  nick_before TEXT,
  nick_problem TEXT,
  PRIMARY KEY (guild_num, discord_id),
  CHECK ((problem IS NULL) = (problem_role IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX role_members_owed ON role_members (guild_num, discord_id) WHERE owed <> '[]';
CREATE INDEX role_members_problem ON role_members (guild_num, problem_role) WHERE problem IS NOT NULL;

-- Every change, by our own ids: whose it was is told by the link.
CREATE TABLE role_ledger (
  num SERIAL_KEY,
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  link_num BIGINT NOT NULL,
  server_num BIGINT,
  side TEXT NOT NULL CHECK (side IN ('discord', 'game')),
  change TEXT NOT NULL CHECK (change IN ('add', 'remove')),
  role_id TEXT,
  group_name TEXT,
  source TEXT NOT NULL,
  rule TEXT,
  cause TEXT NOT NULL,
  was BIGINT CHECK (was IN (0, 1)),
  became BIGINT CHECK (became IN (0, 1)),
  result TEXT NOT NULL CHECK (result IN ('done', 'waiting', 'cannot', 'gone')),
  reason TEXT,
  at BIGINT NOT NULL,
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX role_ledger_guild ON role_ledger (guild_num, num);
CREATE INDEX role_ledger_link ON role_ledger (link_num, num);
CREATE INDEX role_ledger_age ON role_ledger (at);

-- What waited to be done becomes a look at those it was about.
INSERT INTO role_marks (guild_num, org_num, discord_id, gen, cause, rank, marked_at, place)
SELECT guild_num, org_num, discord_id, 1, 'settings', 1, MIN(requested_at), MIN(requested_at)
FROM role_changes
WHERE EXISTS (
  SELECT 1 FROM links l
  WHERE l.guild_num = role_changes.guild_num AND l.discord_id = role_changes.discord_id AND l.ended_at IS NULL
)
GROUP BY guild_num, org_num, discord_id;
DROP TABLE role_changes;

-- When everybody of a Guild was last looked at, and why they are looked at now.
ALTER TABLE guilds ADD COLUMN roles_swept_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE guilds ADD COLUMN roles_cause TEXT NOT NULL DEFAULT 'sweep';
CREATE INDEX guilds_roles_swept ON guilds (roles_swept_at, num) WHERE removed_at IS NULL;
