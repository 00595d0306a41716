-- When a player was last on any Server of an Org. It stays when a Server goes: nobody becomes dormant by that.
CREATE TABLE player_seen (
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  steam_id TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (org_num, steam_id)
);
INSERT INTO player_seen (org_num, steam_id, seen_at)
SELECT org_num, steam_id, MAX(seen_at)
FROM server_players
WHERE seen_at IS NOT NULL
GROUP BY org_num, steam_id;

-- Days on which a plugin of a Guild was heard from. On any other day nobody could have been seen.
CREATE TABLE guild_days (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  day BIGINT NOT NULL,
  PRIMARY KEY (guild_num, day),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX guild_days_age ON guild_days (day);

-- What an Org wants done about dormant links; without a row nothing.
CREATE TABLE cleanup_settings (
  org_num BIGINT PRIMARY KEY REFERENCES orgs (num),
  enabled BIGINT NOT NULL CHECK (enabled IN (0, 1)),
  days BIGINT NOT NULL CHECK (days > 0),
  grace_days BIGINT NOT NULL CHECK (grace_days > 0),
  -- When it was last turned on: flags from before that are none.
  enabled_at BIGINT NOT NULL DEFAULT 0,
  revision BIGINT NOT NULL,
  -- When a run last ended, and what it came to.
  ran_at BIGINT NOT NULL DEFAULT 0,
  last_run TEXT
);
CREATE INDEX cleanup_settings_due ON cleanup_settings (ran_at, org_num) WHERE enabled = 1;

-- Active links that were flagged as dormant, and those whose flag the team cleared.
CREATE TABLE dormant_links (
  link_num BIGINT PRIMARY KEY REFERENCES links (num),
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  flagged_at BIGINT,
  kept_at BIGINT,
  CHECK ((flagged_at IS NULL) <> (kept_at IS NULL))
);
CREATE INDEX dormant_links_org ON dormant_links (org_num, link_num);

-- The oldest flag of an active link, for finding who is flagged.
ALTER TABLE people ADD COLUMN flagged_at BIGINT;
ALTER TABLE person_places ADD COLUMN flagged_at BIGINT;
CREATE INDEX people_flagged ON people (org_num, linked_at, num) WHERE flagged_at IS NOT NULL;
