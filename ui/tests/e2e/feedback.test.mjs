// What the dashboard says back: notes, times, states, what is left to do, and what it does not promise. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rest, settled } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { READS } from '../fixtures.mjs';

const HOUR = 60 * 60_000;
let on;
let visit;
before(async () => {
  on = await open();
  visit = on.visit;
});
after(() => on.close());

const apart = (a, b) => a.y + a.height <= b.y || b.y + b.height <= a.y || a.x + a.width <= b.x || b.x + b.width <= a.x;
const note = (page, text) => page.getByRole('region', { name: 'Notes' }).getByText(text);

/** Nothing lies on it: its middle is what a click there would reach. */
const reachable = (locator) =>
  locator.evaluate((element) => {
    const box = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
  });

for (const width of [1280, 375]) {
  test(`a note never covers the Save bar, at ${width}`, async () => {
    const { page, leave } = await visit('/orgs/o1/guilds/g1', { width, notes: true });
    const name = page.getByLabel('Name', { exact: true });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await name.fill('Rustlands EU');
    await save.click();
    await note(page, 'Saved').waitFor();
    await rest(page);
    await name.fill('Rustlands US');
    await save.waitFor();
    await settled(page);
    assert.ok(await note(page, 'Saved').isVisible());
    assert.ok(await reachable(save));
    const bar = page.getByText('You have unsaved changes.').locator('..');
    const notes = page.getByRole('region', { name: 'Notes' });
    assert.ok(apart(await bar.boundingBox(), await notes.boundingBox()));
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForFunction(() => scrollY > 0);
    await settled(page);
    assert.ok(await reachable(save));
    await leave();
  });

  test(`nor the buttons of a dialog, at ${width}`, async () => {
    const { page, leave } = await visit('/orgs/o1/servers', { width, notes: true });
    await page.getByRole('button', { name: 'Add Server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('EU 3x');
    await dialog.getByRole('button', { name: 'Add Server' }).click();
    await note(page, 'Added EU 3x').waitFor();
    await dialog.getByText('What to do next').waitFor();
    await settled(page);
    for (const button of ['Done', 'Open Server']) assert.ok(await reachable(dialog.getByText(button, { exact: true })), button);
    await leave();
  });
}

test('what has happened is never told as something to come, also where the clock is hours behind', async () => {
  for (const path of ['/orgs/o1', '/orgs/o1/servers', '/orgs/o1/servers/s1', '/orgs/o1/keys', '/orgs/o1/audit', '/orgs/o1/errors', '/orgs/o1/team?tab=invites', '/account']) {
    const { page, leave } = await visit('/');
    await page.clock.setFixedTime(Date.now() - 3 * HOUR);
    await on.goto(page, path);
    const text = await page.getByRole('main').innerText();
    assert.doesNotMatch(text, /in a moment|in \d+ (minute|hour)s?\b/, path);
    assert.match(text, /just now|ago|yesterday/, path);
    await leave();
  }
});

test('the last call of a Server shows by itself while somebody watches for it', async () => {
  const { page, leave } = await visit('/');
  await page.clock.install();
  const before = READS['/orgs/o1/servers/s3'];
  let called = false;
  await page.route('**/api/orgs/o1/servers/s3', (route) =>
    route.fulfill({ json: called ? { ...before, last_call_at_ms: Date.now(), plugin_version: '3.23.1' } : before }),
  );
  await on.goto(page, '/orgs/o1/servers/s3');
  await page.getByText('Never. Add its key to the plugin and reload it.').waitFor();
  called = true;
  await page.clock.fastForward(15_000);
  await page.getByText('Never. Add its key to the plugin and reload it.').waitFor({ state: 'detached' });
  await page.getByText('3.23.1').waitFor();
  await page.getByText('Active', { exact: true }).first().waitFor();
  await leave();
});

test('a Server is in the same state on every page, and one that never called is nowhere active', async () => {
  const STATES = ['Active', 'Never called', 'Silent', 'Inactive', 'Revoked'];
  const row = (page, name) => page.locator('li, tr').filter({ hasText: name }).filter({ has: page.getByText(new RegExp(`^(${STATES.join('|')})$`)) });
  for (const [id, name, state] of [['s3', 'Build Sandbox', 'Never called'], ['s2', 'US Main 2x', 'Silent'], ['s4', 'US Modded 5x', 'Inactive']]) {
    for (const path of ['/orgs/o1', '/orgs/o1/servers', '/orgs/o1/keys']) {
      const { page, leave } = await visit(path);
      const shown = (await row(page, name).first().innerText()).split('\n').map((line) => line.trim());
      assert.deepEqual(shown.flatMap((line) => line.split('\t')).filter((word) => STATES.includes(word.trim())), [state], `${name} at ${path}`);
      await leave();
    }
    const { page, leave } = await visit(`/orgs/o1/servers/${id}`);
    const words = await page.getByRole('main').getByText(new RegExp(`^(${STATES.join('|')})$`)).allInnerTexts();
    assert.deepEqual(words, [state, state], `${name}, its page and its key`);
    await leave();
  }
});

test('an organisation with nothing set up is not in order, and offers only the step that can be done', async () => {
  const { page, leave } = await visit('/orgs/o1', { world: 'fresh' });
  await page.getByText('0 of 5 done').waitFor();
  assert.equal(await page.getByText('Everything is in order').count(), 0);
  assert.deepEqual(await page.getByRole('list').filter({ hasText: 'Add a Guild' }).getByRole('link').allInnerTexts(), ['Add Guild']);
  assert.deepEqual(await page.getByText(/^Needs a /).allInnerTexts(), ['Needs a Guild', 'Needs a Server', 'Needs a Guild', 'Needs a Guild']);
  await leave();
  const calm = await visit('/orgs/o1', { world: 'calm' });
  await calm.page.getByText('Everything is in order').waitFor();
  await calm.leave();
});

// [what, path, the dialog, what opens it]
for (const [name, path, title, act] of [
  ['a new invite', '/orgs/o1/team?tab=invites', 'Create invite', (page) => page.getByRole('button', { name: 'Create invite' }).click()],
  ['a new key', '/orgs/o1/keys', 'Create key', (page) => page.getByRole('button', { name: 'Create key' }).click()],
  ['a regenerated key', '/orgs/o1/servers/s1', 'New key of EU Main 2x', async (page) => {
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click();
  }],
]) {
  for (const width of [1280, 375]) {
    test(`the buttons of ${name} are in sight without scrolling, at ${width}`, async () => {
      const { page, leave } = await visit(path, { width });
      await act(page);
      const buttons = page.getByRole('dialog', { name: title, exact: true }).locator('footer').getByRole('button');
      await buttons.first().waitFor();
      await rest(page);
      for (const button of await buttons.all()) {
        const box = await button.boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= 800, `${JSON.stringify(box)}`);
        assert.ok(await reachable(button));
      }
      assert.ok((await buttons.count()) > 0);
      await leave();
    });
  }
}

test('nothing is promised that does not exist yet', async () => {
  const team = await visit('/orgs/o1/team');
  const switches = await team.page.getByRole('switch').evaluateAll((all) => all.map((one) => one.labels[0].textContent));
  for (const built of ['Reveal and replace keys', 'Unlink players', 'Export links', 'Clean up dormant accounts', 'View analytics', 'Manage billing', 'Manage custom bots']) assert.ok(switches.some((label) => label.startsWith(built)), built);
  await team.leave();
  const unsold = await visit('/orgs/o1/team', { world: 'unsold' });
  assert.equal(await unsold.page.getByRole('switch', { name: /billing/i }).count(), 0, 'where nothing is sold');
  await unsold.leave();

  const invites = await visit('/orgs/o1/team?tab=invites');
  await invites.page.getByRole('button', { name: 'Create invite' }).click();
  const dialog = invites.page.getByRole('dialog');
  const [sent] = await Promise.all([
    invites.page.waitForRequest((request) => request.method() === 'POST'),
    dialog.getByRole('button', { name: 'Create invite' }).click(),
  ]);
  assert.deepEqual(sent.postDataJSON().permissions, ['links.view', 'servers.view', 'analytics.view'], 'a role is given whole');
  await invites.leave();

  const server = await visit('/orgs/o1/servers/s1');
  await server.page.getByText(/The plugin reads them from its Symbolon\.json: after a change, replace that file\./).waitFor();
  await server.leave();

  const keys = await visit('/orgs/o1/keys', { world: 'fresh' });
  await keys.page.getByText('Custom keys come with').waitFor();
  assert.equal(await keys.page.getByText('Bot keys').count(), 0);
  await keys.leave();
});
