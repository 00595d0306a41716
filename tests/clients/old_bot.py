"""What bots and panels written for older link systems do with our answers.

Called by the Rust test beside it with one JSON argument: where the service is, the key, two people (one linked, one
not), and how calls are expected to end. Standard library only. Any surprise ends it with a message and status 1.
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request


class Api:
    """The way old clients call: everything in the address, and the body read as text whatever the status."""

    def __init__(self, setting, path="/discord/api.php"):
        self.setting = setting
        self.path = path
        self.statuses = []
        self.failures = []

    def call(self, action, body=None, content_type=None, in_header=False, bare=False, **params):
        query = {"action": action, **params}
        headers = {}
        if in_header:
            headers["X-API-Key"] = self.setting["key"]
        else:
            query["secret"] = self.setting["key"]
        if content_type:
            headers["Content-Type"] = content_type
        url = self.setting["base"] + self.path + "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(url, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text, headers = answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            status, text, headers = error.code, error.read().decode(), error.headers
        self.statuses.append(status)
        kind = "text/plain; charset=utf-8" if bare else "application/json; charset=utf-8"
        check(headers["Content-Type"] == kind, f"{action}: {headers['Content-Type']}")
        if status >= 400 and not is_miss(text):
            self.failures.append((action, status, text, headers))
        return text


def is_miss(text):
    return text in ('"No users found."', '{"Result":0}')


def check(right, what):
    if not right:
        sys.exit(what)


class Bot:
    """Collects what the bot would have done on Discord."""

    def __init__(self, api, people):
        self.api = api
        self.people = people
        self.roles, self.nicknames, self.boosters, self.allowed, self.done = [], {}, [], [], []

    def verify_by_substring(self):
        """The oldest check: whoever is not told to be unknown gets the role."""
        for person in self.people:
            for action, number in [("findBySteam", person["steam"]), ("findByDiscord", person["discord"]), ("discordCheck", person["discord"])]:
                if "No users" not in self.api.call(action, id=number):
                    self.roles.append((action, person["discord"]))

    def verify_by_prefix(self):
        for person in self.people:
            value = json.loads(self.api.call("findByDiscord", id=person["discord"]))
            if isinstance(value, str) and value.startswith("7656119"):
                self.roles.append(("prefix", person["discord"]))

    def rename(self):
        """Any JSON string is taken for a name."""
        for person in self.people:
            for action in ["getSteam", "getDiscord"]:
                value = json.loads(self.api.call(action, id=person["discord"]))
                if isinstance(value, str):
                    self.nicknames[(action, person["discord"])] = value

    def count_boosters(self):
        data = json.loads(self.api.call("listNitro"))
        if data.get("Result"):
            self.boosters = [one["discord_id"] for one in data["Result"]]

    def let_in(self):
        asked = ",".join(person["steam"] for person in self.people)
        for action in ["steamChecks", "isLinkedSteamBulk", "nitroChecks"]:
            data = json.loads(self.api.call(action, id=asked))
            self.allowed += [(action, number) for number in asked.split(",") if data.get(number) is True]

    def report(self):
        """Success is whatever does not mention an error."""
        person = self.people[0]
        calls = [
            ("updateSteam", {"id": person["steam"], "name": person["name"]}),
            ("updateOxideGroups", {"id": person["steam"], "groups": "vip"}),
            ("updateNitro", {"id": person["discord"], "status": "1"}),
            ("confirmNicknameSync", {"id": person["discord"], "nickname": person["name"]}),
        ]
        for action, params in calls:
            if "error" not in self.api.call(action, **params).lower():
                self.done.append(action)

    def report_many(self):
        """A body as JSON, as JSON without saying so, and as the fields of a form."""
        ids = [self.people[0]["discord"]]
        body = json.dumps({"discord_ids": ids}).encode()
        for name, kind in [("json", "application/json"), ("bare", None)]:
            answer = json.loads(self.api.call("updateNitroBulk", body=body, content_type=kind))
            if answer.get("updated") == 1 and answer.get("errors") == 0:
                self.done.append(name)
        form = urllib.parse.urlencode({"discord_ids[]": ids[0]}).encode()
        if json.loads(self.api.call("updateNitroBulk", body=form)).get("updated"):
            self.done.append("form")

    def run(self):
        self.verify_by_substring()
        self.verify_by_prefix()
        self.rename()
        self.count_boosters()
        self.let_in()
        self.report()
        self.report_many()


def expect_success(bot, people):
    linked = people[0]
    checks = ["findBySteam", "findByDiscord", "discordCheck", "prefix"]
    check(bot.roles == [(name, linked["discord"]) for name in checks], f"roles: {bot.roles}")
    check(bot.nicknames == {("getSteam", linked["discord"]): linked["name"]}, f"nicknames: {bot.nicknames}")
    check(bot.boosters == [linked["discord"]], f"boosters: {bot.boosters}")
    lists = ["steamChecks", "isLinkedSteamBulk", "nitroChecks"]
    check(bot.allowed == [(name, linked["steam"]) for name in lists], f"allowed: {bot.allowed}")
    reports = ["updateSteam", "updateOxideGroups", "updateNitro", "confirmNicknameSync", "json", "bare"]
    check(bot.done == reports, f"done: {bot.done}")
    kinds = [(action, status) for action, status, _, _ in bot.api.failures]
    check(kinds == [("updateNitroBulk", 400)], f"only the form is refused: {kinds}")
    header = bot.api.call("findBySteam", in_header=True, id=linked["steam"])
    check(header == json.dumps(linked["discord"]), f"with the key in a header: {header}")
    check(bot.api.call("count") == '{"Total":1}', "count")


def expect_failure(bot, statuses):
    """Nobody gets anything, and every answer says what went wrong."""
    effects = [bot.roles, bot.nicknames, bot.boosters, bot.allowed, bot.done]
    check(not any(effects), f"something was done: {effects}")
    check(set(bot.api.statuses) <= set(statuses), f"answers with {set(bot.api.statuses)} instead of {statuses}")
    for action, status, text, headers in bot.api.failures:
        failure = json.loads(text)
        check(isinstance(failure, dict) and failure["status"] == status, f"{action}: {text}")
        check(failure["code"] == failure["error"] and failure["message"], f"{action}: {text}")
        if status in (429, 503):
            check(int(headers["Retry-After"]) >= 1, f"{action}: no time to wait")


def expect_bare_ids(api, people):
    """The very oldest take the whole answer for the id."""
    linked, other = people
    found = api.call("findBySteam", bare=True, id=linked["steam"])
    check(found == linked["discord"] and int(found) > 2**53, f"bare: {found}")
    check(api.call("discordCheck", bare=True, id=linked["discord"]).startswith("7656119"), "bare prefix")
    check("No users" in api.call("findBySteam", id=other["steam"]), "a miss stays a miss")


def expect_closed_when_astray(setting):
    """Address and name joined without care: it is still the API, or nobody gets the role."""
    linked = setting["people"][0]["discord"]
    for folder in ["/", "/link/guild-1", "/link/guild-1/", "/discord", "/docs", "/app", "/auth/discord/login", "/healthz"]:
        for name in ["api.php", "API.php/", "api", "index.php", ""]:
            path = folder + name
            bot = Bot(Api(setting, path), setting["people"])
            bot.verify_by_substring()
            is_api = path.lower().rstrip("/").endswith("api.php") or path == "/api"
            expected = [linked] * 3 if is_api else []
            check([who for _, who in bot.roles] == expected, f"{path}: {bot.roles}")


def main():
    setting = json.loads(sys.argv[1])
    bot = Bot(Api(setting), setting["people"])
    if setting["bare"]:
        return expect_bare_ids(bot.api, setting["people"])
    bot.run()
    if setting["statuses"]:
        expect_failure(bot, setting["statuses"])
    else:
        expect_success(bot, setting["people"])
        expect_closed_when_astray(setting)


main()
