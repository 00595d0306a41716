-- Bots that Guilds have for themselves: their token, how far they are, and what became of their process. Who runs one, and
-- what its process says, is in `bots`.
CREATE TABLE dedicated_bots (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL UNIQUE,
  -- Its account on Discord. No two Guilds have the same.
  bot_user_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  token_sealed TEXT NOT NULL,
  token_kid TEXT NOT NULL,
  token_version BIGINT NOT NULL CHECK (token_version >= 1),
  token_last4 TEXT NOT NULL,
  token_saved_at BIGINT NOT NULL,
  step TEXT NOT NULL CHECK (step IN ('allocate', 'install', 'deploy', 'start', 'online', 'paused', 'failed')),
  reason TEXT,
  attempts BIGINT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_at BIGINT NOT NULL,
  -- When its process ended lately, as a list.
  exits TEXT NOT NULL DEFAULT '[]',
  restarted_at BIGINT,
  restart_reason TEXT,
  -- Whether the shared bot could take over.
  shared_present BIGINT CHECK (shared_present IN (0, 1)),
  created_at BIGINT NOT NULL,
  CHECK ((step = 'failed') = (reason IS NOT NULL)),
  CHECK ((restarted_at IS NULL) = (restart_reason IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX dedicated_bots_org ON dedicated_bots (org_num);

-- Which bot saw what is known of a Guild on Discord.
ALTER TABLE guild_bots ADD COLUMN bot_id TEXT NOT NULL DEFAULT 'platform';

-- One more way in which a bot can fail.
ALTER TABLE bots ADD COLUMN failed TEXT CHECK (failed IN ('token_rejected', 'intents_missing', 'identify_budget', 'unreachable', 'sharding_required', 'refused', 'not_in_guild'));
UPDATE bots SET failed = failure;
ALTER TABLE bots DROP COLUMN failure;
ALTER TABLE bots RENAME COLUMN failed TO failure;
