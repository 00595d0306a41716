-- Calls made today to a service that allows only so many, over all nodes. Org 0 stands for people who wait for an answer.
CREATE TABLE daily_calls (
  provider TEXT NOT NULL,
  day BIGINT NOT NULL,
  org_num BIGINT NOT NULL,
  calls BIGINT NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (provider, day, org_num)
);
