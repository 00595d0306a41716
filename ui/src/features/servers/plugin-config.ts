// What has to be put into the configuration of a game server's plugin.

export function pluginConfig(key: string, origin: string = location.origin): string {
  return JSON.stringify({ Url: `${origin}/api`, ApiKey: key }, null, 2);
}

/** Asks the API once, from wherever the game server runs. */
export function checkCommand(key: string, origin: string = location.origin): string {
  return `curl -H "X-API-Key: ${key}" '${origin}/api?action=count'`;
}
