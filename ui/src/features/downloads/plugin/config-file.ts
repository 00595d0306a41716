// The plugin's configuration as a file.

import type { PluginFile } from '$lib/api/schema';

const KEY = 'Server key';

/** As it is written, with the key in its place. */
export function written(content: PluginFile['content'], key: string): string {
  // What is spread keeps its order, and so the key its place.
  return `${JSON.stringify({ ...content, [KEY]: key }, null, 2)}\n`;
}
