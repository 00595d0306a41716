// Builds of the plugin: how a version is written, and what a file may be called.

/** The largest build that the server takes. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** The version in what was typed, with its v; null when it is none. */
export function versionIn(text: string): string | null {
  const [, version] = /^v?((?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8}))$/.exec(text.trim()) ?? [];
  return version === undefined ? null : `v${version}`;
}

/** What is wrong with a file, before it is sent. */
export function fileProblem(file: Pick<File, 'name' | 'size'> | null): string | null {
  if (!file) return 'Choose a file first.';
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MOST_BYTES) return 'The file is larger than 16 MB.';
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(file.name) ? null : 'Rename the file: only letters, digits, dots, hyphens and underscores.';
}
