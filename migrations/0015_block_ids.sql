-- A block has an id of its own, by which the audit log can name it without naming a person.
ALTER TABLE blocklist ADD COLUMN id TEXT NOT NULL DEFAULT '';

-- Blocks from before get ids in the order of their entries: the smallest there are, so that they sort before all others.
UPDATE blocklist
SET id = numbered.id
FROM (
  SELECT entry, 'blk_' || substr(padded, length(padded) - 25) AS id
  FROM (
    SELECT entry, '00000000000000000000000000' || ROW_NUMBER() OVER (ORDER BY entry) AS padded
    FROM blocklist
  ) counted
) numbered
WHERE numbered.entry = blocklist.entry;

-- A node of the version before, which may still run, blocks without an id.
CREATE UNIQUE INDEX blocklist_id ON blocklist (id) WHERE id <> '';
CREATE INDEX blocklist_age ON blocklist (expires_at) WHERE expires_at IS NOT NULL;

-- Keys that were regenerated away and tried again, for the overview of their Org.
CREATE INDEX retired_keys_in_use ON retired_keys (org_num, retired_at) WHERE reported_at IS NOT NULL;
