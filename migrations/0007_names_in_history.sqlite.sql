-- Ended links keep their names as they were; erasing a person empties them.

CREATE TRIGGER links_keep_names BEFORE UPDATE ON links
WHEN OLD.ended_at IS NOT NULL AND (
  (NEW.discord_name IS NOT NULL AND NEW.discord_name IS NOT OLD.discord_name)
  OR (NEW.steam_name IS NOT NULL AND NEW.steam_name IS NOT OLD.steam_name)
  OR (NEW.nickname IS NOT NULL AND NEW.nickname IS NOT OLD.nickname))
BEGIN
  SELECT RAISE(ABORT, 'a link''s history cannot be changed');
END;
