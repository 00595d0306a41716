"""The areas of the house: the same names in every crate, and imports that point one way.

An area may use what it is built on (`BASE`) and, where the product itself ties two together, what `NAMED` says. What
ties areas together otherwise stands at the crate's root, above them. No circle runs through an area.
"""

import posixpath
import re

AREAS = {
    "identity", "tenancy", "keys", "linking", "plugin", "players", "jobs", "records",
    "roles", "bots", "billing", "admin", "downloads", "analytics",
}  # fmt: skip
BASE = {"identity", "tenancy", "jobs", "records"}
CRATES = {"app", "storage", "web"}

# (crate, area, other area): why the one names the other.
NAMED = {
    ("app", "admin", "downloads"): "operators withdraw builds",
    ("app", "bots", "keys"): "a bot is handed the keys of the Servers that it serves",
    ("app", "bots", "linking"): "a command ends a link",
    ("app", "bots", "roles"): "a command has roles looked at",
    ("app", "players", "linking"): "the team ends links of people",
    ("app", "plugin", "linking"): "an action ends a link",
    ("app", "plugin", "players"): "an action tells the Steam groups of players",
    ("app", "roles", "plugin"): "a rule names a group as plugins do",
    ("app", "tenancy", "billing"): "nothing is removed that somebody is paying for",
    ("app", "tenancy", "linking"): "tokens of sign-ins go back to Discord with their Guild",
    ("app", "tenancy", "players"): "a Guild's settings name a Steam group",
    ("storage", "players", "linking"): "names are told for the linked",
    ("storage", "roles", "players"): "changes of groups wait among those that others ask for",
    ("storage", "tenancy", "bots"): "a removed Guild's own bot is let in no more",
    ("storage", "tenancy", "keys"): "what a key may do is kept beside it and follows its Org, Guild and Server",
    ("storage", "tenancy", "linking"): "a removed Guild ends the sign-ins on its page",
    ("storage", "tenancy", "players"): "group changes wait for one Server",
    ("storage", "tenancy", "roles"): "a removed Guild's members are forgotten",
    ("ui", "bots", "billing"): "a Custom Bot is bought on its own page too",
    ("ui", "players", "roles"): "a person's page shows what happened to their roles",
    ("ui", "records", "billing"): "the audit log tells the states of subscriptions",
    ("ui", "roles", "bots"): "a rule chooses among what the bot sees",
    ("ui", "tenancy", "analytics"): "the overview shows the trend of links",
    ("ui", "tenancy", "bots"): "a Guild's page shows its bot, and its settings choose from what the bot sees",
}

NAME = re.compile(r"\bcrate::(\w+)")
GROUP = re.compile(r"\bcrate::\{")
FEATURES = "ui/src/features/"
RELATIVE = re.compile(r"""['"](\.{1,2}/[^'"]+)['"]""")
FIRST = re.compile(r"(\w+)")


def imports(code: str):
    """(position, top-level module) of everything the code names below its crate's root."""
    for match in NAME.finditer(code):
        yield match.start(), match[1]
    for match in GROUP.finditer(code):
        depth, begin = 0, match.end()
        for bracket in re.compile(r"[{},]").finditer(code, match.end()):
            if bracket[0] == "{":
                depth += 1
            elif bracket[0] == "}" and depth > 0:
                depth -= 1
            elif depth == 0:
                name = FIRST.search(code, begin, bracket.start())
                if name:
                    yield begin, name[1]
                begin = bracket.end()
                if bracket[0] == "}":
                    break


def edges(repo, crate: str) -> dict[tuple[str, str], tuple[str, int]]:
    """(module, module) of the crate's top level: the first place where the one names the other."""
    prefix = f"crates/{crate}/src/"
    sources = [path for owner, path in repo.crate_sources() if owner == crate]
    top = {path: path.removeprefix(prefix).split("/")[0].removesuffix(".rs") for path in sources}
    found = {}
    for path in sorted(sources):
        rust = repo.rust(path)
        for position, name in imports(rust.code):
            if name != top[path] and name in top.values() and top[path] != "lib" and not rust.in_tests(position):
                found.setdefault((top[path], name), (path, rust.code.count("\n", 0, position) + 1))
    return found


def ui_edges(repo) -> dict[tuple[str, str], tuple[str, int]]:
    """The same for the folders of the dashboard's features."""
    found = {}
    for path, text in sorted(repo.texts_ending(".ts", ".svelte")):
        if not path.startswith(FEATURES):
            continue
        one = path.removeprefix(FEATURES).split("/")[0]
        for match in RELATIVE.finditer(text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
            other = target.removeprefix(FEATURES).split("/")[0]
            if target.startswith(FEATURES) and other != one:
                found.setdefault((one, other), (path, text.count("\n", 0, match.start()) + 1))
    return found


def reachable(start: str, arrows: dict[str, set[str]]) -> set[str]:
    seen, ahead = set(), [start]
    while ahead:
        for following in arrows.get(ahead.pop(), set()) - seen:
            seen.add(following)
            ahead.append(following)
    return seen


def areas(repo):
    """Imports between areas point one way; what ties them together stands above them."""
    for crate in sorted({*CRATES, "ui"}):
        found = ui_edges(repo) if crate == "ui" else edges(repo, crate)
        arrows: dict[str, set[str]] = {}
        for one, other in found:
            arrows.setdefault(one, set()).add(other)
        told = set()
        for (one, other), (path, line) in sorted(found.items()):
            if {one, other} <= AREAS and other not in BASE and (crate, one, other) not in NAMED:
                yield path, line, f"`{one}` names `{other}`: move it to the crate's root, or say why in tools/areas.py"
            circle = {node for node in reachable(one, arrows) if one in reachable(node, arrows)}
            if other in circle and circle & AREAS and one not in told:
                told |= circle
                yield path, line, f"a circle through {', '.join(sorted(circle))}: `{one}` names `{other}`"
        there = {path.split("/")[3].removesuffix(".rs") for _, path in repo.crate_sources() if path.startswith(f"crates/{crate}/")}
        for owner, one, other in sorted(NAMED):
            if owner == crate and {one, other} <= there and (one, other) not in found:
                yield "tools/areas.py", 1, f"`{one}` of {crate} no longer names `{other}`"
