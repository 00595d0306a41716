-- Failures that operators are told of, one row for each code and place. Nothing here is about a person.
CREATE TABLE operator_alerts (
  code TEXT NOT NULL,
  place TEXT NOT NULL,
  -- When operators were last told, and how often it happened since.
  told_at BIGINT NOT NULL,
  untold BIGINT NOT NULL CHECK (untold >= 0),
  seen_at BIGINT NOT NULL,
  -- The newest request it happened to.
  request_id TEXT,
  -- A message that is to be sent: its number, what it counts, when it is tried next.
  number BIGINT NOT NULL,
  outgoing BIGINT,
  due_at BIGINT,
  attempts BIGINT NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (code, place),
  CHECK ((outgoing IS NULL) = (due_at IS NULL))
);
CREATE INDEX operator_alerts_due ON operator_alerts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operator_alerts_age ON operator_alerts (seen_at);

-- How many were told in the last hour, by all nodes together.
CREATE TABLE alert_budget (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  told TEXT NOT NULL,
  open_until BIGINT NOT NULL,
  -- The number of the last message; it goes up.
  number BIGINT NOT NULL
);
