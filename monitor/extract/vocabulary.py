"""Phrases as one pattern, and a sieve that finds quickly where any of them may begin.

All phrases are lower case and are matched against text in lower case with single spaces (`plain`), because that is
several times faster than ignoring case.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from ahocorasick_rs import AhoCorasick, Implementation

from monitor.domain.made_once import made_once


def plain(text: str) -> str:
    """Return text in lower case with single spaces, markup boundaries gone."""
    return " ".join(text.lower().split())


MOST_FAST = 200  #: words that are found in half the time, for 1.7 MB of memory; more of them would take four
REMEMBERED = 1_024  #: answers kept of each vocabulary: the pages of one shop say the same words

_UNSPACED = r"[\W\d_\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af]"
#: A word begins here: no letter before, or none behind, or a script that writes no spaces between words.
_EDGE = rf"(?:(?<![^\W\d_])|(?={_UNSPACED}))"
_ANYWHERE = re.compile(_UNSPACED)
#: The letter with which everything begins that a pattern matches.
_FIRST = re.compile(r"[^\W_](?![?*{+])|\\[.+$*?|()\[\]](?![?*{+])")


class Vocabulary:
    """Phrases in the form of regular expression branches, each beginning with a literal.

    The pattern is compiled when it is first asked: most commands read no page.
    """

    def __init__(self, *lines: str, tail: str = "", head: str = "", whole: bool = True) -> None:
        self.lines = tuple(line.strip("| ") for line in lines)
        self._begins = head if head or not whole else _EDGE
        self._tail = tail
        #: Returns the first phrase in a text that begins at the edge of a word, None when there is none.
        self.found: Callable[[str], str | None] = lru_cache(maxsize=REMEMBERED)(self._search)

    @made_once
    def _pattern(self) -> re.Pattern[str]:
        phrases = any_of(branch for line in self.lines for branch in branches(line))
        return re.compile(f"{self._begins}(?:{phrases}){self._tail}")

    def _search(self, text: str) -> str | None:
        match = self._pattern.search(text) if text else None
        return match.group() if match else None


class Heads:
    """Finds where any of some words begins in a text, in one pass for all of them.

    Not behind a letter from a to z, but for scripts that write no spaces between words.
    """

    def __init__(self, heads: Iterable[str]) -> None:
        every = frozenset(heads)
        least = [head for head in every if not any(head[:size] in every for size in range(1, len(head)))]
        made_as = Implementation.DFA if len(least) <= MOST_FAST else Implementation.ContiguousNFA
        self._automaton = AhoCorasick(least, store_patterns=False, implementation=made_as)
        self._anywhere = [_ANYWHERE.match(head) is not None for head in least]

    def places(self, text: str, low: int, high: int) -> list[int]:
        """Return ascending offsets of `text` between two others at which one of the words begins."""
        low = max(0, low)
        part, before, anywhere = text[low:high], text[low - 1 : low], self._anywhere
        found = self._automaton.find_matches_as_indexes(part, overlapping=True)
        edged = (at for word, at, _ in found if anywhere[word] or not "a" <= (part[at - 1] if at else before) <= "z")
        return sorted({low + at for at in edged})


class Sieve:
    """Finds where phrases of some vocabularies may begin in a long text, never missing one; fast."""

    def __init__(self, *vocabularies: Vocabulary) -> None:
        self._vocabularies = vocabularies

    @made_once
    def _heads(self) -> Heads:
        return Heads(_literal_head(b) for v in self._vocabularies for line in v.lines for b in branches(line))

    def places(self, text: str, low: int, high: int) -> list[int]:
        """Return ascending offsets of `text` between two others at which a phrase may begin."""
        return self._heads.places(text, low, high)

    def passes(self, text: str) -> bool:
        """Say whether a phrase may begin anywhere in `text`."""
        return bool(self._heads.places(text, 0, len(text)))


def any_of(patterns: Iterable[str]) -> str:
    """Return a pattern for any of these that tries, at each place, only those with the letter that is there."""
    behind: dict[str, list[str]] = defaultdict(list)
    for pattern in patterns:
        first = _FIRST.match(pattern)
        behind[first.group() if first else ""].append(pattern[first.end() :] if first else pattern)
    others = behind.pop("", [])
    return "|".join([*(f"{first}(?:{'|'.join(rest)})" for first, rest in sorted(behind.items())), *others])


def branches(line: str) -> Iterator[str]:
    """Split a pattern at its outermost bars."""
    depth, start = 0, 0
    for at, character in enumerate(line):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            yield line[start:at]
            start = at + 1
    yield line[start:]


def _literal_head(branch: str) -> str:
    """Return the characters with which everything begins that a branch matches."""
    found = re.match(r"[^\\.^$*+?{}\[\]()|]+", branch)
    head = found.group() if found else ""
    follows = branch[len(head) : len(head) + 1]
    head = head[:-1] if follows and follows in "?*{" else head
    if not head:
        raise ValueError(f"the phrase {branch!r} does not begin with a literal; write its first letters out")
    return head
