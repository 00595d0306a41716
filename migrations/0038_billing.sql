-- Who pays for an Org: its customer with Stripe. The row is there before Stripe is asked, so that asking twice makes one.
CREATE TABLE payers (
  org_num BIGINT PRIMARY KEY REFERENCES orgs (num),
  id TEXT NOT NULL UNIQUE,
  customer_id TEXT UNIQUE,
  -- One more with everything after which Stripe is to be asked anew.
  wanted BIGINT NOT NULL DEFAULT 0,
  -- Where that stood when its last answer was written down.
  read_wanted BIGINT NOT NULL DEFAULT 0,
  asked_at BIGINT NOT NULL DEFAULT 0,
  read_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX payers_read ON payers (asked_at) WHERE customer_id IS NOT NULL;

-- Purchases that somebody began. One is open for the plan of an Org, and one for the bot of each Guild.
CREATE TABLE checkouts (
  id TEXT PRIMARY KEY,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  guild_num BIGINT,
  offer TEXT NOT NULL,
  session_id TEXT,
  url TEXT,
  -- Who began it; their account may be gone.
  account_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ended_at BIGINT,
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE UNIQUE INDEX checkouts_open ON checkouts (org_num, COALESCE(guild_num, 0)) WHERE ended_at IS NULL;
CREATE INDEX checkouts_org ON checkouts (org_num);
CREATE INDEX checkouts_guild ON checkouts (guild_num) WHERE guild_num IS NOT NULL;
CREATE INDEX checkouts_age ON checkouts (expires_at);
CREATE INDEX checkouts_due ON checkouts (expires_at) WHERE ended_at IS NULL;

-- What Stripe says of the subscriptions of an Org.
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  -- Which Guild a bot was bought for.
  guild_num BIGINT,
  status TEXT NOT NULL,
  -- What its prices buy, and how often it is paid for.
  tier TEXT,
  bot BIGINT NOT NULL CHECK (bot IN (0, 1)),
  pay_interval TEXT,
  -- Stripe's time of the newest thing that was said of it.
  told_at BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  period_end BIGINT,
  cancel_at BIGINT,
  ended_at BIGINT,
  checkout_id TEXT,
  -- Whether Stripe listed it when it was last asked.
  listed BIGINT NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)),
  FOREIGN KEY (guild_num, org_num) REFERENCES guilds (num, org_num)
);
CREATE INDEX subscriptions_org ON subscriptions (org_num);
CREATE INDEX subscriptions_guild ON subscriptions (guild_num) WHERE guild_num IS NOT NULL;

-- Events that were taken in, so that none is taken twice.
CREATE TABLE stripe_events (
  id TEXT PRIMARY KEY,
  org_num BIGINT NOT NULL REFERENCES orgs (num),
  received_at BIGINT NOT NULL
);
CREATE INDEX stripe_events_org ON stripe_events (org_num);
CREATE INDEX stripe_events_age ON stripe_events (received_at);

-- Plans that an operator gave, for a time or for good.
CREATE TABLE tier_grants (
  org_num BIGINT PRIMARY KEY REFERENCES orgs (num),
  tier TEXT NOT NULL,
  ends_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX tier_grants_end ON tier_grants (ends_at) WHERE ends_at IS NOT NULL;

-- What operators set before there was anything to buy.
INSERT INTO tier_grants (org_num, tier, ends_at, created_at)
SELECT num, tier, NULL, created_at
FROM orgs
WHERE tier <> 'free' AND removed_at IS NULL;
