-- What the dashboard needs: sign-ins, invitations, and Orgs and Guilds that can be removed.

-- What browser a session belongs to, in a few words of ours; never what the browser sent.
ALTER TABLE sessions ADD COLUMN device TEXT;

-- A browser's trip to Discord for the dashboard: to sign in, or to show which Discord servers its person manages.
CREATE TABLE sign_ins (
  hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('dashboard', 'claim')),
  state_hash TEXT NOT NULL,
  verifier_sealed TEXT NOT NULL,
  return_to TEXT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX sign_ins_age ON sign_ins (ends_at);

-- Discord servers that a person was seen to manage, for the few minutes in which they choose one to claim.
CREATE TABLE managed_guilds (
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  discord_guild_id TEXT NOT NULL,
  name TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (account_num, discord_guild_id)
);
CREATE INDEX managed_guilds_age ON managed_guilds (seen_at);

-- Invitations to a team. The code is found by its hash; the sealed copy lets it be copied again.
CREATE TABLE invites (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL REFERENCES orgs (num) ON DELETE CASCADE,
  code_hash TEXT NOT NULL UNIQUE,
  sealed TEXT NOT NULL,
  sealed_kid TEXT NOT NULL,
  version BIGINT NOT NULL DEFAULT 1 CHECK (version >= 1),
  role TEXT NOT NULL CHECK (role IN ('admin', 'staff')),
  permissions BIGINT NOT NULL CHECK (permissions >= 0),
  note TEXT,
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT CHECK (expires_at > created_at),
  revoked_at BIGINT,
  uses BIGINT NOT NULL DEFAULT 0 CHECK (uses >= 0)
);
CREATE INDEX invites_org ON invites (org_num);
CREATE INDEX invites_account ON invites (account_num);

-- Codes with which an Org can be made while registration is by invitation. Each is good for one Org.
CREATE TABLE registration_codes (
  hash TEXT PRIMARY KEY,
  note TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT CHECK (expires_at > created_at),
  used_at BIGINT
);

-- A removed Org or Guild stays for its history. Its names go back: its own id stands in their place.
ALTER TABLE orgs ADD COLUMN removed_at BIGINT;
ALTER TABLE guilds ADD COLUMN removed_at BIGINT;

-- What the plugin of a Server last said about itself.
ALTER TABLE servers ADD COLUMN plugin_version TEXT;
