-- What the service remembers about itself: work to do, what was done, what went wrong, how it is set.
-- None of these rows holds a platform id or a name: only our own ids.

CREATE TABLE jobs (
  num SERIAL_KEY,
  lane TEXT NOT NULL,
  kind TEXT NOT NULL,
  dedupe TEXT NOT NULL UNIQUE,
  org_num BIGINT,
  payload TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased', 'done', 'dropped')),
  attempts BIGINT NOT NULL DEFAULT 0,
  run_at BIGINT NOT NULL,
  give_up_at BIGINT NOT NULL,
  lease_owner TEXT,
  lease_until BIGINT,
  fence BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  CHECK ((state = 'leased') = (lease_owner IS NOT NULL)),
  CHECK ((lease_owner IS NULL) = (lease_until IS NULL))
);
CREATE INDEX jobs_ready ON jobs (lane, run_at) WHERE state = 'ready';
CREATE INDEX jobs_give_up ON jobs (give_up_at);

-- One chain per Org, and chain 0 for operators. Each row's hash covers the row before it.
CREATE TABLE audit_heads (
  chain BIGINT PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_heads (chain, seq, hash) VALUES (0, 0, '');

CREATE TABLE audit (
  chain BIGINT NOT NULL REFERENCES audit_heads (chain),
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'key', 'operator_cli', 'system')),
  actor_id TEXT,
  action TEXT NOT NULL,
  target TEXT,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain, seq)
);

CREATE TABLE error_log (
  num SERIAL_KEY,
  code TEXT NOT NULL,
  route TEXT NOT NULL,
  org_num BIGINT NOT NULL,
  minute BIGINT NOT NULL,
  status BIGINT NOT NULL,
  count BIGINT NOT NULL CHECK (count > 0),
  request_ids TEXT NOT NULL,
  detail TEXT NOT NULL,
  UNIQUE (code, route, org_num, minute)
);
CREATE INDEX error_log_age ON error_log (minute);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);
