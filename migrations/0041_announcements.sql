-- What operators tell people in the dashboard.
CREATE TABLE announcements (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'success', 'warning', 'critical')),
  target TEXT NOT NULL CHECK (target IN ('all', 'free', 'standard', 'pro', 'paid')),
  body TEXT NOT NULL,
  starts_at BIGINT NOT NULL,
  ends_at BIGINT CHECK (ends_at > starts_at),
  created_at BIGINT NOT NULL,
  -- Their account may be gone.
  created_by TEXT,
  revision BIGINT NOT NULL DEFAULT 1 CHECK (revision >= 1)
);
CREATE INDEX announcements_start ON announcements (starts_at);

-- Who does not want to see one any more.
CREATE TABLE announcement_dismissals (
  announcement_num BIGINT NOT NULL REFERENCES announcements (num) ON DELETE CASCADE,
  account_num BIGINT NOT NULL REFERENCES accounts (num) ON DELETE CASCADE,
  dismissed_at BIGINT NOT NULL,
  PRIMARY KEY (announcement_num, account_num)
);
CREATE INDEX announcement_dismissals_account ON announcement_dismissals (account_num);

-- Parts of the service that operators switched. What is not here is as it comes.
CREATE TABLE flags (
  name TEXT PRIMARY KEY,
  is_on BIGINT NOT NULL CHECK (is_on IN (0, 1)),
  set_at BIGINT NOT NULL,
  -- Our own id; none for the command line. The account may be gone.
  set_by TEXT
);
