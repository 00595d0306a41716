-- Everybody who is or was linked in an Org, one row for each Discord account. What lists are sorted and filtered by stands
-- here, and what a score is made of; names and the rest are read from the link.
CREATE TABLE people (
  num SERIAL_KEY,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  discord_id TEXT NOT NULL,
  -- The newest active link; the newest one where none is active.
  link_num BIGINT NOT NULL,
  active_links BIGINT NOT NULL CHECK (active_links >= 0),
  linked_at BIGINT NOT NULL,
  first_linked_at BIGINT NOT NULL,
  country TEXT,
  -- Small letters without accents, as names are sorted and found by.
  sort_name TEXT NOT NULL,
  name_words TEXT NOT NULL,
  -- Steam accounts they ever linked, and links that they, a plugin or a relink ended.
  steam_ids BIGINT NOT NULL,
  churn BIGINT NOT NULL,
  -- Accounts of both platforms that hang together by links, up to a bound.
  accounts BIGINT NOT NULL,
  best_class TEXT NOT NULL,
  score BIGINT NOT NULL CHECK (score BETWEEN 0 AND 100),
  stability BIGINT NOT NULL,
  cross_server BIGINT NOT NULL,
  age BIGINT NOT NULL,
  multi BIGINT NOT NULL,
  scored_at BIGINT NOT NULL,
  UNIQUE (org_num, discord_id)
);
CREATE INDEX people_linked ON people (org_num, linked_at, num);
CREATE INDEX people_active ON people (org_num, linked_at, num) WHERE active_links > 0;
CREATE INDEX people_swept ON people (org_num, num) WHERE active_links > 0;
CREATE INDEX people_archived ON people (org_num, linked_at, num) WHERE active_links = 0;
CREATE INDEX people_country ON people (org_num, country, linked_at, num);
CREATE INDEX people_score ON people (org_num, score, num);
CREATE INDEX people_name ON people (org_num, sort_name, num);

-- The words of their names, for finding people by the beginning of one.
CREATE TABLE person_words (
  org_num BIGINT NOT NULL,
  word TEXT NOT NULL,
  person_num BIGINT NOT NULL REFERENCES people (num) ON DELETE CASCADE,
  PRIMARY KEY (org_num, word, person_num)
);
CREATE INDEX person_words_of ON person_words (person_num, word);

-- Guilds that somebody is or was linked in, with the link that stands for them there.
CREATE TABLE person_places (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  person_num BIGINT NOT NULL REFERENCES people (num) ON DELETE CASCADE,
  link_num BIGINT NOT NULL,
  steam_id TEXT NOT NULL,
  linked_at BIGINT NOT NULL,
  active BIGINT NOT NULL CHECK (active IN (0, 1)),
  PRIMARY KEY (guild_num, person_num),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX person_places_linked ON person_places (guild_num, linked_at, person_num);
CREATE INDEX person_places_of ON person_places (person_num);

-- Servers that somebody was seen or reported on with the Steam account that is theirs there.
CREATE TABLE person_servers (
  server_num BIGINT NOT NULL REFERENCES servers (num) ON DELETE CASCADE,
  person_num BIGINT NOT NULL REFERENCES people (num) ON DELETE CASCADE,
  linked_at BIGINT NOT NULL,
  PRIMARY KEY (server_num, person_num)
);
CREATE INDEX person_servers_linked ON person_servers (server_num, linked_at, person_num);
CREATE INDEX person_servers_of ON person_servers (person_num);

-- Players whose person is to be brought up to date.
CREATE TABLE person_marks (
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  steam_id TEXT NOT NULL,
  PRIMARY KEY (org_num, steam_id)
);

-- What somebody's score was: one an hour at most, and none like the one before it.
CREATE TABLE trust_points (
  person_num BIGINT NOT NULL REFERENCES people (num) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  score BIGINT NOT NULL CHECK (score BETWEEN 0 AND 100),
  stability BIGINT NOT NULL,
  cross_server BIGINT NOT NULL,
  age BIGINT NOT NULL,
  multi BIGINT NOT NULL,
  PRIMARY KEY (person_num, at)
);

-- What an Org says about groups of its game servers: keywords before the usual ones, and colours by class.
CREATE TABLE trust_settings (
  org_num BIGINT PRIMARY KEY REFERENCES orgs (num),
  keywords TEXT NOT NULL,
  colours TEXT NOT NULL,
  revision BIGINT NOT NULL
);

-- Links that staff chose to be ended together, until they are.
CREATE TABLE chosen_links (
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  link_num BIGINT NOT NULL,
  PRIMARY KEY (org_num, link_num)
);

-- When everybody of an Org was last gone through; 0 where that is still to be done for the first time.
ALTER TABLE orgs ADD COLUMN people_swept_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX orgs_swept ON orgs (people_swept_at, num) WHERE removed_at IS NULL;

-- Who hangs together with whom is read from these alone.
CREATE INDEX links_of_discord ON links (org_num, discord_id, steam_id);
CREATE INDEX links_of_steam ON links (org_num, steam_id, discord_id);
CREATE INDEX server_players_of ON server_players (org_num, steam_id);
