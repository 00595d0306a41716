// The screens of the operator area, and what it has everyone see.

const dialog = (page) => page.getByRole('dialog').waitFor();
/** Presses what opens a dialog. */
const opens = (name) => async (page) => {
  await page.getByRole('main').getByRole('button', { name }).first().click();
  await dialog(page);
};
/** The same, and what is wrong with sending it blank. */
const tried = (name, action) => async (page) => {
  await opens(name)(page);
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
};
const LISTS = ['orgs', 'accounts', 'operators', 'sessions', 'blocklist', 'announcements', 'maintenance', 'registration', 'flags', 'builds', 'jobs', 'bots', 'audit'];

export const OPERATOR_SCREENS = {
  ...Object.fromEntries(LISTS.map((name) => [`admin-${name}`, [`/admin/${name}`, 'operating']])),
  ...Object.fromEntries(LISTS.map((name) => [`admin-${name}-calm`, [`/admin/${name}`, 'calm_operating']])),
  'admin-org': ['/admin/orgs/org_1', 'operating'],
  'admin-org-missing': ['/admin/orgs/org_9', 'operating'],
  'admin-org-visit': ['/admin/orgs/org_1', 'operating', tried('Begin visit', 'Begin visit')],
  'admin-org-release': ['/admin/orgs/org_1', 'operating', opens('Release Rust Haven')],
  'admin-org-transfer': ['/admin/orgs/org_1', 'operating', opens('Transfer ownership')],
  'admin-account': ['/admin/accounts/usr_ada', 'operating'],
  'admin-accounts-nobody': ['/admin/accounts?q=nobody', 'operating'],
  'admin-operators-grant': ['/admin/operators', 'operating', tried('Grant operator', 'Grant operator')],
  'admin-sessions-all': ['/admin/sessions', 'operating', opens('Sign out everyone but me')],
  'admin-blocklist-new': ['/admin/blocklist', 'operating', tried('Add block', 'Add block')],
  'admin-blocklist-found': ['/admin/blocklist?kind=network', 'operating'],
  'admin-announcements-new': ['/admin/announcements', 'operating', tried('Create announcement', 'Create announcement')],
  'admin-announcements-edit': ['/admin/announcements', 'operating', opens('Edit On Sunday')],
  'admin-maintenance-ask': ['/admin/maintenance', 'operating', opens('Turn on maintenance')],
  'admin-registration-new': ['/admin/registration', 'operating', opens('Create code')],
  'admin-registration-made': ['/admin/registration', 'operating', async (page) => {
    await opens('Create code')(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Create code' }).click();
    await page.getByText('Your code').waitFor();
  }],
  'admin-jobs-drop': ['/admin/jobs', 'operating', opens('Drop job 8841')],
  'admin-builds-withdraw': ['/admin/builds', 'operating', opens('Withdraw v1.4.0')],
  'admin-audit-verify': ['/admin/audit', 'operating', opens('Check the log')],
  visiting: ['/orgs/o1', 'visiting'],
  'visiting-home': ['/', 'visiting_to_change'],
  announced: ['/orgs/o1', 'announced'],
};
