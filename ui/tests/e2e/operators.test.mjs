// The operator area in a real browser on made-up data, and what it has everyone see. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const operate = (path, world = 'operating') => on.visit(path, { world, notes: true });
const button = (page, name) => page.getByRole('main').getByRole('button', { name });
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const field = (page, name) => page.getByRole('dialog').getByLabel(name);
/** What was sent by pressing. */
async function sends(page, method, press) {
  const [request] = await Promise.all([page.waitForRequest((one) => one.method() === method && one.url().includes('/api/')), press()]);
  return { path: new URL(request.url()).pathname, body: request.postDataJSON() };
}

test('the area is in groups, and each page is one click away', async () => {
  const { page, heading, leave } = await operate('/admin');
  const main = page.getByRole('navigation', { name: 'Main' });
  assert.deepEqual(await main.getByRole('heading').allInnerTexts(), ['People', 'Service', 'Health']);
  for (const name of ['Organisations', 'Blocklist', 'Registration', 'Plugin builds', 'Jobs', 'Audit log']) {
    await main.getByRole('link', { name, exact: true }).click();
    await heading(name);
    assert.equal(await main.locator('[aria-current]').innerText(), name);
  }
  await leave();
});

test('maintenance is turned on after a question that quotes the message, and off without one', async () => {
  const { page, leave } = await operate('/admin/maintenance');
  await page.getByLabel('Message').fill('Back at 14:00 UTC.');
  await button(page, 'Turn on maintenance').click();
  await page.getByRole('dialog').getByText('sees “Back at 14:00 UTC.” instead').waitFor();
  const sent = await sends(page, 'PUT', () => inDialog(page, 'Turn on maintenance').click());
  assert.deepEqual(sent, { path: '/api/admin/maintenance', body: { on: true, message: 'Back at 14:00 UTC.' } });
  await page.getByText('Turned maintenance on').waitFor();
  await leave();

  const calm = await operate('/admin/maintenance', 'calm_operating');
  const off = await sends(calm.page, 'PUT', () => button(calm.page, 'Turn off maintenance').click());
  assert.equal(off.body.on, false);
  await calm.leave();
});

test('everyone is signed out only once the words are typed', async () => {
  const { page, leave } = await operate('/admin/sessions');
  await button(page, 'Sign out everyone but me').click();
  assert.equal(await inDialog(page, 'Sign out everyone but me').isDisabled(), true);
  await field(page, /Type sign out everyone/).fill('sign out everyone');
  const sent = await sends(page, 'POST', () => inDialog(page, 'Sign out everyone but me').click());
  assert.deepEqual(sent, { path: '/api/admin/sessions/end-all', body: { confirm: 'sign out everyone' } });
  await page.getByText('Signed out everyone else').waitFor();
  await leave();
});

test('an old sign-in is asked for again, and what was typed is kept', async () => {
  const { page, leave } = await operate('/admin/blocklist');
  await page.route('**/api/admin/blocks', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 403, json: { status: 403, code: 'SIGN_IN_AGAIN', message: 'Sign in again to do this.', request_id: 'r1' } }) : route.continue()));
  await button(page, 'Add block').first().click();
  await field(page, 'Network').check();
  await field(page, 'Address or network').fill('203.0.113.0/24');
  await field(page, 'Reason').fill('Floods the link pages');
  await inDialog(page, 'Add block').click();
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await field(page, 'Address or network').inputValue(), '203.0.113.0/24');
  await leave();
});

test('a block says what is wrong with it before it is sent', async () => {
  const { page, leave } = await operate('/admin/blocklist');
  await button(page, 'Add block').first().click();
  await field(page, 'Discord ID').fill('maya');
  await inDialog(page, 'Add block').click();
  await page.getByText('Enter a Discord ID. It has 17 to 20 digits.').waitFor();
  await field(page, 'Discord ID').fill('<@204255221017214977>');
  await field(page, 'Reason').fill('Sold links to others');
  await field(page, 'Ends after').selectOption('30');
  const sent = await sends(page, 'POST', () => inDialog(page, 'Add block').click());
  assert.deepEqual(sent.body, { kind: 'discord', value: '204255221017214977', reason: 'Sold links to others', days: 30 });
  await page.getByText('Blocked 204255221017214977').waitFor();
  await leave();
});

test('an announcement is previewed while it is written, and only its changes are sent', async () => {
  const { page, leave } = await operate('/admin/announcements');
  await button(page, 'Create announcement').click();
  await field(page, 'Text').fill('New: role history.');
  await field(page, 'Severity').selectOption('success');
  await page.getByRole('group', { name: 'Preview' }).getByText('New: role history.').waitFor();
  const made = await sends(page, 'POST', () => inDialog(page, 'Create announcement').click());
  assert.deepEqual(made.body, { severity: 'success', target: 'all', text: 'New: role history.', starts_at_ms: null, ends_at_ms: null });
  await page.getByText('Created the announcement').waitFor();
  await button(page, 'Edit Discord has trouble').click();
  await field(page, 'Severity').selectOption('warning');
  const changed = await sends(page, 'PATCH', () => inDialog(page, 'Save').click());
  assert.deepEqual(changed, { path: '/api/admin/announcements/ann_1', body: { revision: 1, severity: 'warning' } });
  await leave();
});

test('a registration code is shown once', async () => {
  const { page, leave } = await operate('/admin/registration');
  await button(page, 'Create code').click();
  await field(page, 'Organisations').fill('3');
  const sent = await sends(page, 'POST', () => inDialog(page, 'Create code').click());
  assert.deepEqual(sent.body, { note: '', max_uses: 3, days: 30 });
  await page.getByRole('dialog').getByText('symb-7Q2K-M4XR-9TPA').waitFor();
  await inDialog(page, 'Done').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.getByText('symb-7Q2K-M4XR-9TPA').count(), 0);
  await leave();
});

test('a visit begins with a reason that names nobody', async () => {
  const { page, leave } = await operate('/admin/orgs/org_1');
  await button(page, 'Begin visit').click();
  await field(page, 'Reason').fill('for ada@example.org');
  await inDialog(page, 'Begin visit').click();
  await page.getByText('Leave out names with @ and Discord or Steam IDs.').waitFor();
  await field(page, 'Reason').fill('Their rules take roles from everyone');
  await field(page, 'With changes').check();
  const sent = await sends(page, 'POST', () => inDialog(page, 'Begin visit').click());
  assert.deepEqual(sent, { path: '/api/admin/orgs/org_1/visit', body: { reason: 'Their rules take roles from everyone', write: true, minutes: 30 } });
  await page.waitForURL(/orgs\/org_1$/);
  await leave();
});

test('any operator ends a visit from the overview', async () => {
  const { page, leave } = await operate('/admin');
  const sent = await sends(page, 'DELETE', () => button(page, 'End iven’s visit to Rust Haven').click());
  assert.equal(sent.path, '/api/admin/orgs/org_1/visits/usr_iven');
  await page.getByText('Ended iven’s visit to Rust Haven').waitFor();
  await leave();
});

test('a build is published after a question, once file and version are right', async () => {
  const { page, leave } = await operate('/admin/builds');
  await button(page, 'Publish build').click();
  await page.getByText('Choose a file first.').waitFor();
  await page.getByText('Enter a version like v1.2.3.').waitFor();
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'Symbolon.cs', mimeType: 'text/plain', buffer: Buffer.from('class Symbolon') });
  await page.getByLabel('Version', { exact: true }).fill('1.9.0');
  await button(page, 'Publish build').click();
  await page.getByRole('dialog', { name: 'Publish v1.9.0?' }).waitFor();
  const [request] = await Promise.all([page.waitForRequest((one) => one.method() === 'POST' && one.url().includes('plugin-builds')), inDialog(page, 'Publish build').click()]);
  assert.equal(new URL(request.url()).search, '?version=v1.9.0&file_name=Symbolon.cs');
  assert.equal(request.headers()['content-type'], 'application/octet-stream');
  await page.getByText('Published v1.9.0').waitFor();
  assert.equal(await page.getByLabel('Version', { exact: true }).inputValue(), '');
  await leave();
});

test('while they visit, every page says so, and it ends the visit', async () => {
  const { page, heading, leave } = await operate('/orgs/o1', 'visiting');
  const notice = page.getByRole('region', { name: 'Notices' });
  await notice.getByText(/You’re visiting Rustlands as an operator, read-only\./).waitFor();
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).count(), 0);
  await on.goto(page, '/');
  await notice.getByRole('link', { name: 'Rustlands' }).waitFor();
  await page.getByRole('main').getByText('Visiting as an operator').waitFor();
  await on.goto(page, '/orgs/o1');
  const sent = await sends(page, 'DELETE', () => notice.getByRole('button', { name: 'End visit' }).click());
  assert.equal(sent.path, '/api/admin/orgs/o1/visit');
  await page.waitForURL(/admin\/orgs\/o1$/);
  await heading('Organisation');
  await leave();
});

test('recovery takes the short name and a reason', async () => {
  const { page, leave } = await operate('/admin/orgs/org_1');
  await button(page, 'Transfer ownership').click();
  await field(page, 'New Owner’s account ID').fill('usr_ruta');
  await field(page, 'Reason').fill('Lost their Discord account');
  await field(page, /Type rust-haven/).fill('rust-haven');
  const sent = await sends(page, 'POST', () => inDialog(page, 'Transfer ownership').click());
  assert.deepEqual(sent.body, { account_id: 'usr_ruta', reason: 'Lost their Discord account', confirm: 'rust-haven' });
  await page.getByText('Transferred Rust Haven').waitFor();
  await leave();
});

test('members see announcements until they dismiss them', async () => {
  const { page, leave } = await on.visit('/orgs/o1', { world: 'announced', notes: true });
  const shown = page.getByRole('region', { name: 'Announcements' });
  await shown.getByText('Discord has trouble').waitFor();
  const sent = await sends(page, 'POST', () => shown.getByRole('button', { name: 'Dismiss' }).first().click());
  assert.equal(sent.path, '/api/announcements/ann_1/dismiss');
  await shown.getByText('Discord has trouble').waitFor({ state: 'detached' });
  await shown.getByText('Custom Bots start twice as fast now.').waitFor();
  await shown.getByRole('button', { name: 'Dismiss' }).click();
  await becomes(() => page.getByRole('region', { name: 'Announcements' }).count(), 0);
  await leave();
});

test('an announcement that could not be dismissed comes back', async () => {
  const { page, leave } = await on.visit('/', { world: 'announced', notes: true });
  await page.route('**/dismiss', (route) => route.fulfill({ status: 503, json: { status: 503, code: 'STORAGE_UNAVAILABLE', message: 'Try again in a moment.', request_id: 'r1' } }));
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  await page.getByText('Try again in a moment.').waitFor();
  await page.getByRole('region', { name: 'Announcements' }).getByText('Discord has trouble').waitFor();
  await leave();
});
