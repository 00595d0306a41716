-- History cannot be rewritten: not the identity of a link, not an ended link, not the audit log.
-- The one change an ended link allows is the erasure of a person: ids become `x:` digests and the country goes.

CREATE TRIGGER links_keep_history BEFORE UPDATE ON links
WHEN NEW.num <> OLD.num OR NEW.id <> OLD.id OR NEW.org_num <> OLD.org_num OR NEW.guild_num <> OLD.guild_num
  OR NEW.linked_at <> OLD.linked_at
  OR (NEW.discord_id <> OLD.discord_id AND (OLD.ended_at IS NULL OR substr(NEW.discord_id, 1, 2) <> 'x:'))
  OR (NEW.steam_id <> OLD.steam_id AND (OLD.ended_at IS NULL OR substr(NEW.steam_id, 1, 2) <> 'x:'))
  OR (OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NOT OLD.ended_at OR NEW.end_cause IS NOT OLD.end_cause
    OR NEW.verified_at <> OLD.verified_at OR (NEW.country IS NOT NULL AND NEW.country IS NOT OLD.country)))
BEGIN
  SELECT RAISE(ABORT, 'a link''s history cannot be changed');
END;

CREATE TRIGGER links_stay BEFORE DELETE ON links
BEGIN
  SELECT RAISE(ABORT, 'links are ended, not deleted');
END;

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be changed');
END;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be deleted');
END;
