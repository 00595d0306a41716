-- Ended links keep their names as they were; erasing a person empties them.

CREATE TRIGGER links_keep_names BEFORE UPDATE ON links FOR EACH ROW
WHEN (OLD.ended_at IS NOT NULL AND (
  (NEW.discord_name IS NOT NULL AND NEW.discord_name IS DISTINCT FROM OLD.discord_name)
  OR (NEW.steam_name IS NOT NULL AND NEW.steam_name IS DISTINCT FROM OLD.steam_name)
  OR (NEW.nickname IS NOT NULL AND NEW.nickname IS DISTINCT FROM OLD.nickname)))
EXECUTE FUNCTION refuse_change('a link''s history cannot be changed');
