-- How far people get on the link page of a Guild, by hour. Numbers only: nobody can be told apart in them.
CREATE TABLE link_steps (
  guild_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  step TEXT NOT NULL CHECK (step IN ('started', 'discord', 'steam', 'joined', 'verified', 'failed')),
  -- The code of what went wrong; empty for every other step.
  reason TEXT NOT NULL,
  times BIGINT NOT NULL CHECK (times > 0),
  PRIMARY KEY (guild_num, hour, step, reason),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num),
  CHECK ((step = 'failed') = (reason <> ''))
);

CREATE INDEX link_steps_hour ON link_steps (hour);
