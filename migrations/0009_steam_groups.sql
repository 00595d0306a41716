-- The Steam group of a Guild: what somebody pasted, and the number under which Steam's Web API lists it.
ALTER TABLE guilds ADD COLUMN steam_group TEXT;
ALTER TABLE guilds ADD COLUMN steam_group_id BIGINT CHECK (
  (steam_group_id IS NULL) = (steam_group IS NULL) AND (steam_group_id IS NULL OR steam_group_id BETWEEN 1 AND 4294967295));

-- What a game server is told about itself: the permission groups of linked players, of boosters and of members of the
-- Steam group, and the time between two questions.
ALTER TABLE servers ADD COLUMN linked_group TEXT NOT NULL DEFAULT 'linked';
ALTER TABLE servers ADD COLUMN booster_group TEXT NOT NULL DEFAULT 'booster';
ALTER TABLE servers ADD COLUMN steam_members_group TEXT NOT NULL DEFAULT 'steamgroup';
ALTER TABLE servers ADD COLUMN poll_seconds BIGINT NOT NULL DEFAULT 60 CHECK (poll_seconds BETWEEN 10 AND 3600);
