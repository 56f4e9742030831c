"""Names of other people in programs: identifiers, comments and texts that cannot break out."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable

# Longer identifiers are cut: a header is for people, too.
MOST_LETTERS = 40
# Longer names are cut in comments.
MOST_COMMENT = 400


def words(text: str) -> frozenset[str]:
    """The words of a text: a long list that can be read."""
    return frozenset(text.split())


def identifiers(names: Iterable[str], reserved: Collection[str] = ()) -> list[str]:
    """An identifier of ASCII letters for every name: different for different names.

    No identifier is in ``reserved``, whatever its letters.

    >>> identifiers(["body mass", "body-mass", "2nd", "for", "ä", "Für x"], {"for"})
    ['body_mass', 'body_mass_2', 'x2nd', 'for_', 'x', 'F_r_x']
    """
    taken = {word.casefold() for word in reserved}
    found = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name)[:MOST_LETTERS].strip("_") or "x"
        plain = f"x{plain}" if plain[0].isdigit() else plain
        if plain.casefold() in taken and plain.casefold() in map(str.casefold, reserved):
            plain = f"{plain}_"
        unique, number = plain, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{plain.rstrip('_')}_{number}"
        taken.add(unique.casefold())
        found.append(unique)
    return found


def comment(text: str) -> str:
    r"""A text that stays on the line of its comment, in every language.

    Control characters and marks of direction are named, and what could end a comment is torn
    apart. So is what Java would read as a character, even in a comment.

    >>> print(comment("two\nlines */ </script> --> ??/"))
    two(U+000A)lines * / < /script> -- > ?? /
    >>> print(comment("\\u000a ends with \\"))
    \ u000a ends with \.
    """
    text = text if len(text) <= MOST_COMMENT else f"{text[:MOST_COMMENT]} ..."
    safe = "".join(c if c.isprintable() else f"(U+{ord(c):04X})" for c in text)
    for ending in ("*/", "/*", "</", "<!", "->", "??/", "\\u"):
        safe = safe.replace(ending, f"{ending[:-1]} {ending[-1]}")
    return f"{safe}." if safe.endswith("\\") else safe


def json_text(text: str) -> str:
    r"""A text in double quotes, in ASCII, as JSON, JavaScript and Java write it.

    No HTML page that it stands in can read an end of a script in it.

    >>> print(json_text('a"b\n</script>ä'))
    "a\"b\n\u003c/script>\u00e4"
    """
    return json.dumps(text).replace("<", "\\u003c").replace("\x7f", "\\u007f")


def plain_number(number: float) -> str:
    """A number that is read back as it is; without a point where it is whole and not large.

    >>> [plain_number(each) for each in (40.0, 6.5, -0.0, 1e300, 1e16, 0.1 + 0.2)]
    ['40', '6.5', '0', '1e+300', '1e+16', '0.30000000000000004']
    """
    value = float(number) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e9 else repr(value)
