-- Sign-ins under way on the link and unlink pages, one row for each, so that two tabs of a browser do not end each
-- other's. The columns of flows that held the only one (trip, trip_hash, trip_sealed, trip_discord_id, trip_ends_at)
-- are not used any more; they stay for nodes that still run the version before.
CREATE TABLE flow_trips (
  hash TEXT PRIMARY KEY,
  flow TEXT NOT NULL REFERENCES flows (hash) ON DELETE CASCADE,
  provider TEXT NOT NULL CHECK (provider IN ('discord', 'steam')),
  sealed TEXT,
  sealed_kid TEXT,
  discord_id TEXT,
  ends_at BIGINT NOT NULL,
  CHECK ((sealed IS NULL) = (sealed_kid IS NULL))
);
CREATE INDEX flow_trips_flow ON flow_trips (flow);
CREATE INDEX flow_trips_age ON flow_trips (ends_at);

-- Which master key a sealed value needs. Rows of before do not know it and are gone within the hour.
ALTER TABLE flows ADD COLUMN token_kid TEXT;
ALTER TABLE sign_ins ADD COLUMN verifier_kid TEXT;

-- Tokens that are to be given back, and who else holds one: Discord ends all tokens of a person with one of them.
CREATE INDEX flows_left ON flows (finished_at) WHERE token_sealed IS NOT NULL;
CREATE INDEX flows_token ON flows (discord_id) WHERE token_sealed IS NOT NULL;
