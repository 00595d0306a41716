-- Requests that may be sent again: who sent them where under which key, and the id of what they made. No answer and no
-- secret is kept. Not bound to the account by a foreign key: its lock would cross with those of units that lock the
-- account, and the rows are gone after a day.
CREATE TABLE idempotency_keys (
  account_num BIGINT NOT NULL,
  route TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  made TEXT NOT NULL,
  ends_at BIGINT NOT NULL,
  PRIMARY KEY (account_num, route, key_hash)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (ends_at);
