#!/usr/bin/env python3
"""The subjects of the newest commits fit into one line of a log.

    python3 tools/subjects.py              check this repository
    python3 tools/subjects.py --self-test  check that the rule still fires

Merges are left out, their subjects are made by git. Where there is no history, there is nothing to check.
"""

import subprocess
import sys
from pathlib import Path

MOST_CHARACTERS = 72
NEWEST = 50


def findings(log: str) -> list[str]:
    """One for each line `hash subject` whose subject is too long."""
    commits = (line.partition(" ") for line in log.splitlines())
    return [
        f"commit {name}: the subject has {len(subject)} characters, at most {MOST_CHARACTERS}: {subject}"
        for name, _, subject in commits
        if len(subject) > MOST_CHARACTERS
    ]


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        found = findings(f"a1 {'x' * 72}\nb2 {'ä' * 72}\nc3 {'x' * 73}\n")
        sound = len(found) == 1 and found[0].startswith("commit c3: ")
        print("subjects: the long one was found" if sound else f"subjects: found {found}")
        return 0 if sound else 1
    asked = ["git", "log", "--no-merges", f"--max-count={NEWEST}", "--format=%h %s"]
    answer = subprocess.run(asked, cwd=Path(__file__).resolve().parent, capture_output=True, text=True)
    found = findings(answer.stdout) if answer.returncode == 0 else []
    print("\n".join(found) if found else "subjects: short enough")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
