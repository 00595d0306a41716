// The end of an account, in a real browser on made-up data. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

/** The server answers the deletion like this. */
const answer = (page, status, code, message) =>
  page.route('**/api/account', (route) => (route.request().method() === 'DELETE' ? route.fulfill({ status, json: { status, code, message, request_id: 'r1' } }) : route.fallback()));

async function ask(page) {
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByLabel('Type delete to confirm').fill('delete');
  return dialog;
}

test('who deletes their account types a word first, and is out of the dashboard then', async () => {
  const { page, focusedOn, leave } = await on.visit('/account', { world: 'admin' });
  assert.equal(await page.getByRole('link', { name: 'Your data' }).getAttribute('href'), '/me');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByText('This takes you out of 2 teams,').waitFor();
  await focusedOn('Cancel');
  const button = dialog.getByRole('button', { name: 'Delete account' });
  assert.equal(await button.isDisabled(), true);
  await dialog.getByLabel('Type delete to confirm').fill('delete');
  const [sent] = await Promise.all([page.waitForRequest((request) => request.method() === 'DELETE'), page.waitForURL(`${on.base}/`), button.click()]);
  assert.equal(new URL(sent.url()).pathname, '/api/account');
  await leave();
});

test('an Owner is led to the organisation’s settings instead', async () => {
  const { page, heading, leave } = await on.visit('/account');
  assert.equal(await page.getByRole('button', { name: 'Delete account' }).isDisabled(), true);
  await page.getByText('Transfer ownership or delete the organisation first.').getByRole('link', { name: 'Rustlands' }).click();
  await heading('Settings');
  await page.waitForURL(/orgs\/o1\/settings$/);
  await leave();
});

test('a sign-in that is too old is asked for again, and comes back to the account', async () => {
  const { page, leave } = await on.visit('/account', { world: 'admin' });
  await answer(page, 403, 'SIGN_IN_AGAIN', 'Sign in again to do this.');
  const dialog = await ask(page);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  const link = page.getByRole('dialog', { name: 'Sign in again' }).getByRole('link', { name: 'Sign in again' });
  assert.equal(await link.getAttribute('href'), '/auth/discord/login?return_to=%2Fapp%2Faccount&again=1');
  await dialog.waitFor({ state: 'detached' });
  await leave();
});

test('a refusal is said in the question, and the person stays', async () => {
  const { page, leave } = await on.visit('/account', { world: 'admin' });
  await answer(page, 409, 'OWNS_ORGS', 'You own an Organisation. Transfer it to another member or remove it, then delete your account.');
  const dialog = await ask(page);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'You own an Organisation.' }).waitFor();
  assert.match(page.url(), /\/app\/account$/);
  await leave();
});
