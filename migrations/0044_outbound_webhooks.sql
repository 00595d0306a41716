-- Where operators have the changes of an Org's links sent. An endpoint that was removed goes when nothing refers to it.
CREATE TABLE webhook_endpoints (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  url TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- After failures in a row it is left alone until then.
  failures BIGINT NOT NULL DEFAULT 0 CHECK (failures >= 0),
  rest_until BIGINT NOT NULL DEFAULT 0,
  -- Changes that were not noted, because too many waited.
  left_out BIGINT NOT NULL DEFAULT 0 CHECK (left_out >= 0),
  -- Its receiver said that it is gone for good.
  disabled_at BIGINT,
  removed_at BIGINT,
  UNIQUE (num, org_num)
);
CREATE INDEX webhook_endpoints_org ON webhook_endpoints (org_num);
CREATE INDEX webhook_endpoints_removed ON webhook_endpoints (removed_at) WHERE removed_at IS NOT NULL;

-- What signs its messages: one secret, and for a while after a rotation the one before it too.
CREATE TABLE webhook_secrets (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  endpoint_num BIGINT NOT NULL REFERENCES webhook_endpoints (num),
  sealed TEXT NOT NULL,
  sealed_kid TEXT NOT NULL,
  -- None for the one that stays.
  ends_at BIGINT
);
CREATE INDEX webhook_secrets_endpoint ON webhook_secrets (endpoint_num);
CREATE UNIQUE INDEX webhook_secrets_newest ON webhook_secrets (endpoint_num) WHERE ends_at IS NULL;
CREATE INDEX webhook_secrets_end ON webhook_secrets (ends_at) WHERE ends_at IS NOT NULL;

-- A message that waits, was delivered, or was given up. It names the link; the accounts are read from the link's row
-- whenever it is sent, so nothing here has to be erased.
CREATE TABLE webhook_deliveries (
  num SERIAL_KEY,
  endpoint_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  link_id TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('link.created', 'link.ended')),
  created_at BIGINT NOT NULL,
  -- From when on it counts how long it has waited: an operator can have it sent once more.
  begun_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- What came of the last attempt.
  result TEXT,
  -- While it waits.
  next_at BIGINT,
  ended_at BIGINT,
  dead BIGINT NOT NULL DEFAULT 0 CHECK (dead IN (0, 1)),
  UNIQUE (endpoint_num, link_id, event),
  CHECK ((next_at IS NULL) = (ended_at IS NOT NULL)),
  CHECK (dead = 0 OR ended_at IS NOT NULL),
  FOREIGN KEY (endpoint_num, org_num) REFERENCES webhook_endpoints (num, org_num),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_num, num);
CREATE INDEX webhook_deliveries_guild ON webhook_deliveries (guild_num, num);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_num, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (begun_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
