// A Guild's own bot: its token, its way to being online, what goes wrong and who pays. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, holdsFocus, rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { failed, INVITE, online, paused, starting, takingOver, tokenless } from '../fixtures-bots.mjs';
import { billing, CHECKOUT } from '../fixtures-billing.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const BOT = '/orgs/o1/guilds/g1/bot';
const READ = `**/api${BOT}`;
const TOKEN = 'MTIzNDU2Nzg5.Gabc-1.s3cr_t';
const refusal = (status, code, message) => ({ status, json: { status, code, message, request_id: 'r1' } });
const card = (page, name) => page.getByRole('region', { name, exact: true });
/** The page on an answer that the test changes, and how often it was asked for. */
async function watch(page, view) {
  const it = { view, reads: 0 };
  await page.route(READ, (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    it.reads += 1;
    return route.fulfill({ json: it.view });
  });
  return it;
}

test('a token is saved, cleared, and the bot is watched from its host to its work', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_tokenless', clock: true });
  const it = await watch(page, tokenless);
  const field = page.getByLabel('Token', { exact: true });
  assert.deepEqual(await field.evaluate((input) => [input.type, input.autocomplete, input.value]), ['password', 'off', '']);
  await page.getByRole('button', { name: 'Save token' }).click();
  await page.getByText('Paste your bot’s token.').waitFor();
  await field.fill(` "${TOKEN}"\n`);
  it.view = starting('allocate');
  const asked = page.waitForRequest((request) => request.method() === 'POST');
  await page.keyboard.press('Enter');
  assert.deepEqual((await asked).postDataJSON(), { token: TOKEN, new_identity: false });
  await card(page, 'Custom Bot').getByText('Allocating dedicated bot host').waitFor();
  assert.equal(await page.getByLabel('New token').inputValue(), '');
  await page.getByText('Saved the token').waitFor();
  const line = page.getByRole('list', { name: 'Steps' });
  for (const [step, message] of [['install', 'Installing your bot'], ['deploy', 'Starting your bot'], ['start', 'Starting your bot']]) {
    it.view = starting(step);
    await page.clock.runFor(2_000);
    await becomes(() => line.locator('[aria-current=step]').innerText(), step[0].toUpperCase() + step.slice(1));
    await card(page, 'Custom Bot').getByText(message, { exact: true }).waitFor();
  }
  it.view = takingOver;
  await page.clock.runFor(2_000);
  await card(page, 'In the Discord server').getByText('Taking over').waitFor();
  it.view = online;
  await page.clock.runFor(2_000);
  await card(page, 'In the Discord server').getByText('Working').waitFor();
  await card(page, 'Custom Bot').getByText('Watching 128 linked accounts').waitFor();
  await card(page, 'Custom Bot').getByText('because it used too much memory').waitFor();
  assert.equal(await page.getByText(TOKEN).count(), 0);
  assert.equal(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage })).then((kept) => kept.includes('s3cr_t')), false);
  await rest(page);
  const { reads } = it;
  await page.clock.runFor(20_000);
  await rest(page);
  assert.equal(it.reads, reads, 'nothing is asked while nothing changes');
  await leave();
});

test('a hidden tab asks for nothing', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_install', clock: true });
  const it = await watch(page, starting('install'));
  const show = (state) =>
    page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  await page.clock.runFor(2_000);
  await becomes(() => it.reads > 0, true);
  await show('hidden');
  await rest(page);
  const { reads } = it;
  await page.clock.runFor(20_000);
  await rest(page);
  assert.equal(it.reads, reads);
  await show('visible');
  await page.clock.runFor(2_000);
  await becomes(() => it.reads > reads, true);
  await leave();
});

test('a token that is refused stays in its field, with what to do', async () => {
  const { page, leave } = await on.visit(BOT);
  const field = page.getByLabel('New token');
  const replace = page.getByRole('button', { name: 'Replace token' });
  await field.fill(TOKEN);
  for (const [answer, words] of [
    [refusal(400, 'BOT_TOKEN_REJECTED', 'Discord does not accept this token.'), 'Discord doesn’t accept this token.'],
    [refusal(409, 'BOT_IN_USE', 'This bot is used already.'), 'This bot already works for another Guild.'],
    [refusal(503, 'DISCORD_UNAVAILABLE', 'Discord did not answer. Nothing was changed; try again in a minute.'), 'Discord did not answer. Nothing was changed'],
    [refusal(409, 'BOT_NOT_SUBSCRIBED', 'Nobody pays for a bot of this Guild.'), 'Nobody pays for a bot of this Guild.'],
  ]) {
    await page.route('**/bot/token', (route) => route.fulfill(answer));
    await replace.click();
    await page.getByText(words).waitFor();
    assert.equal(await field.inputValue(), TOKEN);
    await becomes(() => field.evaluate((input) => input === document.activeElement), true);
  }
  await page.getByRole('link', { name: 'Open billing' }).nth(1).waitFor();
  await field.press('End');
  await page.keyboard.type('x');
  assert.equal(await page.getByText('Nobody pays for a bot').count(), 0, 'what was said was about another token');
  await leave();
});

test('another bot takes over only after it was asked for', async () => {
  const { page, leave } = await on.visit(BOT);
  const bodies = [];
  await page.route('**/bot/token', (route) => {
    const body = route.request().postDataJSON();
    bodies.push(body.new_identity);
    return body.new_identity ? route.fulfill({ json: starting('install') }) : route.fulfill(refusal(409, 'BOT_OTHER_IDENTITY', 'Another bot.'));
  });
  const field = page.getByLabel('New token');
  await field.fill(TOKEN);
  await field.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Replace Rustopia Bot with another bot?' });
  await holdsFocus(dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await field.inputValue(), TOKEN);
  await page.getByRole('button', { name: 'Replace token' }).click();
  await dialog.getByRole('button', { name: 'Replace bot' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Replaced the token').waitFor();
  assert.equal(await field.inputValue(), '');
  assert.deepEqual(bodies, [false, false, true]);
  await leave();
});

test('a bot that failed says why and is retried', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_crash_loop' });
  const it = await watch(page, failed('crash_loop'));
  await page.getByText('The bot stopped 5 times within 10 minutes').waitFor();
  await card(page, 'In the Discord server').getByText('until yours is online').waitFor();
  it.view = starting('start');
  await page.getByRole('button', { name: 'Retry' }).click();
  await card(page, 'Custom Bot').getByText('Starting your bot').waitFor();
  await becomes(() => card(page, 'Custom Bot').evaluate((one) => one.contains(document.activeElement)), true, 'the keyboard stays near the button that is gone');
  await leave();
});

test('a bot that is not in the Discord server is added there, and goes on by itself', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_not_in_guild', clock: true });
  const it = await watch(page, starting('start', { reason: 'not_in_guild', invite_url: INVITE }));
  const add = page.getByRole('link', { name: 'Add your bot in a new tab' });
  assert.deepEqual([await add.getAttribute('href'), await add.getAttribute('rel')], [INVITE, 'noopener noreferrer']);
  it.view = { ...it.view, bot: { ...it.view.bot, invite_url: 'javascript:alert(1)' } };
  await page.clock.runFor(2_000);
  await becomes(() => add.count(), 0);
  it.view = online;
  await page.clock.runFor(2_000);
  await card(page, 'Custom Bot').getByText('Online', { exact: true }).waitFor();
  await leave();
});

test('removing says what is left, and the subscription is not cancelled by it', async () => {
  const { page, leave, focusedOn } = await on.visit(BOT, { world: 'bot_alone' });
  await page.getByText('The shared bot isn’t in the Discord server. If yours is paused').waitFor();
  await page.getByRole('button', { name: 'Remove bot' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Rustopia Bot?' });
  await focusedOn('Cancel');
  await dialog.getByText('no bot works there until you add one').waitFor();
  await dialog.getByRole('link', { name: 'Add the shared bot' }).waitFor();
  await page.route(READ, (route) => (route.request().method() === 'DELETE' ? route.fulfill(refusal(503, 'STORAGE_UNAVAILABLE', 'Try again in a moment.')) : route.fallback()));
  await dialog.getByRole('button', { name: 'Remove bot' }).click();
  await dialog.getByText('Try again in a moment.').waitFor();
  await page.unrouteAll();
  await watch(page, tokenless);
  await dialog.getByRole('button', { name: 'Remove bot' }).click();
  await page.getByText('Removed Rustopia Bot').waitFor();
  await page.getByText('No token yet').waitFor();
  await becomes(() => page.evaluate(() => document.querySelector('main').contains(document.activeElement)), true);
  await becomes(() => page.evaluate(() => getComputedStyle(document.body).pointerEvents), 'auto');
  await leave();
});

test('it is bought from here, once, by those who may', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_unbought' });
  await page.route(/^https:\/\/checkout\.example\//, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Stripe</title>' }));
  assert.equal(await page.getByLabel('Token').count(), 0);
  await page.getByRole('button', { name: 'Add Custom Bot: $5 a month' }).dblclick();
  await page.waitForURL(CHECKOUT);
  await leave();

  const keeper = await on.visit(BOT, { world: 'botkeeper' });
  await keeper.page.getByText('Someone with the permission “Manage billing” can add it.').waitFor();
  assert.equal(await keeper.page.getByRole('button', { name: /Add Custom Bot/ }).count(), 0);
  await keeper.leave();
  const unsold = await on.visit(BOT, { world: 'bot_unsold' });
  await unsold.page.getByText('Custom Bots aren’t sold on this installation.').waitFor();
  await unsold.leave();
});

test('a paused bot is kept and resumes when it is paid for again', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_paused' });
  const it = await watch(page, paused);
  await page.getByText('Its token and configuration are kept').waitFor();
  await page.getByRole('button', { name: 'Add Custom Bot: $5 a month' }).waitFor();
  it.view = { ...paused, access: 'subscribed' };
  await page.reload();
  await page.getByText('Rustopia Bot goes on in a moment.').waitFor();
  it.view = online;
  await card(page, 'Custom Bot').getByText('Online', { exact: true }).waitFor();
  await leave();
});

test('its pages lead to it, for those who manage bots', async () => {
  for (const [path, link] of [['/orgs/o1/guilds/g1', 'Open Custom Bot'], ['/orgs/o1/guilds', 'Custom Bot of Rustlands']]) {
    const { page, heading, leave } = await on.visit(path);
    await page.getByRole('link', { name: link, exact: true }).click();
    await heading('Custom Bot');
    await leave();
  }
  const bought = await on.visit('/orgs/o1/billing');
  const bot = { ...billing.subscriptions[1], guild_id: 'g1', guild_name: 'Rustlands' };
  await bought.page.route('**/billing/subscriptions', (route) => route.fulfill({ json: { ...billing, subscriptions: [bot] } }));
  await bought.page.evaluate(() => sessionStorage.setItem('checkout', JSON.stringify({ org: 'o1', had: [] })));
  await bought.page.goto(`${on.base}/app/orgs/o1/billing?checkout=done`);
  await bought.page.getByText('Stripe has confirmed your purchase: Custom Bot for Rustlands.').waitFor();
  await bought.page.getByRole('link', { name: 'Open Custom Bot of Rustlands' }).waitFor();
  await bought.page.getByRole('link', { name: 'Set up Custom Bot' }).click();
  await bought.heading('Custom Bot');
  await bought.leave();
  const viewer = await on.visit(BOT, { world: 'viewer' });
  await viewer.page.getByText('You need the permission “Manage custom bots” (servers.bots).').waitFor();
  await on.goto(viewer.page, '/orgs/o1/guilds');
  assert.equal(await viewer.page.getByRole('link', { name: /Custom Bot/ }).count(), 0);
  await viewer.leave();
});

test('what was read stays when it cannot be read again, with its age', async () => {
  const { page, leave } = await on.visit(BOT, { world: 'bot_install', clock: true });
  await page.route(READ, (route) => route.fulfill(refusal(500, 'INTERNAL', 'Something broke on our side.')));
  await page.clock.runFor(2_000);
  await page.getByText('Not updated since').waitFor();
  await card(page, 'Custom Bot').getByText('Installing your bot').waitFor();
  await leave();
});
