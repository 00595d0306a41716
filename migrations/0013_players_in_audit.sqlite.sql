-- Players act for themselves on the link page. SQLite cannot change a CHECK, so the table is made anew around its rows.

DROP TRIGGER audit_is_final;
DROP TRIGGER audit_stays;
ALTER TABLE audit RENAME TO audit_before;

CREATE TABLE audit (
  chain INTEGER NOT NULL REFERENCES audit_heads (chain),
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'key', 'player', 'operator_cli', 'system')),
  actor_id TEXT,
  action TEXT NOT NULL,
  target TEXT,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain, seq)
) STRICT;

INSERT INTO audit (chain, seq, at, actor_kind, actor_id, action, target, detail, hash)
SELECT chain, seq, at, actor_kind, actor_id, action, target, detail, hash FROM audit_before;
DROP TABLE audit_before;

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be changed');
END;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be deleted');
END;
