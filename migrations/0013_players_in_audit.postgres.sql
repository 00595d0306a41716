-- Players act for themselves on the link page.

ALTER TABLE audit DROP CONSTRAINT audit_actor_kind_check;
ALTER TABLE audit ADD CONSTRAINT audit_actor_kind_check
  CHECK (actor_kind IN ('account', 'key', 'player', 'operator_cli', 'system'));
