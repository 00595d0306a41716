-- Bots and what is known of them. The shared one is called `platform` and serves every Guild whose own bot is not online;
-- a dedicated one goes by its account on Discord and belongs to one Guild.
CREATE TABLE bots (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('platform', 'dedicated')),
  org_num BIGINT,
  guild_num BIGINT UNIQUE,
  -- The secret that it shows: found by its hash, and a sealed copy for whoever starts it.
  secret_hash TEXT NOT NULL UNIQUE,
  secret_sealed TEXT NOT NULL,
  secret_kid TEXT NOT NULL,
  version BIGINT NOT NULL CHECK (version >= 1),
  created_at BIGINT NOT NULL,
  rotated_at BIGINT NOT NULL,
  -- What its process said last. `online_at` is when it was last heard of as online, `twice_at` when a second process came
  -- under the same secret.
  bot_user_id TEXT,
  instance TEXT,
  state TEXT CHECK (state IN ('connecting', 'online', 'stopped')),
  failure TEXT CHECK (failure IN ('token_rejected', 'intents_missing', 'identify_budget')),
  guilds BIGINT NOT NULL DEFAULT 0 CHECK (guilds >= 0),
  memory_bytes BIGINT NOT NULL DEFAULT 0 CHECK (memory_bytes >= 0),
  started_at BIGINT,
  heard_at BIGINT,
  online_at BIGINT,
  twice_at BIGINT,
  -- Which node runs it. The fence is one more each time it is taken: who was late finds another number.
  lease_owner TEXT,
  lease_until BIGINT,
  fence BIGINT NOT NULL DEFAULT 0 CHECK (fence >= 0),
  -- New sessions on Discord's gateway, counted by day in UTC.
  identify_day BIGINT NOT NULL DEFAULT 0,
  identifies BIGINT NOT NULL DEFAULT 0 CHECK (identifies >= 0),
  CHECK ((kind = 'platform') = (id = 'platform')),
  CHECK ((kind = 'platform') = (guild_num IS NULL) AND (guild_num IS NULL) = (org_num IS NULL)),
  CHECK ((instance IS NULL) = (heard_at IS NULL) AND (instance IS NULL) = (state IS NULL)),
  CHECK ((lease_owner IS NULL) = (lease_until IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

-- What was last read of a Guild on Discord. A row is made when something is known; what is NULL is not known yet.
CREATE TABLE guild_bots (
  guild_num BIGINT PRIMARY KEY,
  org_num BIGINT NOT NULL,
  present BIGINT CHECK (present IN (0, 1)),
  -- Discord's bits, over the whole Discord server.
  permissions BIGINT,
  top_position BIGINT,
  checked_at BIGINT,
  last_event_at BIGINT,
  log_problem TEXT,
  log_problem_at BIGINT,
  commands_hash TEXT,
  commands_at BIGINT,
  CHECK ((log_problem IS NULL) = (log_problem_at IS NULL)),
  CHECK ((commands_hash IS NULL) = (commands_at IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

-- Roles and channels as they were last read. One that is gone keeps its name, so that settings can tell what it was.
-- `reason` says why it cannot be used; NULL when it can.
CREATE TABLE discord_roles (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  position BIGINT NOT NULL,
  colour BIGINT NOT NULL DEFAULT 0 CHECK (colour >= 0 AND colour <= 16777215),
  reason TEXT,
  gone_at BIGINT,
  PRIMARY KEY (guild_num, id),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

CREATE TABLE discord_channels (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  position BIGINT NOT NULL,
  -- Discord's number for the kind of channel.
  kind BIGINT NOT NULL CHECK (kind >= 0),
  parent_id TEXT,
  reason TEXT,
  gone_at BIGINT,
  PRIMARY KEY (guild_num, id),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);

-- Interactions that changed something, by Discord's id of them: each is accepted once.
CREATE TABLE interactions (
  id TEXT PRIMARY KEY,
  seen_at BIGINT NOT NULL
);
CREATE INDEX interactions_age ON interactions (seen_at);
