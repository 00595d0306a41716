-- What operators decide about access: who stays signed in, who may make an Org, who looks into one.

-- Sessions of an earlier epoch have ended. Which one it is now is a setting, so all of them end with one change.
ALTER TABLE sessions ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sessions_epoch ON sessions (epoch);
CREATE INDEX sessions_seen ON sessions (seen_at);

-- A code can be good for several Orgs, has a name that is no secret, and can be taken back.
ALTER TABLE registration_codes ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE registration_codes ADD COLUMN max_uses BIGINT NOT NULL DEFAULT 1 CHECK (max_uses >= 1);
ALTER TABLE registration_codes ADD COLUMN uses BIGINT NOT NULL DEFAULT 0 CHECK (uses >= 0);
ALTER TABLE registration_codes ADD COLUMN revoked_at BIGINT;
-- Hexadecimal digits are a part of those that ids are made of.
UPDATE registration_codes SET id = 'reg_0' || UPPER(substr(hash, 1, 25));
UPDATE registration_codes SET uses = 1 WHERE used_at IS NOT NULL;
CREATE UNIQUE INDEX registration_codes_id ON registration_codes (id) WHERE id <> '';

-- Operators who look into an Org: one visit of each at a time.
CREATE TABLE visits (
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  reason TEXT NOT NULL,
  can_write BIGINT NOT NULL CHECK (can_write IN (0, 1)),
  began_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL CHECK (ends_at > began_at),
  PRIMARY KEY (account_num, org_num)
);
CREATE INDEX visits_org ON visits (org_num);
CREATE INDEX visits_end ON visits (ends_at);
