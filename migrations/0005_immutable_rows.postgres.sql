-- History cannot be rewritten: not the identity of a link, not an ended link, not the audit log.
-- The one change an ended link allows is the erasure of a person: ids become `x:` digests and the country goes.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER links_keep_history BEFORE UPDATE ON links FOR EACH ROW
WHEN (NEW.num <> OLD.num OR NEW.id <> OLD.id OR NEW.org_num <> OLD.org_num OR NEW.guild_num <> OLD.guild_num
  OR NEW.linked_at <> OLD.linked_at
  OR (NEW.discord_id <> OLD.discord_id AND (OLD.ended_at IS NULL OR substr(NEW.discord_id, 1, 2) <> 'x:'))
  OR (NEW.steam_id <> OLD.steam_id AND (OLD.ended_at IS NULL OR substr(NEW.steam_id, 1, 2) <> 'x:'))
  OR (OLD.ended_at IS NOT NULL AND (NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.end_cause IS DISTINCT FROM OLD.end_cause
    OR NEW.verified_at <> OLD.verified_at OR (NEW.country IS NOT NULL AND NEW.country IS DISTINCT FROM OLD.country))))
EXECUTE FUNCTION refuse_change('a link''s history cannot be changed');

CREATE TRIGGER links_stay BEFORE DELETE ON links FOR EACH ROW
EXECUTE FUNCTION refuse_change('links are ended, not deleted');

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse_change('audit rows cannot be changed');

CREATE TRIGGER audit_stays BEFORE DELETE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse_change('audit rows cannot be deleted');
