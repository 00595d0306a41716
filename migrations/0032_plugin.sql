-- The settings that the file of a Server's plugin was made from, as its plugin last said.
ALTER TABLE servers ADD COLUMN plugin_stamp TEXT;

-- Calls that were refused to a key, by hour and by the code they were answered with.
CREATE TABLE key_refusals (
  key_num BIGINT NOT NULL REFERENCES api_keys (num) ON DELETE CASCADE,
  hour BIGINT NOT NULL,
  code TEXT NOT NULL,
  calls BIGINT NOT NULL CHECK (calls > 0),
  PRIMARY KEY (key_num, hour, code)
);

CREATE INDEX key_refusals_hour ON key_refusals (hour);
