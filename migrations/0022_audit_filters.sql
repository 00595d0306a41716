-- The audit log is looked through by who did something, what they did and what it was about, newest first.
CREATE INDEX audit_by_actor ON audit (chain, actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_by_action ON audit (chain, action, seq);
CREATE INDEX audit_by_target ON audit (chain, target, seq) WHERE target IS NOT NULL;
