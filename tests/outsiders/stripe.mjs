// Stripe's own package for Node.js, unmodified, at the Stripe emulator.
import assert from 'node:assert/strict';
import Stripe from 'stripe';
import { hook } from './hook.mjs';
import { control, judge, world } from './world.mjs';

const own = world.stripe;
const { hostname, port } = new URL(own.api);
const place = { host: hostname, port, protocol: 'http', telemetry: false };
const client = (options = {}, key = own.key) => new Stripe(key, { ...place, maxNetworkRetries: 0, ...options });
const stripe = client();
const call = (method, path, body) => control(own.control, method, path, body);
const success_url = 'http://127.0.0.1:8080/done?session={CHECKOUT_SESSION_ID}';

let ada, endpoint, letters, session, subscription;

/** Presses a button on a page of the emulator; where it leads. */
async function visit(url, as) {
  const response = await fetch(`${url}?as=${as}`, { redirect: 'manual' });
  return response.headers.get('location');
}

await judge('stripe', {
  'is refused with a wrong key': async () => {
    const error = await client({}, 'sk_test_wrong').customers.list().catch((error) => error);
    assert.ok(error instanceof Stripe.errors.StripeAuthenticationError, error);
  },

  'reads the account and what is sold': async () => {
    assert.match((await stripe.accounts.retrieveCurrent()).id, /^acct_/);
    const found = await stripe.prices.list({ lookup_keys: ['standard_monthly'], expand: ['data.product'] });
    assert.deepEqual(found.data.map((price) => [price.id, price.product.name]), [[own.standard, 'Symbolon Standard']]);
  },

  'keeps customers and their metadata': async () => {
    ada = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada', metadata: { org: '7', team: 'a' } });
    const changed = await stripe.customers.update(ada.id, { metadata: { team: '' }, name: 'Ada L.' });
    assert.deepEqual([changed.name, changed.metadata], ['Ada L.', { org: '7' }]);
    const other = await stripe.customers.create({});
    assert.deepEqual(await stripe.customers.del(other.id), { id: other.id, object: 'customer', deleted: true });
    assert.equal((await stripe.customers.retrieve(other.id)).deleted, true);
  },

  'tells errors apart': async () => {
    const missing = await stripe.customers.retrieve('cus_none').catch((error) => error);
    assert.ok(missing instanceof Stripe.errors.StripeInvalidRequestError);
    assert.deepEqual([missing.statusCode, missing.code, missing.param], [404, 'resource_missing', 'id']);
    assert.match(missing.requestId, /^req_/);
    const unknown = await stripe.customers.create({ colour: 'red' }).catch((error) => error);
    assert.deepEqual([unknown.statusCode, unknown.code, unknown.param], [400, 'parameter_unknown', 'colour']);
    for (const [fault, kind] of [
      ['rate_limit', Stripe.errors.StripeRateLimitError],
      ['error_500', Stripe.errors.StripeAPIError],
      ['error_403', Stripe.errors.StripePermissionError],
      ['drop', Stripe.errors.StripeConnectionError],
    ]) {
      // It asks once more by itself when a connection breaks.
      await call('POST', 'faults', { route: 'GET /v1/account', fault });
      const error = await stripe.accounts.retrieveCurrent().catch((error) => error);
      assert.ok(error instanceof kind, `${fault}: ${error}`);
      await call('DELETE', 'faults');
    }
  },

  'is given the same answer under the same key': async () => {
    const [params, options] = [{ email: 'twice@example.com' }, { idempotencyKey: 'outsider-1' }];
    const first = await stripe.customers.create(params, options);
    const second = await stripe.customers.create(params, options);
    assert.equal(second.id, first.id);
    assert.equal(second.lastResponse.headers['idempotent-replayed'], 'true');
    const other = await stripe.customers.create({ email: 'other@example.com' }, options).catch((error) => error);
    assert.ok(other instanceof Stripe.errors.StripeIdempotencyError, other);
  },

  'tries again by itself, and nothing is made twice': async () => {
    const patient = client({ maxNetworkRetries: 2 });
    await call('POST', 'faults', { route: 'POST /v1/customers', fault: 'lost', times: 1 });
    await patient.customers.create({ email: 'lost@example.com' });
    const found = await stripe.customers.list({ email: 'lost@example.com' });
    assert.equal(found.data.length, 1);
  },

  'turns the pages by itself': async () => {
    for (let number = 0; number < 25; number += 1) await stripe.products.create({ name: `p${number}`, active: false });
    const names = [];
    for await (const product of stripe.products.list({ active: false, limit: 10 })) names.push(product.name);
    assert.deepEqual(names, Array.from({ length: 25 }, (_, number) => `p${24 - number}`));
    const back = await stripe.products.list({ active: false, limit: 100 });
    const before = await stripe.products.list({ active: false, ending_before: back.data[20].id, limit: 3 });
    assert.deepEqual(before.data.map((product) => product.name), ['p7', 'p6', 'p5']);
  },
});

await judge('stripe', {
  'checks out, and is told by a signed event': async () => {
    letters = await hook();
    endpoint = await stripe.webhookEndpoints.create({ url: letters.url, enabled_events: ['*'] });
    session = await stripe.checkout.sessions.create({
      mode: 'subscription', customer: ada.id, success_url, cancel_url: 'http://127.0.0.1:8080/',
      line_items: [{ price: own.standard, quantity: 1 }], client_reference_id: 'org-7',
      subscription_data: { metadata: { org: '7' } }, expand: ['line_items'],
    });
    assert.equal(session.line_items.data[0].price.id, own.standard);
    assert.equal(await visit(session.url, 'pay'), success_url.replace('{CHECKOUT_SESSION_ID}', session.id));
    const letter = await letters.next('the event', (event) => event.type === 'checkout.session.completed');
    const event = stripe.webhooks.constructEvent(letter.body, letter.signature, endpoint.secret);
    assert.deepEqual([event.data.object.id, event.data.object.status], [session.id, 'complete']);
    subscription = event.data.object.subscription;
    const forged = letter.body.replace('org-7', 'org-8');
    assert.throws(() => stripe.webhooks.constructEvent(forged, letter.signature, endpoint.secret), /signature/i);
    assert.throws(() => stripe.webhooks.constructEvent(letter.body, letter.signature, 'whsec_other'), /signature/i);
  },

  'knows what a subscription looks like': async () => {
    const expand = ['latest_invoice', 'customer', 'items.data.price.product'];
    const found = await stripe.subscriptions.retrieve(subscription, { expand });
    const [item] = found.items.data;
    assert.deepEqual([found.status, found.metadata, found.customer.id], ['active', { org: '7' }, ada.id]);
    assert.deepEqual([found.latest_invoice.status, found.latest_invoice.total], ['paid', 500]);
    assert.equal(item.price.product.name, 'Symbolon Standard');
    assert.ok(item.current_period_end > item.current_period_start);
    assert.equal(found.current_period_end, undefined);
    const deep = { expand: ['data.items.data.price.product'] };
    await assert.rejects(stripe.subscriptions.list(deep), { code: 'property_expansion_max_depth' });
  },

  'speaks older versions': async () => {
    const old = client({ apiVersion: '2024-06-20' });
    const found = await old.subscriptions.retrieve(subscription);
    assert.ok(found.current_period_end > found.current_period_start);
    assert.equal(found.plan.id, own.standard);
  },

  'changes and ends a subscription': async () => {
    const found = await stripe.subscriptions.retrieve(subscription);
    const items = [{ id: found.items.data[0].id, price: own.pro }];
    const changed = await stripe.subscriptions.update(subscription, { items, proration_behavior: 'none' });
    assert.equal(changed.items.data[0].price.id, own.pro);
    const letter = await letters.next('the change', (event) => event.type === 'customer.subscription.updated');
    const event = stripe.webhooks.constructEvent(letter.body, letter.signature, endpoint.secret);
    assert.equal(event.data.previous_attributes.items.data[0].price.id, own.standard);
    const ending = await stripe.subscriptions.update(subscription, { cancel_at_period_end: true });
    assert.deepEqual([ending.status, ending.cancel_at_period_end], ['active', true]);
    assert.equal((await stripe.subscriptions.cancel(subscription)).status, 'canceled');
    assert.equal((await stripe.subscriptions.list({ customer: ada.id })).data.length, 0);
    assert.equal((await stripe.subscriptions.list({ customer: ada.id, status: 'all' })).data.length, 1);
    await assert.rejects(stripe.subscriptions.cancel(subscription), { code: 'resource_missing' });
  },

  'opens the portal': async () => {
    const configuration = await stripe.billingPortal.configurations.create({
      features: {
        invoice_history: { enabled: true }, payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: 'immediately' },
        subscription_update: { enabled: true, default_allowed_updates: ['price'], products: [{ product: own.product, prices: [own.standard] }] },
      },
    });
    const { url } = await stripe.billingPortal.sessions.create({
      customer: ada.id, configuration: configuration.id, return_url: 'http://127.0.0.1:8080/billing',
    });
    const text = await (await fetch(url)).text();
    assert.ok(text.includes('http://127.0.0.1:8080/billing') && text.includes('Invoices'), text);
  },

  'moves a test clock': async () => {
    const frozen_time = Math.floor(Date.UTC(2027, 0, 31) / 1_000);
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time });
    const customer = await stripe.customers.create({ test_clock: clock.id, payment_method: 'pm_card_visa' });
    const made = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: own.standard }] });
    assert.equal(made.items.data[0].current_period_end, Math.floor(Date.UTC(2027, 1, 28) / 1_000));
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: Math.floor(Date.UTC(2027, 1, 28) / 1_000) });
    assert.equal((await stripe.testHelpers.testClocks.retrieve(clock.id)).status, 'ready');
    const invoices = await stripe.invoices.list({ subscription: made.id });
    assert.deepEqual(invoices.data.map((invoice) => invoice.billing_reason), ['subscription_cycle', 'subscription_create']);
    const events = await stripe.events.list({ types: ['invoice.paid'], limit: 2 });
    assert.equal(events.data[0].data.object.parent.subscription_details.subscription, made.id);
    await stripe.testHelpers.testClocks.del(clock.id);
  },

  'gets an event twice, and later again what it did not take': async () => {
    await call('POST', 'deliveries/settle');
    letters.letters.length = 0;
    await call('POST', 'faults', { route: 'POST {webhook}', fault: 'duplicate', times: 1 });
    await stripe.customers.update(ada.id, { name: 'Ada' });
    await call('POST', 'deliveries/settle');
    const ids = letters.letters.map((letter) => JSON.parse(letter.body).id);
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    letters.answer = 500;
    const again = await stripe.customers.update(ada.id, { name: 'Ada L.' });
    await call('POST', 'deliveries/settle');
    const waiting = await stripe.events.list({ delivery_success: false, type: 'customer.updated' });
    assert.deepEqual(waiting.data.map((event) => event.data.object.name), [again.name]);
    assert.equal(waiting.data[0].pending_webhooks, 1);
  },
});

await stripe.webhookEndpoints.del(endpoint.id);
letters.close();
