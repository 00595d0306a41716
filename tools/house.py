#!/usr/bin/env python3
"""The rules of the house that no compiler checks.

    python3 tools/house.py              check this repository
    python3 tools/house.py --self-test  check that every rule still fires

A finding is one line, `path:line: rule: what is wrong`. Any finding fails the run.
"""

import functools
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from areas import areas
from rust_text import RustText

# Which workspace crates a crate may depend on. Dev-dependencies are free.
ANYTHING = None
DIRECTION = {
    "domain": set(),
    "config": {"domain"},
    "storage": {"domain"},
    "platform": {"domain"},
    "app": {"domain", "config", "storage", "platform"},
    "web": {"domain", "config", "app"},
    "bot": {"domain"},
    "emulator": {"domain"},
    "symbolon": ANYTHING,
    "testkit": ANYTHING,
    "bench": ANYTHING,
}
NEVER = {("symbolon", "testkit")}

# Which crates may name a driver. Tests and measurements reach around the layers.
DRIVERS = [
    (r"rusqlite|libsqlite3-sys|(tokio-|deadpool-)?postgres|tokio-postgres-rustls", {"storage"}),
    (r"axum(-.+)?|hyper", {"web", "emulator"}),
    (r"twilight-.+|reqwest", {"platform", "bot"}),
]
DRIVER_EXEMPT = {"testkit", "bench"}

# Compiled only for tests, which are told by the environment where PostgreSQL is.
READING_FILES = {"crates/storage/src/testing/place.rs"}
READS_ENVIRONMENT = {"config", "testkit", "bench"}
WRITES_SQL = {"storage", "bench"}
BUILDS_SQL = ("crates/storage/src/db/", "crates/storage/src/migrate.rs")

# Longer than the norm, each with the reason why splitting would make it worse.
# An entry that is no longer needed is a finding.
MAX_FILE_LINES = 400
LONG_FILES: dict[str, str] = {
    "ui/src/lib/api/schema.ts": "made from openapi.json: looked up by name, not read from top to bottom",
    "ui/src/lib/api/operations.ts": "made from openapi.json: looked up by name, not read from top to bottom",
}
USUAL_FILE_LINES = 320  # 95 of a hundred files are no longer
MAX_FUNCTION_LINES = 60
LONG_FUNCTIONS: dict[tuple[str, str], str] = {}  # (path, function): reason

SIZED = {".rs", ".ts", ".svelte", ".py"}
SOURCES = SIZED | {".js", ".mjs", ".cjs", ".css", ".html", ".sql", ".cs", ".sh", ".toml", ".yml", ".yaml"}
SCRIPTS = ("Makefile", ".ci/", "tools/", "deploy/")

# Written in pieces, so that this file passes its own rules.
UNFINISHED = re.compile("|".join([r"#\[" + r"ignore\b", r"\bto" + r"do!\(", r"\bunimple" + r"mented!\(", r"\bFIX" + r"ME\b", r"\bTO" + r"DO\b"]))
MACHINE = re.compile("|".join([r"(?<![\w.-])/ro" + r"ot/", r"(?<![\w.-])/ho" + r"me/[\w.-]+/", r"registry\." + r"npmjs", r"crates\.io" + r"/api"]))

SQL = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s")
COLUMN_LIST = re.compile(r"\s*SELECT\s((?:[^,(){}]+,){3,}[^()]*?)\sFROM\s")
ENVIRONMENT = re.compile(r"\benv::(?:vars?(?:_os)?\b|\{[^}]*\bvars?(?:_os)?\b)")
MIGRATION = re.compile(r"(\d{4})_([a-z0-9_]+)(?:\.(sqlite|postgres))?\.sql")
COLUMN_TYPES = {"TEXT", "BIGINT", "SERIAL_KEY"}
TABLE_CONSTRAINTS = {"PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"}


@dataclass
class Repo:
    """What the rules look at: the text files and the crates of one workspace."""

    root: Path
    paths: list[str]
    packages: list[dict]
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        for path in self.paths:
            try:
                self.texts[path] = (self.root / path).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue  # a binary file, or one deleted but not yet committed

    def texts_ending(self, *endings: str):
        return ((path, text) for path, text in self.texts.items() if path.endswith(endings))

    @functools.cache
    def rust(self, path: str) -> RustText:
        return RustText(self.texts[path])

    def crate_sources(self):
        """(crate, path) of shipped Rust code; tests, benches, examples and build scripts are not."""
        for path in self.texts:
            match = re.match(r"(?:crates/([^/]+)|(bench))/src/.*\.rs$", path)
            if match and not re.search(r"/tests/|/tests\.rs$|_tests\.rs$", path):
                yield match[1] or match[2], path

    __hash__ = object.__hash__


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def direction(repo: Repo):
    """Dependencies between the crates of the workspace point one way."""
    names = {package["name"] for package in repo.packages}
    for package in repo.packages:
        name = package["name"]
        if name not in DIRECTION:
            yield manifest(repo, package), 1, f"crate `{name}` is not listed in DIRECTION in tools/house.py"
            continue
        allowed = DIRECTION[name]
        for dependency in shipped_dependencies(package):
            if dependency not in names:
                continue
            if (name, dependency) in NEVER or (allowed is not ANYTHING and dependency not in allowed):
                yield manifest(repo, package), 1, f"`{name}` must not depend on `{dependency}`"


def drivers(repo: Repo):
    """A driver is named by the one crate that wraps it."""
    for package in repo.packages:
        if package["name"] in DRIVER_EXEMPT:
            continue
        for dependency in shipped_dependencies(package):
            for pattern, owners in DRIVERS:
                if re.fullmatch(pattern, dependency) and package["name"] not in owners:
                    only = " and ".join(sorted(owners))
                    yield manifest(repo, package), 1, f"only {only} may depend on `{dependency}`"


def shipped_dependencies(package: dict) -> list[str]:
    return [dependency["name"] for dependency in package["dependencies"] if dependency["kind"] != "dev"]


def manifest(repo: Repo, package: dict) -> str:
    path = Path(package["manifest_path"])
    return path.relative_to(repo.root).as_posix() if path.is_relative_to(repo.root) else str(path)


def environment(repo: Repo):
    """Only config reads the environment: everybody else is given typed settings."""
    for crate, path in repo.crate_sources():
        if crate in READS_ENVIRONMENT or path in READING_FILES:
            continue
        rust = repo.rust(path)
        for match in ENVIRONMENT.finditer(rust.code):
            if not rust.in_tests(match.start()):
                yield path, line_of(rust.code, match.start()), "only config reads the environment"


def sql(repo: Repo):
    """SQL lives in storage, as constants; it is put together only in the layer below the queries."""
    for crate, path in repo.crate_sources():
        rust = repo.rust(path)
        for start, literal in rust.literals:
            if not SQL.match(literal):
                continue
            if crate not in WRITES_SQL:
                yield path, line_of(rust.code, start), "SQL belongs in the storage crate"
            elif crate == "storage" and not path.startswith(BUILDS_SQL) and not rust.in_tests(start):
                if re.search(r"\bformat!\s*[(\[{]\s*$", rust.code[max(0, start - 80) : start]):
                    yield path, line_of(rust.code, start), "a query is a constant, not the result of format!"


def columns(repo: Repo):
    """A list of columns stands once, beside the row that is read from it; a statement names the row."""
    for crate, path in repo.crate_sources():
        rust, seen = repo.rust(path), set()
        for start, literal in rust.literals if crate == "storage" else []:
            if listed := COLUMN_LIST.match(literal):
                listed = " ".join(listed[1].split())
                if listed in seen:
                    yield path, line_of(rust.code, start), "the same columns stand above; name the row and write {columns}"
                seen.add(listed)


def size(repo: Repo):
    """Files and functions stay short enough to be read in one go."""
    unused = set(LONG_FILES) | set(LONG_FUNCTIONS)
    sized = {path: len(text.splitlines()) for path, text in repo.texts_ending(*SIZED)}
    long, may_be_long = [path for path in sized if sized[path] > USUAL_FILE_LINES], max(1, len(sized) * 5 // 100)
    if len(long) > may_be_long:
        yield min(long, key=sized.get), 1, f"{len(long)} files have more than {USUAL_FILE_LINES} lines, {may_be_long} of {len(sized)} may"
    for path, lines in sized.items():
        if lines > MAX_FILE_LINES:
            unused.discard(path)
            if path not in LONG_FILES:
                yield path, 1, f"{lines} lines, at most {MAX_FILE_LINES}"
        if not path.endswith(".rs"):
            continue
        for name, first, last in repo.rust(path).functions():
            lines = last - first + 1
            if lines > MAX_FUNCTION_LINES:
                unused.discard((path, name))
                if (path, name) not in LONG_FUNCTIONS:
                    yield path, first, f"fn {name} has {lines} lines, at most {MAX_FUNCTION_LINES}"
    for entry in sorted(unused, key=str):
        yield "tools/house.py", 1, f"{entry} no longer needs its place in the allow-list"


def unfinished(repo: Repo):
    """Nothing is left for later in the tree: an open end belongs in the issue tracker."""
    for path, text in repo.texts.items():
        if Path(path).suffix in SOURCES or path.startswith(SCRIPTS):
            for match in UNFINISHED.finditer(text):
                yield path, line_of(text, match.start()), f"`{match[0]}` left in the source"


def migrations(repo: Repo):
    """Migrations are numbered without gaps and keep to the types both databases share."""
    numbers: dict[int, dict[str, str]] = {}
    for path in sorted(path for path in repo.texts if path.startswith("migrations/")):
        if path.endswith(".md"):
            continue
        match = MIGRATION.fullmatch(path.removeprefix("migrations/"))
        if not match:
            yield path, 1, "a migration is named NNNN_name.sql, or .sqlite.sql and .postgres.sql as a pair"
            continue
        number, name, dialect = int(match[1]), match[2], match[3] or "both"
        siblings = numbers.setdefault(number, {})
        if siblings and (dialect in siblings or "both" in {dialect, *siblings} or name not in siblings.values()):
            yield path, 1, f"number {match[1]} is used twice"
        siblings[dialect] = name
        if dialect == "both":
            for line, message in foreign_types(repo.texts[path]):
                yield path, line, message
        for found in re.finditer(r"\bDEFERRABLE\b", blank_sql(repo.texts[path])):
            yield path, line_of(repo.texts[path], found.start()), "a deferred constraint fails other people's work at COMMIT"
    for number, dialects in sorted(numbers.items()):
        if len(dialects) == 1 and "both" not in dialects:
            yield "migrations", 1, f"{number:04} has only its {next(iter(dialects))} half"
    for number in sorted(set(range(1, max(numbers, default=0))) - set(numbers)):
        yield "migrations", 1, f"number {number:04} is missing"


def blank_sql(text: str) -> str:
    """The text with comments and strings turned into spaces, every position kept."""
    return re.sub(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def foreign_types(text: str):
    """(line, message) of each column whose type is not one of COLUMN_TYPES."""
    code = blank_sql(text)
    columns = []
    for table in re.finditer(r"\bCREATE\s+TABLE\b[^(;]*\(", code, re.I):
        columns += top_level_items(code, table.end())
    for added in re.finditer(r"\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?([^;,]*)", code, re.I):
        columns.append((added.start(1), added[1]))
    for start, item in columns:
        words = item.split()
        if not words or re.split(r"\W", words[0].upper())[0] in TABLE_CONSTRAINTS:
            continue
        kind = words[1].rstrip(",;") if len(words) > 1 else "no type"
        if kind not in COLUMN_TYPES:
            line = line_of(code, start + len(item) - len(item.lstrip()))
            yield line, f"column {words[0]} is {kind}; use {', '.join(sorted(COLUMN_TYPES))}"


def top_level_items(code: str, start: int) -> list[tuple[int, str]]:
    """The comma-separated items from `start` to the closing parenthesis."""
    items, depth, begin = [], 0, start
    for match in re.compile(r"[(),]").finditer(code, start):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")" and depth > 0:
            depth -= 1
        elif depth == 0:
            items.append((begin, code[begin : match.start()]))
            begin = match.end()
            if match[0] == ")":
                break
    return items


def machine(repo: Repo):
    """Nothing in the tree knows whose machine or which mirror it was made with."""
    for path, text in repo.texts.items():
        for match in MACHINE.finditer(text):
            yield path, line_of(text, match.start()), f"`{match[0]}` belongs to one machine"
    for path, text in repo.texts_ending("package-lock.json"):
        match = re.search(r'"resolved":', text)
        if match:
            yield path, line_of(text, match.start()), "download addresses recorded; set omit-lockfile-registry-resolved"


RULES = [direction, areas, drivers, environment, sql, columns, size, unfinished, migrations, machine]


def check(repo: Repo) -> list[str]:
    findings = []
    for rule in RULES:
        for path, line, message in rule(repo):
            findings.append((path, line, rule.__name__, message))
    return [f"{path}:{line}: {rule}: {message}" for path, line, rule, message in sorted(findings)]


def load(root: Path) -> Repo:
    """The working tree: what is committed and what would be."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout
    metadata = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    answer = subprocess.run([*metadata, "--offline"], cwd=root, capture_output=True, text=True)
    if answer.returncode != 0:
        answer = subprocess.run(metadata, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    return Repo(root, sorted(set(filter(None, listed.split("\0")))), json.loads(answer.stdout)["packages"])


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        import house_samples

        return house_samples.run(sys.modules[__name__])
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    repo = load(Path(__file__).resolve().parent.parent)
    findings = check(repo)
    print("\n".join(findings) if findings else f"house: {len(repo.texts)} files in order")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
