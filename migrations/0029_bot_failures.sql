-- More ways in which a bot can fail.
ALTER TABLE bots ADD COLUMN failed TEXT CHECK (failed IN ('token_rejected', 'intents_missing', 'identify_budget', 'unreachable', 'sharding_required', 'refused'));
UPDATE bots SET failed = failure;
ALTER TABLE bots DROP COLUMN failure;
ALTER TABLE bots RENAME COLUMN failed TO failure;
