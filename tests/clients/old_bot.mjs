// What JavaScript bots written for older link systems do with our answers: with fetch, and with a client that throws
// for every status but 2xx, as axios does. Called by the Rust test beside it, as old_bot.py is. No packages needed.

const setting = JSON.parse(process.argv[2]);
const [linked] = setting.people;
const statuses = [];
const failures = [];

function check(right, what) {
  if (!right) {
    console.error(what);
    process.exit(1);
  }
}

let path = "//api.php";

function address(action, params) {
  const query = new URLSearchParams({ action, ...params, secret: setting.key });
  return `${setting.base}${path}?${query}`;
}

/** fetch does not care about the status, and neither did they. */
async function text(action, params = {}, options = {}) {
  const answer = await fetch(address(action, params), { redirect: "error", ...options });
  const body = await answer.text();
  statuses.push(answer.status);
  if (answer.status >= 400 && !['"No users found."', '{"Result":0}'].includes(body)) {
    failures.push({ action, status: answer.status, body, wait: answer.headers.get("retry-after") });
  }
  return body;
}

/** The manner of axios: JSON is parsed, a string stays what it is, and other statuses are thrown. */
async function axios(action, params = {}, data = undefined) {
  const options = data === undefined ? {} : { method: "POST", body: JSON.stringify(data), headers: { "content-type": "application/json" } };
  const body = await text(action, params, options);
  let parsed = body;
  try {
    parsed = JSON.parse(body);
  } catch {
    // As axios does, the text is kept.
  }
  const status = statuses.at(-1);
  if (status < 200 || status > 299) {
    throw Object.assign(new Error(`Request failed with status code ${status}`), { response: { status, data: parsed } });
  }
  return { status, data: parsed };
}

const effects = { roles: [], nicknames: {}, boosters: [], allowed: [], waiting: [], done: [] };

async function verifyBySubstring() {
  for (const person of setting.people) {
    if (!(await text("findBySteam", { id: person.steam })).includes("No users")) effects.roles.push(["text", person.discord]);
    const parsed = JSON.parse(await text("discordCheck", { id: person.discord }));
    if (String(parsed).startsWith("7656119")) effects.roles.push(["prefix", person.discord]);
  }
}

/** In a catch block the old bots look into the answer's data, or do not look at all. */
async function verifyWithAxios() {
  for (const person of setting.people) {
    try {
      const { data } = await axios("findByDiscord", { id: person.discord });
      if (data !== "No users found.") effects.roles.push(["axios", person.discord]);
    } catch (error) {
      const said = JSON.stringify(error.response.data);
      if (!said.includes("No users")) effects.roles.push(["axios", person.discord]);
    }
  }
}

/** Ids above 2^53 survive only as strings. */
async function keepDigits() {
  const discord = JSON.parse(await text("findBySteam", { id: linked.steam }));
  if (typeof discord !== "string" || discord !== linked.discord) return;
  check(String(Number(discord)) !== discord, "the id of this test would survive as a number, so it shows nothing");
  check(BigInt(discord).toString() === linked.discord, "digits were lost");
  effects.done.push("digits");
  const { Result } = JSON.parse(await text("listAllLinked"));
  const [first] = Result || [];
  check(first.discord_id === linked.discord && first.steam_id === linked.steam, `listAllLinked: ${JSON.stringify(first)}`);
}

async function rename() {
  for (const person of setting.people) {
    const name = JSON.parse(await text("getSteam", { id: person.discord }));
    if (typeof name === "string") effects.nicknames[person.discord] = name;
  }
  const names = JSON.parse(await text("listAllNicknames"));
  for (const [discord, name] of Object.entries(names)) {
    // Discord knows nobody whose id is not a number.
    if (/^\d+$/.test(discord)) effects.nicknames[`all ${discord}`] = name;
  }
}

async function boosters() {
  try {
    const { data } = await axios("listNitro");
    for (const { discord_id } of data.Result) effects.boosters.push(discord_id);
  } catch (error) {
    if (!error.response) throw error;
  }
}

async function letIn() {
  const ids = setting.people.map((person) => person.steam);
  for (const posted of [false, true]) {
    try {
      const { data } = posted ? await axios("steamChecks", {}, { ids }) : await axios("steamChecks", { id: ids.join(",") });
      for (const id of ids) if (data[id]) effects.allowed.push([posted, id]);
    } catch (error) {
      if (!error.response) throw error;
    }
  }
}

async function syncRoles() {
  const players = JSON.parse(await text("pendingRoles"));
  if (Array.isArray(players)) for (const player of players) effects.waiting.push([player.discord_id, ...player.oxide_groups]);
  const answer = await text("confirmRoleSync", { id: linked.discord, synced: JSON.stringify(["vip"]) });
  if (!answer.toLowerCase().includes("error")) effects.done.push(JSON.parse(answer));
}

async function postForm() {
  const form = new URLSearchParams({ discord_id: linked.discord });
  const answer = JSON.parse(await text("setOxideGroupFromDiscord", {}, { method: "POST", body: form }));
  if (typeof answer === "string") effects.done.push("form");
}

function expectSuccess() {
  const expected = {
    roles: [["text", linked.discord], ["prefix", linked.discord], ["axios", linked.discord]],
    nicknames: { [linked.discord]: linked.name, [`all ${linked.discord}`]: linked.name },
    boosters: [linked.discord],
    allowed: [[false, linked.steam], [true, linked.steam]],
    waiting: [[linked.discord, "vip"]],
    done: ["digits", "Role sync confirmed"],
  };
  check(JSON.stringify(effects) === JSON.stringify(expected), `${JSON.stringify(effects)} instead of ${JSON.stringify(expected)}`);
  const kinds = failures.map(({ action, status }) => [action, status]);
  check(JSON.stringify(kinds) === '[["setOxideGroupFromDiscord",400]]', `only the form is refused: ${JSON.stringify(kinds)}`);
}

function expectFailure() {
  const nothing = { roles: [], nicknames: {}, boosters: [], allowed: [], waiting: [], done: [] };
  check(JSON.stringify(effects) === JSON.stringify(nothing), `something was done: ${JSON.stringify(effects)}`);
  check(statuses.every((status) => setting.statuses.includes(status)), `answers with ${[...new Set(statuses)]} instead of ${setting.statuses}`);
  for (const { action, status, body, wait } of failures) {
    const failure = JSON.parse(body);
    check(failure.status === status && failure.code === failure.error && failure.message.length > 0, `${action}: ${body}`);
    if ([429, 503].includes(status)) check(Number(wait) >= 1, `${action}: no time to wait`);
  }
}

/** The very oldest take the whole answer for the id. */
async function expectBareIds() {
  const [, other] = setting.people;
  const found = await text("findBySteam", { id: linked.steam });
  check(found === linked.discord && BigInt(found).toString() === found, `bare: ${found}`);
  check((await text("findByDiscord", { id: linked.discord })).startsWith("7656119"), "bare prefix");
  check((await text("findBySteam", { id: other.steam })).includes("No users"), "a miss stays a miss");
}

/** Address and name joined without care: it is still the API, or nobody gets the role. */
async function expectClosedWhenAstray() {
  for (path of ["/link/guild-1api.php", "/link/guild-1", "/link/guild-1/", "/unlink/guild-1/api.PHP/", "/link", "/", "/app", "/auth/discord/login"]) {
    effects.roles = [];
    for (const person of setting.people) {
      for (const [action, id] of [["findBySteam", person.steam], ["discordCheck", person.discord]]) {
        if (!(await text(action, { id })).includes("No users")) effects.roles.push(person.discord);
      }
    }
    const expected = /api\.php\/?$/i.test(path) ? [linked.discord, linked.discord] : [];
    check(JSON.stringify(effects.roles) === JSON.stringify(expected), `${path}: ${JSON.stringify(effects.roles)}`);
  }
}

async function actAsBot() {
  for (const step of [verifyBySubstring, verifyWithAxios, keepDigits, rename, boosters, letIn, syncRoles, postForm]) await step();
  if (setting.statuses.length > 0) return expectFailure();
  expectSuccess();
  await expectClosedWhenAstray();
}

await (setting.bare ? expectBareIds() : actAsBot());
