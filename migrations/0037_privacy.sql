-- What remains of accounts that were erased in an Org: a keyed digest, which stands in the place of the id in ended links.
CREATE TABLE tombstones (
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  tombstone TEXT NOT NULL,
  erased_at BIGINT NOT NULL,
  -- The account itself, once it is linked again: both are one.
  alias TEXT,
  PRIMARY KEY (org_num, tombstone)
);
CREATE UNIQUE INDEX tombstones_alias ON tombstones (org_num, alias) WHERE alias IS NOT NULL;
CREATE INDEX tombstones_age ON tombstones (erased_at);

-- Members of whom a role or a nickname is still to be taken off after they were erased. Who they are and what it is stands
-- in the sealed text alone; a row goes as soon as it is done, and after a day at the latest.
CREATE TABLE erased_members (
  num SERIAL_KEY,
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  tombstone TEXT NOT NULL,
  sealed TEXT NOT NULL,
  sealed_kid TEXT NOT NULL,
  ends_at BIGINT NOT NULL,
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX erased_members_guild ON erased_members (guild_num, num);
CREATE INDEX erased_members_age ON erased_members (ends_at);

-- Scores of long ago are forgotten.
CREATE INDEX trust_points_age ON trust_points (at);
