-- One browser's way through the link or unlink page. Made when somebody starts to sign in, gone an hour after the last
-- step. What is sealed here is never stored in clear: the secret of a sign-in that is under way, and the token with
-- which a person is added to the Discord server.
CREATE TABLE flows (
  hash TEXT PRIMARY KEY,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('link', 'unlink')),
  created_at BIGINT NOT NULL,
  touched_at BIGINT NOT NULL CHECK (touched_at >= created_at),
  trip TEXT CHECK (trip IN ('discord', 'steam')),
  trip_hash TEXT,
  trip_sealed TEXT,
  trip_discord_id TEXT,
  trip_ends_at BIGINT,
  discord_id TEXT,
  discord_name TEXT,
  token_sealed TEXT,
  steam_id TEXT,
  steam_name TEXT,
  member TEXT CHECK (member IN ('yes', 'no', 'hidden', 'unknown')),
  steam_group TEXT CHECK (steam_group IN ('yes', 'no', 'hidden', 'unknown')),
  finished_at BIGINT,
  CHECK ((trip IS NULL) = (trip_hash IS NULL) AND (trip IS NULL) = (trip_ends_at IS NULL)),
  CHECK ((discord_id IS NULL) = (discord_name IS NULL)),
  CHECK ((steam_id IS NULL) = (steam_name IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num) ON DELETE CASCADE
);
CREATE INDEX flows_age ON flows (touched_at);
CREATE INDEX flows_guild ON flows (guild_num, org_num);

-- Steam's one-time numbers that were used; one that is here is refused by every node.
CREATE TABLE openid_nonces (
  nonce TEXT PRIMARY KEY,
  seen_at BIGINT NOT NULL
);
CREATE INDEX openid_nonces_age ON openid_nonces (seen_at);

-- Accounts of both platforms and networks that cannot sign in. An entry is its kind, a colon and the one spelling of it.
CREATE TABLE blocklist (
  entry TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT CHECK (expires_at > created_at)
);

-- Buttons of an Org's link page.
CREATE TABLE navigation_links (
  org_num BIGINT NOT NULL REFERENCES orgs (num) ON DELETE CASCADE,
  position BIGINT NOT NULL CHECK (position >= 0),
  label TEXT NOT NULL,
  url TEXT NOT NULL,
  icon TEXT NOT NULL DEFAULT 'none',
  new_tab BIGINT NOT NULL DEFAULT 1 CHECK (new_tab IN (0, 1)),
  PRIMARY KEY (org_num, position)
);

ALTER TABLE guilds ADD COLUMN join_mode TEXT NOT NULL DEFAULT 'off' CHECK (join_mode IN ('off', 'invite', 'auto'));
ALTER TABLE guilds ADD COLUMN invite_url TEXT;
ALTER TABLE guilds ADD COLUMN relink_cooldown_ms BIGINT NOT NULL DEFAULT 0 CHECK (relink_cooldown_ms >= 0);

-- When somebody linked another account the last time.
CREATE INDEX links_ended_steam ON links (guild_num, steam_id) WHERE ended_at IS NOT NULL;
