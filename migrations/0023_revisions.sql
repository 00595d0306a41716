-- How often the settings of a row were saved. A form that began from an older revision than is there is refused instead
-- of overwriting what somebody else saved meanwhile.
ALTER TABLE orgs ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE orgs ADD COLUMN navigation_revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE guilds ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE servers ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE api_keys ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
-- Starts with the time of joining: who left and came back is not taken for who they were.
ALTER TABLE members ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
