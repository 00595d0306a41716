// What a game server's plugin has to be told.

/** Where plugins call; what they call this setting differs from one to the next. */
export function apiAddress(origin: string = location.origin): string {
  return `${origin}/api`;
}

/** Asks the API once, from wherever the game server runs. */
export function checkCommand(key: string, origin: string = location.origin): string {
  return `curl -H "X-API-Key: ${key}" '${apiAddress(origin)}?action=count'`;
}
