// Stripe's own command line, unmodified, at the Stripe emulator.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge, world } from './world.mjs';

const shim = createRequire(import.meta.url).resolve('@stripe/cli/bin/shim.js');
const home = mkdtempSync(join(tmpdir(), 'stripe-cli-'));
const env = { PATH: process.env.PATH, HOME: home, STRIPE_API_KEY: world.stripe.key, STRIPE_CLI_TELEMETRY_OPTOUT: '1' };

/** Runs the program; what it says. */
const run = (...words) =>
  execFileSync(process.execPath, [shim, ...words, '--api-base', world.stripe.api], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const json = (...words) => JSON.parse(run(...words));
const kinds = (customer) => {
  const events = json('events', 'list', '--limit', '30').data;
  const own = ({ object }) => object.customer === customer || object.id === customer;
  return events.filter((event) => own(event.data)).map((event) => event.type).reverse();
};

await judge('stripe-cli', {
  'makes and finds a customer': () => {
    const made = json('customers', 'create', '--email', 'cli@example.com', '-d', 'metadata[org]=7');
    assert.deepEqual([made.email, made.metadata], ['cli@example.com', { org: '7' }]);
    assert.equal(json('customers', 'retrieve', made.id).id, made.id);
    assert.equal(json('get', '/v1/customers', '-d', 'email=cli@example.com').data[0].id, made.id);
  },

  'lets events happen': () => {
    for (const event of ['customer.subscription.created', 'customer.subscription.updated', 'customer.subscription.deleted']) {
      assert.match(run('trigger', event), /Trigger succeeded/);
      const [newest] = json('subscriptions', 'list', '--status', 'all', '--limit', '1').data;
      assert.equal(kinds(newest.customer).at(-1), event === 'customer.subscription.created' ? 'invoice.paid' : event);
    }
  },
});

rmSync(home, { recursive: true, force: true });
