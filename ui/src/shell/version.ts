// Whether the server has another version of the dashboard than this one. Each version has a start script of its own.

export async function isOutdated(): Promise<boolean> {
  const start = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute('src');
  if (!start) return false;
  try {
    const page = await fetch('/app/', { credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
    return page.ok && !(await page.text()).includes(start);
  } catch {
    return false; // nobody knows
  }
}
