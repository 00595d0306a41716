-- The colour of a Guild's link page, by its name in the palette. There is no list here, so that the palette can grow.
ALTER TABLE guilds ADD COLUMN accent TEXT NOT NULL DEFAULT 'indigo';
