-- Links that began and ended, by Guild and day (UTC, counted from 1970): always what the rows of `links` say, so that nobody
-- has to go through them. What happened is 'linked', or the cause of an end.
CREATE TABLE link_days (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  day BIGINT NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('linked', 'user', 'admin', 'plugin', 'relink', 'zombie-cleanup')),
  times BIGINT NOT NULL CHECK (times > 0),
  PRIMARY KEY (guild_num, day, what),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX link_days_of_org ON link_days (org_num, day);

INSERT INTO link_days (guild_num, org_num, day, what, times)
SELECT guild_num, org_num, linked_at / 86400000, 'linked', COUNT(*)
FROM links
GROUP BY guild_num, org_num, linked_at / 86400000;

INSERT INTO link_days (guild_num, org_num, day, what, times)
SELECT guild_num, org_num, ended_at / 86400000, end_cause, COUNT(*)
FROM links
WHERE ended_at IS NOT NULL
GROUP BY guild_num, org_num, ended_at / 86400000, end_cause;

-- Links that ended, by the day they began and the longest of these times, in days, that they lasted.
CREATE TABLE link_lives (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  day BIGINT NOT NULL,
  lived BIGINT NOT NULL CHECK (lived IN (0, 1, 7, 30, 90, 180, 365)),
  times BIGINT NOT NULL CHECK (times > 0),
  PRIMARY KEY (guild_num, day, lived),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX link_lives_of_org ON link_lives (org_num, day);

INSERT INTO link_lives (guild_num, org_num, day, lived, times)
SELECT e.guild_num, e.org_num, e.day, e.lived, COUNT(*)
FROM (SELECT guild_num, org_num, linked_at / 86400000 AS day,
             CASE WHEN ended_at - linked_at >= 31536000000 THEN 365
                  WHEN ended_at - linked_at >= 15552000000 THEN 180
                  WHEN ended_at - linked_at >= 7776000000 THEN 90
                  WHEN ended_at - linked_at >= 2592000000 THEN 30
                  WHEN ended_at - linked_at >= 604800000 THEN 7
                  WHEN ended_at - linked_at >= 86400000 THEN 1
                  ELSE 0 END AS lived
      FROM links
      WHERE ended_at IS NOT NULL) e
GROUP BY e.guild_num, e.org_num, e.day, e.lived;

-- What was counted among people and active links each night: 'tier:' and a trust tier, 'country:' and a country. Countries are
-- kept of the last night only. Guild 0 stands for the whole Org.
CREATE TABLE stat_days (
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  day BIGINT NOT NULL,
  guild_num BIGINT NOT NULL,
  what TEXT NOT NULL,
  times BIGINT NOT NULL CHECK (times > 0),
  PRIMARY KEY (org_num, day, guild_num, what)
);
