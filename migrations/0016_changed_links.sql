-- Links in the order of their last change, for clients that ask what changed since they last asked.
CREATE INDEX links_changed ON links (guild_num, COALESCE(ended_at, verified_at), id);

-- The end of a link ends what was reported about its booster. Older ends left it behind.
DELETE FROM boosters
WHERE EXISTS (
    SELECT 1 FROM links l
    WHERE l.guild_num = boosters.guild_num AND l.discord_id = boosters.discord_id AND l.ended_at IS NOT NULL)
  AND NOT EXISTS (
    SELECT 1 FROM links l
    WHERE l.guild_num = boosters.guild_num AND l.discord_id = boosters.discord_id AND l.ended_at IS NULL);
