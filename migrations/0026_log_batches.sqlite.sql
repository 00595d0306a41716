-- The log message that a Guild is being sent, as it was first put together: sent again after a crash it is the same to the
-- byte, and its number is the nonce by which Discord knows that. AUTOINCREMENT: a number is never given twice. The body
-- names players, so a row goes as soon as it was sent, and after a day at the latest.
CREATE TABLE log_batches (
  num INTEGER PRIMARY KEY AUTOINCREMENT,
  guild_num INTEGER NOT NULL UNIQUE,
  org_num INTEGER NOT NULL,
  body TEXT NOT NULL,
  -- The jobs of the lane up to this number are in it.
  last_job INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
) STRICT;
CREATE INDEX log_batches_age ON log_batches (created_at);
