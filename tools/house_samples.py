"""Bad samples that each rule must find, and good ones that none may."""

import tempfile
from pathlib import Path

UNFINISHED = ["#[" + "ignore]", "to" + "do!()", "unimple" + "mented!()", "// FIX" + "ME: x", "// TO" + "DO: x"]
PATHS = ["/ro" + "ot/x", "/ho" + "me/ann/x", "https://registry." + "npmjs.org/x", "https://crates.io" + "/api/v1"]


def package(name: str, *dependencies: str, dev: tuple[str, ...] = ()) -> dict:
    listed = [{"name": dependency, "kind": None} for dependency in dependencies]
    listed += [{"name": dependency, "kind": "dev"} for dependency in dev]
    return {"name": name, "manifest_path": f"crates/{name}/Cargo.toml", "dependencies": listed}


CRATES = [package(name) for name in ("config", "storage", "platform", "app", "emulator", "testkit")]


def with_crate(*args, **kwargs) -> list[dict]:
    added = package(*args, **kwargs)
    return [crate for crate in CRATES if crate["name"] != added["name"]] + [added]


def body(lines: int) -> str:
    return "fn long() {\n" + "    work();\n" * (lines - 2) + "}\n"


TABLE = "CREATE TABLE a (\n  id TEXT PRIMARY KEY,\n  n %s NOT NULL CHECK (n IN (0, 1)), -- a, b\n  UNIQUE (id, n)\n);\n"

# (rule that must fire, files, crates)
BAD = [
    ("direction", {}, with_crate("domain", "storage")),
    ("direction", {}, with_crate("web", "storage")),
    ("direction", {}, with_crate("storage", "config")),
    ("direction", {}, with_crate("bot", "app")),
    ("direction", {}, with_crate("symbolon", "testkit")),
    ("direction", {}, with_crate("stranger")),
    ("drivers", {}, with_crate("app", "rusqlite")),
    ("drivers", {}, with_crate("symbolon", "tokio-postgres")),
    ("drivers", {}, with_crate("web", "deadpool-postgres")),
    ("drivers", {}, with_crate("app", "axum")),
    ("drivers", {}, with_crate("platform", "hyper")),
    ("drivers", {}, with_crate("web", "twilight-model")),
    ("drivers", {}, with_crate("app", "reqwest")),
    ("areas", {"crates/app/src/keys/a.rs": "use crate::players::b;\n", "crates/app/src/players/b.rs": ""}, CRATES),
    ("areas", {"crates/app/src/keys.rs": "use crate::{error, plugin::b};\n", "crates/app/src/plugin.rs": ""}, CRATES),
    ("areas", {"crates/web/src/jobs.rs": "use crate::tenancy;\n", "crates/web/src/tenancy/mod.rs": "use crate::jobs;\n"}, CRATES),
    ("areas", {"crates/app/src/jobs.rs": "use crate::state;\n", "crates/app/src/state.rs": "use crate::jobs::Q;\n"}, CRATES),
    ("areas", {"ui/src/features/tenancy/orgs/A.svelte": "import B from '../../keys/B.svelte';\n"}, CRATES),
    ("environment", {"crates/app/src/lib.rs": 'fn f() { std::env::var("X"); }\n'}, CRATES),
    ("environment", {"crates/app/src/lib.rs": "fn f() { env::vars_os(); }\n"}, CRATES),
    ("environment", {"crates/web/src/a/b.rs": "use std::env::{self, var};\n"}, CRATES),
    ("sql", {"crates/app/src/a.rs": 'const Q: &str = "SELECT 1";\n'}, CRATES),
    ("sql", {"crates/web/src/a.rs": 'const Q: &str = r#"\n  DELETE FROM a"#;\n'}, CRATES),
    ("sql", {"crates/testkit/src/a.rs": 'const Q: &str = "UPDATE a SET b = 1";\n'}, CRATES),
    ("sql", {"crates/storage/src/a.rs": 'fn f() { format!("INSERT INTO {t} (a)"); }\n'}, CRATES),
    ("columns", {"crates/storage/src/a.rs": 'A = "\n  SELECT a, b, c, d\n  FROM e"; B = "SELECT a, b,\n c, d FROM f";\n'}, CRATES),
    ("size", {"ui/src/a.svelte": "x\n" * 401}, CRATES),
    ("size", {"crates/app/src/a.rs": "// x\n" * 401}, CRATES),
    ("size", {"crates/app/src/a.rs": body(61)}, CRATES),
    ("size", {"crates/app/src/a.rs": "// x\n" * 321, "ui/src/b.ts": "x\n" * 321, "ui/src/c.ts": "x\n"}, CRATES),
    *(("unfinished", {"crates/app/src/a.rs": word + "\n"}, CRATES) for word in UNFINISHED),
    ("unfinished", {"tools/x": UNFINISHED[-1]}, CRATES),
    ("migrations", {"migrations/1_a.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.mysql.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sql": "", "migrations/0003_b.sql": ""}, CRATES),
    ("migrations", {"migrations/0002_a.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sql": "", "migrations/0001_b.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sql": "", "migrations/0001_a.sqlite.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sqlite.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sqlite.sql": "", "migrations/0001_b.postgres.sql": ""}, CRATES),
    ("migrations", {"migrations/0001_a.sql": TABLE % "INTEGER"}, CRATES),
    ("migrations", {"migrations/0001_a.sql": TABLE % "VARCHAR(20)"}, CRATES),
    ("migrations", {"migrations/0001_a.sql": "ALTER TABLE a ADD COLUMN b BOOLEAN;\n"}, CRATES),
    ("migrations", {"migrations/0001_a.sql": "CREATE TABLE a (id TEXT REFERENCES b DEFERRABLE);\n"}, CRATES),
    *(("machine", {"docs/a.md": f"see {path} there\n"}, CRATES) for path in PATHS),
    ("machine", {"ui/package-lock.json": '{"resolved": "x"}'}, CRATES),
]

GOOD = [
    ({}, with_crate("app", "domain", "config", "storage", "platform", dev=("testkit", "rusqlite", "axum"))),
    ({}, with_crate("web", "app", "axum", "hyper", dev=("storage",))),
    ({}, with_crate("storage", "domain", "rusqlite", "tokio-postgres", "deadpool-postgres", "tokio-postgres-rustls")),
    ({}, with_crate("bot", "domain", "twilight-gateway")),
    ({}, with_crate("testkit", "app", "axum", "tokio-postgres")),
    ({}, with_crate("bench", "testkit", "hyper", "rusqlite")),
    ({"crates/app/src/keys/a.rs": "use crate::tenancy::b;\n", "crates/app/src/tenancy.rs": "", "crates/app/src/start.rs": "use crate::keys;\n"}, CRATES),
    ({"crates/config/src/lib.rs": "fn f() { std::env::vars(); }\n"}, CRATES),
    ({"crates/app/tests/a.rs": 'fn f() { std::env::var("SELECT "); }\n'}, CRATES),
    ({"crates/app/src/a.rs": "// std::env::var\n#[cfg(test)]\nmod tests { fn f() { std::env::vars(); } }\n"}, CRATES),
    ({"crates/app/src/a.rs": 'const A: &str = "Select one"; // "SELECT 1"\n'}, CRATES),
    ({"crates/storage/src/a.rs": 'const Q: &str = "SELECT 1";\n'}, CRATES),
    ({"crates/storage/src/a.rs": 'A = "SELECT a, b, c FROM e"; B = "SELECT a, b, c FROM f"; C = "SELECT {columns} FROM e";\n'}, CRATES),
    ({"crates/storage/src/db/a.rs": 'fn f() { format!("SELECT {c}"); }\n'}, CRATES),
    ({"crates/app/src/a.rs": body(60) + "trait T { fn g(&self) -> [u8; 4]; }\n" + "// x\n" * 100}, CRATES),
    ({"crates/app/src/a.rs": "// x\n" * 321, "ui/src/b.ts": "x\n" * 320}, CRATES),
    ({"crates/app/src/a.rs": "fn f<'a>(x: &'a str) { ['{', '\\'', '\"']; \"}\\\"{\"; }\n" + "// x\n" * 100}, CRATES),
    ({"migrations/0001_a.sql": TABLE % "BIGINT", "migrations/0002_b.sqlite.sql": TABLE % "INTEGER",
      "migrations/0002_b.postgres.sql": TABLE % "JSONB", "migrations/0003_c.sql": "CREATE TABLE c (id SERIAL_KEY);\n"}, CRATES),
    ({"ui/package-lock.json": '{"integrity": "x"}', "docs/a.md": "see https://example.org/home/a and crates.io\n"}, CRATES),
]


def findings(house, files: dict[str, str], crates: list[dict]) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return house.check(house.Repo(root, sorted(files), crates))


def run(house) -> int:
    # The allow-lists name files of the real tree, which no sample has.
    house.LONG_FILES, house.LONG_FUNCTIONS = {}, {}
    failures = []
    for rule, files, crates in BAD:
        found = findings(house, files, crates)
        if len(found) != 1 or f": {rule}: " not in found[0]:
            failures.append(f"{rule} should fire once on {files or crates[-1]}, found {found}")
    for files, crates in GOOD:
        found = findings(house, files, crates)
        if found:
            failures.append(f"nothing is wrong with {files or crates[-1]}, found {found}")
    untested = {rule.__name__ for rule in house.RULES} - {rule for rule, _, _ in BAD}
    failures += [f"rule {name} has no bad sample" for name in sorted(untested)]
    house.LONG_FILES = {"gone.rs": "reason"}
    if not findings(house, {}, CRATES):
        failures.append("a stale allow-list entry should be a finding")
    print("\n".join(failures) if failures else f"house: {len(BAD)} bad and {len(GOOD)} good samples told apart")
    return 1 if failures else 0
