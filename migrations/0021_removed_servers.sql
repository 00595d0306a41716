-- A deleted Server is gone for everybody at once. Its row stays until what it knew of players is forgotten, in slices.
ALTER TABLE servers ADD COLUMN removed_at BIGINT;

-- The oldest job of a kind, and the removals that are under way.
CREATE INDEX jobs_kind ON jobs (kind, created_at);
