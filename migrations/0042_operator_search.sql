-- For finding Orgs and accounts by how their names begin.
CREATE INDEX orgs_name ON orgs (lower(name), id);
CREATE INDEX accounts_name ON accounts (lower(name), id);
