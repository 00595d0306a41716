"""Just enough of Rust's grammar to tell code from comments and strings."""

import re

TOKEN = re.compile(
    r"""
      //[^\n]*                                       # line comment
    | /\*.*?\*/                                      # block comment
    | (?<!\w)[bc]?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
    | (?:(?<!\w)[bc])?"(?P<plain>(?:[^"\\]|\\.)*)"
    | (?:(?<!\w)b)?'(?:\\[^\n]{1,10}?|[^'\\\n])'     # a character; a lifetime has no closing quote
    """,
    re.S | re.X,
)
FUNCTION = re.compile(r"\bfn\s+(\w+)")
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*(?=\{)")
BRACKET = re.compile(r"[(){}\[\];]")


class RustText:
    """One Rust file: `code` has comments and literals blanked, every position kept."""

    def __init__(self, text: str):
        self.literals: list[tuple[int, str]] = []
        self.code = TOKEN.sub(self._blank, text)
        self._tests = [(m.start(), self._block_end(m.end())) for m in TEST_MODULE.finditer(self.code)]

    def _blank(self, match: re.Match) -> str:
        literal = match["raw"] if match["raw"] is not None else match["plain"]
        if literal is not None:
            self.literals.append((match.start(), literal))
        return re.sub(r"[^\n]", " ", match[0])

    def in_tests(self, position: int) -> bool:
        """Whether the position is inside a `#[cfg(test)] mod`."""
        return any(start <= position < end for start, end in self._tests)

    def functions(self):
        """(name, first line, last line) of each function that has a body."""
        for match in FUNCTION.finditer(self.code):
            body = self._body(match.end())
            if body is not None:
                first = self.code.count("\n", 0, match.start()) + 1
                yield match[1], first, first + self.code.count("\n", match.start(), self._block_end(body))

    def _body(self, position: int) -> int | None:
        depth = 0
        for bracket in BRACKET.finditer(self.code, position):
            if bracket[0] in "([":
                depth += 1
            elif bracket[0] in ")]":
                depth -= 1
            elif depth == 0:
                return bracket.start() if bracket[0] == "{" else None
        return None

    def _block_end(self, brace: int) -> int:
        depth = 0
        for bracket in re.compile(r"[{}]").finditer(self.code, brace):
            depth += 1 if bracket[0] == "{" else -1
            if depth == 0:
                return bracket.end()
        return len(self.code)
