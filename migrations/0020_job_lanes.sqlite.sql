-- Lanes are what workers take, one at a time, and jobs are done in the order of their lane. A lane is there exactly
-- while it has jobs, and a job while it is not done.
CREATE TABLE job_lanes (
  lane TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  jobs INTEGER NOT NULL CHECK (jobs > 0),
  -- When the lane may be taken: after a pause, or when the lease of its worker ends.
  run_at INTEGER NOT NULL,
  lease_owner TEXT,
  -- One more each time it is taken: who was late finds another number.
  fence INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Of lanes that are due since the same moment, those first that were taken less often.
CREATE INDEX job_lanes_due ON job_lanes (kind, run_at, fence);

DELETE FROM jobs WHERE state IN ('done', 'dropped');
INSERT INTO job_lanes (lane, kind, jobs, run_at)
SELECT lane, CASE WHEN instr(lane, ':') = 0 THEN lane ELSE substr(lane, 1, instr(lane, ':') - 1) END, COUNT(*), MIN(run_at)
FROM jobs GROUP BY lane;

-- SQLite cannot drop a column that a CHECK names, so the table is made anew around its rows. AUTOINCREMENT: a number is
-- never given twice, also when the newest job is done.
DROP INDEX jobs_ready;
DROP INDEX jobs_give_up;
ALTER TABLE jobs RENAME TO jobs_before;
CREATE TABLE jobs (
  num INTEGER PRIMARY KEY AUTOINCREMENT,
  lane TEXT NOT NULL REFERENCES job_lanes (lane),
  kind TEXT NOT NULL,
  dedupe TEXT NOT NULL UNIQUE,
  org_num INTEGER,
  payload TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  give_up_at INTEGER,
  created_at INTEGER NOT NULL,
  -- How far a long job is. No id or name of a person stands here either.
  cursor TEXT,
  done INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
  total INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
  cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
  -- The code of the last failure.
  last_error TEXT
) STRICT;
INSERT INTO jobs (num, lane, kind, dedupe, org_num, payload, attempts, give_up_at, created_at)
SELECT num, lane, kind, dedupe, org_num, payload, attempts, give_up_at, created_at FROM jobs_before;
DROP TABLE jobs_before;
CREATE INDEX jobs_give_up ON jobs (give_up_at);
CREATE INDEX jobs_lane ON jobs (lane, num);
