-- Since when nobody knows whether the message arrived, and whether it was sent again after Discord may have forgotten its
-- number: it is then sent no more, so that it is there twice at most.
ALTER TABLE log_batches ADD COLUMN unsure_at BIGINT;
ALTER TABLE log_batches ADD COLUMN resent BIGINT NOT NULL DEFAULT 0 CHECK (resent IN (0, 1));
