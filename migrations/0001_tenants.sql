-- Who there is: accounts, and the tree of Orgs, Guilds and Servers.
-- `num` is how rows refer to each other, `id` is what people and programs see.

CREATE TABLE accounts (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  discord_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  operator BIGINT NOT NULL DEFAULT 0 CHECK (operator IN (0, 1)),
  orgs_owned BIGINT NOT NULL DEFAULT 0 CHECK (orgs_owned >= 0),
  created_at BIGINT NOT NULL
);

CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL CHECK (seen_at >= created_at),
  expires_at BIGINT NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX sessions_account ON sessions (account_num);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- The owner is named here and nowhere else, so there is always exactly one.
CREATE TABLE orgs (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  tier TEXT NOT NULL DEFAULT 'free' CHECK (tier IN ('free', 'standard', 'pro')),
  owner_account_num BIGINT NOT NULL REFERENCES accounts (num),
  created_at BIGINT NOT NULL
);
CREATE INDEX orgs_owner ON orgs (owner_account_num);

-- Locked first by every write of an Org. Its counters are what ceilings are checked against.
CREATE TABLE org_usage (
  org_num BIGINT PRIMARY KEY REFERENCES orgs (num) ON DELETE CASCADE,
  guilds BIGINT NOT NULL DEFAULT 0 CHECK (guilds >= 0),
  servers BIGINT NOT NULL DEFAULT 0 CHECK (servers >= 0),
  links BIGINT NOT NULL DEFAULT 0 CHECK (links >= 0)
);

CREATE TABLE members (
  org_num BIGINT NOT NULL REFERENCES orgs (num) ON DELETE CASCADE,
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('admin', 'staff')),
  permissions BIGINT NOT NULL CHECK (permissions >= 0),
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (org_num, account_num)
);
CREATE INDEX members_account ON members (account_num);

CREATE TABLE guilds (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  discord_guild_id TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  log_channel_id TEXT,
  active_links BIGINT NOT NULL DEFAULT 0 CHECK (active_links >= 0),
  created_at BIGINT NOT NULL,
  UNIQUE (num, org_num)
);
CREATE INDEX guilds_org ON guilds (org_num);

CREATE TABLE servers (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  name TEXT NOT NULL,
  active BIGINT NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  created_at BIGINT NOT NULL,
  UNIQUE (num, guild_num, org_num),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX servers_org ON servers (org_num);
CREATE INDEX servers_guild ON servers (guild_num, org_num);
