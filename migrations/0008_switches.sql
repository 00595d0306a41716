-- Two switches that every plugin call obeys, repeated in the keys for the same reason as the tier: a Server that answers
-- bare ids, and an Org that no longer takes keys in the address.
ALTER TABLE api_keys ADD COLUMN bare_ids BIGINT NOT NULL DEFAULT 0 CHECK (bare_ids IN (0, 1));
ALTER TABLE api_keys ADD COLUMN refuse_in_query BIGINT NOT NULL DEFAULT 0 CHECK (refuse_in_query IN (0, 1));

-- The platform's own key for each Server.
CREATE UNIQUE INDEX api_keys_one_bot_key ON api_keys (server_num) WHERE kind = 'bot';
