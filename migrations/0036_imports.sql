-- Files of older systems that a team takes over in the dashboard: how far each is, and what came of it in numbers.
CREATE TABLE imports (
  num SERIAL_KEY,
  id TEXT NOT NULL UNIQUE,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  guild_num BIGINT NOT NULL,
  -- Whose reports the permission groups become. The Server may be gone.
  server_id TEXT,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Why it cannot go on.
  stop TEXT,
  -- Rows of the file, and the last of them that was decided on.
  total BIGINT NOT NULL DEFAULT 0,
  done BIGINT NOT NULL DEFAULT 0,
  -- What was found in the file, and what came of it so far; JSON without anybody's id or name.
  about TEXT NOT NULL,
  result TEXT NOT NULL,
  -- Whether rows may be left, and whether all of them are to go.
  has_rows BIGINT NOT NULL DEFAULT 1 CHECK (has_rows IN (0, 1)),
  forget BIGINT NOT NULL DEFAULT 0 CHECK (forget IN (0, 1)),
  created_at BIGINT NOT NULL,
  touched_at BIGINT NOT NULL,
  ended_at BIGINT,
  UNIQUE (num, org_num),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX imports_of_org ON imports (org_num, num);
CREATE INDEX imports_kept ON imports (touched_at) WHERE has_rows = 1;

-- Their rows, for a few days. What was decided for good has no body any more.
CREATE TABLE import_rows (
  import_num BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  -- The order in which rows are decided on: those of links come before those of history.
  row_no BIGINT NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('users', 'removed')),
  -- The how-maniest of its table, and the line of the file.
  place BIGINT NOT NULL,
  line BIGINT NOT NULL,
  body TEXT,
  reason TEXT,
  PRIMARY KEY (import_num, row_no),
  FOREIGN KEY (import_num, org_num) REFERENCES imports (num, org_num)
);
CREATE INDEX import_rows_refused ON import_rows (import_num, row_no) WHERE reason IS NOT NULL;
