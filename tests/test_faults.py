"""The nearest right name and the line of a TOML key."""

from __future__ import annotations

import pytest

from simulator.faults import line_of, nearest, read_toml
from simulator.game import CardFaults

TEXT = '''\
title = "x"
text = """
[fake]
vp = 1
"""
[a.b]
c = { d = 1 }
"quoted key" = 2

[[cards]]
id = "one"
[[cards]]
id = "two"
vp.base = 3
[cards.bonus]
vp = 4
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("a",), 6),
        (("a", "b", "c"), 7),
        (("a", "b", "c", "d"), 7),
        (("a", "b", "quoted key"), 8),
        (("a", "b", "missing"), 6),
        (("cards", 0, "id"), 11),
        (("cards", 1, "id"), 13),
        (("cards", 1, "vp", "base"), 14),
        (("cards", 1, "bonus", "vp"), 16),
        (("fake", "vp"), 1),
        (("nothing",), 1),
    ],
)
def test_a_key_is_found_on_its_line_and_a_missing_one_at_its_table(path, line):
    assert line_of(TEXT, *path) == line


def test_the_nearest_name_wins_and_a_far_one_gets_them_all():
    assert nearest("Plyaers", ("players", "games")) == "players"
    assert nearest("zzz", ("players", "games")) == "one of players, games"
    assert nearest("zzz", [f"a{number}" for number in range(102)]) == "one of 102: a0, a1, a2, a3, a4, …"


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    file = tmp_path / "cards.toml"
    file.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(CardFaults, match=r"cards\.toml:2: .*UTF-8"):
        read_toml(file)
