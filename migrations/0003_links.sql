-- A link joins one Discord id with one Steam id in one Guild. Ended links stay as history.
-- An erased person's ids are replaced by `x:` and a keyed digest, so platform ids are plain text here.

CREATE TABLE links (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  discord_id TEXT NOT NULL,
  steam_id TEXT NOT NULL,
  country TEXT CHECK (length(country) = 2),
  linked_at BIGINT NOT NULL,
  verified_at BIGINT NOT NULL CHECK (verified_at >= linked_at),
  ended_at BIGINT CHECK (ended_at >= linked_at),
  end_cause TEXT CHECK (end_cause IN ('user', 'admin', 'plugin', 'relink', 'zombie-cleanup')),
  CHECK ((ended_at IS NULL) = (end_cause IS NULL)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE UNIQUE INDEX links_active_discord ON links (guild_num, discord_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX links_active_steam ON links (guild_num, steam_id) WHERE ended_at IS NULL;
-- The busiest question of all is answered from this index alone, without a look at the row. For SQLite to see that,
-- every column of the question has to be in it, the one of its own condition included.
CREATE INDEX links_find_by_steam ON links (guild_num, steam_id, discord_id, ended_at) WHERE ended_at IS NULL;
