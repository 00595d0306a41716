-- Ended links of a person are looked up when rows of another system are taken over, and wherever history counts.
CREATE INDEX links_ended ON links (guild_num, discord_id) WHERE ended_at IS NOT NULL;
