// The answers of the Stripe emulator beside the descriptions of objects that Stripe's package carries.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Stripe from 'stripe';
import { judge, world } from './world.mjs';

const own = world.stripe;
const { hostname, port } = new URL(own.api);
const stripe = new Stripe(own.key, { host: hostname, port, protocol: 'http', telemetry: false });
const folder = new URL('resources/', import.meta.resolve('stripe'));

/** The fields of a described object: name, and whether it may be missing. */
function described(file, name) {
  const text = readFileSync(new URL(`${file}.d.ts`, folder), 'utf8');
  const begin = text.search(new RegExp(`^ *(export )?interface ${name} \\{$`, 'm'));
  assert.ok(begin >= 0, `${file} describes no ${name}`);
  const [head, ...lines] = text.slice(begin).split('\n');
  const inner = head.search(/\S/) + 4;
  const body = lines.slice(0, lines.findIndex((line) => line.search(/\S/) === inner - 4));
  const fields = body.map((line) => line.match(new RegExp(`^ {${inner}}(\\w+)(\\??):`))).filter(Boolean);
  assert.ok(fields.length > 2, `${name} has hardly any fields`);
  return fields.map(([, field, optional]) => [field, optional === '?']);
}

/** Has everything that is described and nothing else. */
function fits(object, file, name) {
  const fields = described(file, name);
  const missing = fields.filter(([field, optional]) => !optional && !(field in object)).map(([field]) => field);
  const known = new Set(fields.map(([field]) => field));
  const strange = Object.keys(object).filter((field) => !known.has(field) && field !== 'lastResponse');
  assert.deepEqual({ missing, strange }, { missing: [], strange: [] }, name);
}

let customer, subscription;

await judge('stripe shapes', {
  'of what is sold and who buys': async () => {
    customer = await stripe.customers.create({ email: 'shapes@example.com' });
    fits(customer, 'Customers', 'Customer');
    fits(await stripe.accounts.retrieveCurrent(), 'Accounts', 'Account');
    fits(await stripe.products.retrieve(own.product), 'Products', 'Product');
    fits(await stripe.prices.retrieve(own.standard), 'Prices', 'Price');
  },

  'of subscriptions and invoices': async () => {
    subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: own.standard }] });
    fits(subscription, 'Subscriptions', 'Subscription');
    const [item] = subscription.items.data;
    fits(item, 'SubscriptionItems', 'SubscriptionItem');
    fits(item.plan, 'Plans', 'Plan');
    const invoice = await stripe.invoices.retrieve(subscription.latest_invoice);
    fits(invoice, 'Invoices', 'Invoice');
    fits(invoice.lines.data[0], 'InvoiceLineItems', 'InvoiceLineItem');
  },

  'of checkout and the portal': async () => {
    const line_items = [{ price: own.standard, quantity: 1 }];
    const wanted = { mode: 'subscription', customer: customer.id, line_items, success_url: 'http://127.0.0.1:8080/' };
    const session = await stripe.checkout.sessions.create(wanted);
    fits(session, 'Checkout/Sessions', 'Session');
    fits((await stripe.checkout.sessions.listLineItems(session.id)).data[0], 'LineItems', 'LineItem');
    const flow_data = { type: 'subscription_cancel', subscription_cancel: { subscription: subscription.id } };
    const portal = await stripe.billingPortal.sessions.create({ customer: customer.id, flow_data });
    fits(portal, 'BillingPortal/Sessions', 'Session');
    fits(portal.flow, 'BillingPortal/Sessions', 'Flow');
    const configuration = await stripe.billingPortal.configurations.retrieve(portal.configuration);
    fits(configuration, 'BillingPortal/Configurations', 'Configuration');
    fits(configuration.features, 'BillingPortal/Configurations', 'Features');
  },

  'of events, endpoints and clocks': async () => {
    fits((await stripe.events.list({ limit: 1 })).data[0], 'Events', 'EventBase');
    const endpoint = await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:1/', enabled_events: ['*'] });
    fits(endpoint, 'WebhookEndpoints', 'WebhookEndpoint');
    await stripe.webhookEndpoints.del(endpoint.id);
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_800_000_000 });
    fits(clock, 'TestHelpers/TestClocks', 'TestClock');
    await stripe.testHelpers.testClocks.del(clock.id);
  },
});
