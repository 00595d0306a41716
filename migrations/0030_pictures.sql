-- Pictures of Guilds and of accounts. The files are in the store of files, by their owner's id and their digest.
CREATE TABLE pictures (
  owner TEXT NOT NULL PRIMARY KEY,
  -- Discord's name for it, so that it is fetched once.
  source TEXT NOT NULL,
  digest TEXT NOT NULL,
  content_type TEXT NOT NULL,
  kept_at BIGINT NOT NULL
);
