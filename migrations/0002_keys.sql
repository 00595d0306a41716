-- API keys. A key row belongs to one Guild, and to one Server unless it is a custom key without one.
-- Two foreign keys on purpose: a NULL server_num switches the longer one off, the shorter one stays.
-- The Org's tier and the Server's switch are repeated here, because every plugin call reads them; they are written in
-- the same transaction as their originals, and `symbolon doctor` compares.

CREATE TABLE api_keys (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  server_num BIGINT,
  kind TEXT NOT NULL CHECK (kind IN ('plugin', 'custom', 'bot')),
  name TEXT,
  actions BIGINT NOT NULL CHECK (actions > 0),
  tier TEXT NOT NULL DEFAULT 'free' CHECK (tier IN ('free', 'standard', 'pro')),
  server_active BIGINT NOT NULL DEFAULT 1 CHECK (server_active IN (0, 1)),
  hash TEXT NOT NULL UNIQUE,
  hash_alg TEXT NOT NULL DEFAULT 'sha256' CHECK (hash_alg IN ('sha256')),
  prefix TEXT NOT NULL,
  sealed TEXT NOT NULL,
  sealed_kid TEXT NOT NULL,
  version BIGINT NOT NULL CHECK (version >= 1),
  created_at BIGINT NOT NULL,
  rotated_at BIGINT NOT NULL,
  revoked_at BIGINT,
  last_used_at BIGINT,
  query_calls BIGINT NOT NULL DEFAULT 0 CHECK (query_calls >= 0),
  CHECK (kind = 'custom' OR server_num IS NOT NULL),
  CHECK (kind <> 'custom' OR name IS NOT NULL),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num),
  FOREIGN KEY (server_num, guild_num, org_num) REFERENCES servers (num, guild_num, org_num) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_one_plugin_key ON api_keys (server_num) WHERE kind = 'plugin';
CREATE INDEX api_keys_server ON api_keys (server_num, guild_num, org_num);
CREATE INDEX api_keys_guild ON api_keys (guild_num, org_num);

-- Hashes of keys that were regenerated away, kept for a while so that a leaked one shows up when somebody tries it.
CREATE TABLE retired_keys (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  org_num BIGINT NOT NULL,
  retired_at BIGINT NOT NULL,
  reported_at BIGINT
);
CREATE INDEX retired_keys_age ON retired_keys (retired_at);
