-- Lanes are what workers take, one at a time, and jobs are done in the order of their lane. A lane is there exactly
-- while it has jobs, and a job while it is not done.
CREATE TABLE job_lanes (
  lane TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  jobs BIGINT NOT NULL CHECK (jobs > 0),
  -- When the lane may be taken: after a pause, or when the lease of its worker ends.
  run_at BIGINT NOT NULL,
  lease_owner TEXT COLLATE "C",
  -- One more each time it is taken: who was late finds another number.
  fence BIGINT NOT NULL DEFAULT 0
);
-- Of lanes that are due since the same moment, those first that were taken less often.
CREATE INDEX job_lanes_due ON job_lanes (kind, run_at, fence);

DELETE FROM jobs WHERE state IN ('done', 'dropped');
INSERT INTO job_lanes (lane, kind, jobs, run_at)
SELECT lane, split_part(lane, ':', 1), COUNT(*), MIN(run_at) FROM jobs GROUP BY lane;

DROP INDEX jobs_ready;
ALTER TABLE jobs DROP COLUMN state, DROP COLUMN run_at, DROP COLUMN lease_owner, DROP COLUMN lease_until, DROP COLUMN fence;
ALTER TABLE jobs ALTER COLUMN give_up_at DROP NOT NULL;
ALTER TABLE jobs ADD FOREIGN KEY (lane) REFERENCES job_lanes (lane);
-- How far a long job is. No id or name of a person stands here either.
ALTER TABLE jobs ADD COLUMN cursor TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN done BIGINT NOT NULL DEFAULT 0 CHECK (done >= 0);
ALTER TABLE jobs ADD COLUMN total BIGINT NOT NULL DEFAULT 0 CHECK (total >= 0);
ALTER TABLE jobs ADD COLUMN cancelled BIGINT NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1));
-- The code of the last failure.
ALTER TABLE jobs ADD COLUMN last_error TEXT COLLATE "C";
CREATE INDEX jobs_lane ON jobs (lane, num);
