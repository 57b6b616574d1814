"""A run folder of made-up games with every column and event kind, for tests of the measures alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simulator.game import EVENT_KINDS

PLANETS = ("meculog", "braeck", "onumira", "fluuvee", "aggroksch")
KINDS = ("ability", "instant", "one_time", "final")
BOTS = ("balanced", "prophet:vvibon=1.5", "climber", "sprinter")
ROUNDS = 4
CLAIMS = ("2_3", "5_7", "11", "13", "17", "19", "23", "29")
FEATS = ("comets", "ends", "middle", "centrals")


def catalogue() -> pl.DataFrame:
    rows = [
        ("vvibon", "Vvibon", "vvibon", "track", "As many stars as the next field asks."),
        ("amp_r", "Amp-R", "amp_r", "track", "As many flame stars as the next field asks."),
        ("suzur", "Suzur", "suzur", "always", "1 VP for each constellation."),
        ("lotzzz", "Lotzzz", "lotzzz", "record", "More cards than the marker ahead."),
        ("compensation", "Compensation", "compensation", "compensation", "3 VP, three seats only."),
    ]
    rows += [
        (f"primos.{c}", f"Primos {c.replace('_', '/')}", "primos", "claim", "Exactly so many stars.")
        for c in CLAIMS
    ]
    rows += [(f"bneph.{f}", f"B'neph {f}", "bneph", "claim", "Exactly so many.") for f in FEATS]
    for p, planet in enumerate(PLANETS):
        for i in range(10):
            kind = KINDS[(i + p) % 4]
            name = f"{planet.capitalize()} {i + 1}"
            if p == 1 and i == 0:
                name = "<script>alert('x')</script> $x^2$ & \"q\""
            rows.append((f"prophecy.{planet}_{i + 1}", name, planet, kind, f"stars >= {8 + i}; 4 VP"))
    rows += [
        (f"providence.p{i}", f"Providence {i}", "providence", "providence", "Half the pile.")
        for i in range(12)
    ]
    table = pl.DataFrame(rows, schema=["source", "name", "group", "kind", "text"], orient="row")
    return table.with_columns(offered=True)


def _events(rng: np.random.Generator, games: int, players: int, turns: np.ndarray) -> list[pl.DataFrame]:
    """Frames of events in no order; arrays are over games or (games, players)."""
    frames: list[pl.DataFrame] = []
    setup = np.arange(games) // players
    laps = turns // players

    def put(which: np.ndarray, lap: Any, seat: Any, kind: str, source: Any, amount: Any) -> None:
        """Events in the games `which` (indices), in a go-round; seat -1 is before its first turn."""
        lap, seat = np.broadcast_to(lap, which.shape), np.broadcast_to(seat, which.shape)
        frames.append(
            pl.DataFrame(
                {
                    "game": which,
                    "turn": (lap * players + np.maximum(seat, 0)).astype(np.int32),
                    "round": (lap * ROUNDS // laps[which] + 1).clip(1, ROUNDS).astype(np.int16),
                    "seat": seat.astype(np.int8),
                    "kind": pl.Series([kind]).new_from_index(0, which.size),
                    "source": source
                    if isinstance(source, pl.Series)
                    else pl.Series([source]).new_from_index(0, which.size),
                    "amount": np.broadcast_to(amount, which.shape).astype(np.int32),
                }
            )
        )

    everyone = np.arange(games)
    first_lap = [(laps * r + ROUNDS - 1) // ROUNDS for r in range(ROUNDS)]
    for p, planet in enumerate(PLANETS):
        order = np.argsort(rng.random((games // players + 1, 10)), axis=1)[setup]
        for r in range(ROUNDS):
            card = order[:, r]
            source = pl.Series(np.array([f"prophecy.{planet}_{i + 1}" for i in range(10)])[card])
            put(everyone, first_lap[r], -1, "offered", source, 0)
            ease = 0.15 + 0.05 * card + 0.1 * rng.standard_normal(games // players + 1)[setup]
            can = rng.random((games, players)) < ease[:, None]
            winner = np.where(can, rng.random((games, players)), -1).argmax(axis=1)
            won = can.any(axis=1) & (rng.random(games) < 0.75)
            lap = first_lap[r] + 1
            for seat in range(players):
                at = np.flatnonzero(can[:, seat])
                put(at, lap[at], seat, "reachable", source.gather(at), 0)
            at = np.flatnonzero(won)
            kind = (card[at] + p) % 4
            chosen = rng.random(at.size) < 0.4
            amount = np.where(kind == 1, 5, np.where(((kind == 0) | (kind == 2)) & chosen, 4, 0))
            put(at, lap[at], winner[at], "paid", source.gather(at), amount)
            later = at[(kind == 0) & ~chosen]
            put(later, lap[later] + 1, winner[later], "used", source.gather(later), 0)
            put(later, lap[later] + 1, winner[later], "paid", source.gather(later), 2)
            final = at[kind == 3]
            put(
                final,
                laps[final] - 1,
                winner[final],
                "paid",
                source.gather(final),
                rng.integers(0, 9, final.size),
            )
            if planet == "aggroksch":
                victim = (winner[later] + 1) % players
                put(later, lap[later] + 1, victim, "paid", source.gather(later), -1)
            at = np.flatnonzero(~won)
            put(at, (laps * (r + 1) // ROUNDS - 1)[at], -1, "lapsed", source.gather(at), 0)
    strength = rng.gamma(8.0, 1 / 8.0, games // players + 1)[setup]
    for source, steps, pace, reward in (
        ("vvibon", 9, 0.42, {3: 4, 6: 6, 9: 9}),
        ("amp_r", 5, 0.25, {4: 3, 5: 5}),
    ):
        for seat in range(players):
            lap = np.zeros(games, dtype=np.int64)
            for step in range(1, steps + 1):
                lap = lap + rng.geometric(np.clip(pace * strength * (1.2 - 0.09 * step), 0.02, 0.9))
                at = np.flatnonzero(lap < laps)
                put(at, lap[at], seat, "step", source, step)
                if step in reward:
                    put(at, lap[at], seat, "paid", source, reward[step])
    for claim in CLAIMS:
        put(everyone, 0, -1, "offered", f"primos.{claim}", 0)
        for seat in range(players):
            at = np.flatnonzero(rng.random(games) < 0.2)
            lap = rng.integers(0, laps[at])
            put(at, lap, seat, "reachable", f"primos.{claim}", 0)
            put(at, lap, seat, "paid", f"primos.{claim}", 3)
    for feat in FEATS:
        put(everyone, 0, -1, "offered", f"bneph.{feat}", 0)
        at = np.flatnonzero(rng.random(games) < 0.3)
        lap, seat = rng.integers(0, laps[at]), rng.integers(0, players, at.size)
        put(at, lap, seat, "reachable", f"bneph.{feat}", 0)
        put(at, lap, seat, "paid", f"bneph.{feat}", 8)
    for seat in range(players):
        for _ in range(8):
            put(everyone, rng.integers(0, laps), seat, "paid", "suzur", 1)
        hand = pl.Series(np.array([f"providence.p{i}" for i in range(12)])[(rng.integers(0, 12, games))])
        put(everyone, 0, seat, "offered", hand, 0)
        at = np.flatnonzero(rng.random(games) < 0.5)
        put(at, laps[at] - 1, seat, "reachable", hand.gather(at), 0)
        put(at, laps[at] - 1, seat, "paid", hand.gather(at), 10)
    at = np.flatnonzero(rng.random(games) < 0.9)
    put(at, 1, rng.integers(0, players, at.size), "paid", "lotzzz", 0)
    return frames


def write_run(
    folder: Path, games: int = 400, seed: int = 1, players: int = 4, keep: str = "events", chunk: int = 50_000
) -> Path:
    """A run folder of made-up games, by chunks; the paid amounts of a seat add up to its score."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = catalogue()
    sources.write_parquet(folder / "catalogue.parquet")
    kept = ("games", "seats", "events")[: ("games", "seats", "events").index(keep) + 1]
    for name in kept:
        (folder / name).mkdir(exist_ok=True)
    parts = 0
    for start in range(0, games, chunk):
        count = min(chunk, games - start)
        rng = np.random.default_rng([seed, start])
        turns = players * rng.integers(18, 27, count).astype(np.int32)
        events = pl.concat(_events(rng, count, players, turns)).sort("game", "turn", maintain_order=True)
        events = events.with_columns(
            (pl.int_range(pl.len(), dtype=pl.Int32).over("game", "turn")).alias("step_in_turn"),
            pl.col("game") + start,
        ).select("game", "turn", "step_in_turn", "round", "seat", "kind", "source", "amount")
        rotation = (np.arange(count) + start) % players
        seat = np.tile(np.arange(players), count)
        bot = np.array(BOTS)[(seat + np.repeat(rotation, players)) % len(BOTS)]
        seats = pl.DataFrame(
            {"game": np.repeat(np.arange(count) + start, players), "seat": seat.astype(np.int8), "bot": bot}
        )
        parts_of_score = (
            events.filter(pl.col("kind") == "paid")
            .join(sources.select("source", "group"), on="source")
            .group_by("game", "seat")
            .agg(
                [
                    pl.col("amount").filter(pl.col("group") == g).sum().alias(f"score_{g}")
                    for g in sources["group"].unique().sort()
                ]
            )
        )
        seats = seats.join(parts_of_score, on=["game", "seat"], how="left", maintain_order="left").fill_null(
            0
        )
        score = seats.select(pl.sum_horizontal("^score_.*$")).to_series().to_numpy().reshape(count, players)
        top = score.max(axis=1)
        at_top = score == top[:, None]
        tied = at_top.sum(axis=1)
        kept_tie = (rng.random(count) < 0.2) & (tied > 1)
        winner = np.where(at_top, rng.random(score.shape), -1).argmax(axis=1)
        wins = np.where(kept_tie[:, None], at_top, np.arange(players) == winner[:, None])
        ordered = np.sort(score, axis=1)
        game_table = pl.DataFrame(
            {
                "game": np.arange(count) + start,
                "setup": (np.arange(count) + start) // players,
                "rotation": rotation,
                "players": np.full(count, players, dtype=np.int8),
                "rounds": np.full(count, ROUNDS, dtype=np.int16),
                "turns": turns,
                "ending": np.where(rng.random(count) < 0.01, "no cards left", "last age"),
                "winners": wins.sum(axis=1).astype(np.int8),
                "top_score": top,
                "margin": ordered[:, -1] - ordered[:, -2],
                "tied_on_points": tied.astype(np.int8),
                "tie_stage": np.where(tied == 1, 0, np.where(kept_tie, -1, 1)).astype(np.int8),
                "lead_changes": rng.integers(0, 9, count).astype(np.int16),
            }
        )
        rank = 1 + (score[:, :, None] < score[:, None, :]).sum(axis=2)
        rank = np.where(at_top & ~wins, 2, rank)
        seats = seats.with_columns(
            pl.Series("score", score.ravel()),
            pl.Series("rank", rank.ravel().astype(np.int8)),
            pl.Series("win_share", (wins / wins.sum(axis=1, keepdims=True)).ravel()),
            pl.Series("did_create", rng.integers(3, 9, count * players).astype(np.int16)),
            pl.Series("did_pass", rng.integers(0, 2, count * players).astype(np.int16)),
            pl.Series("largest", rng.integers(3, 9, count * players).astype(np.int16)),
        )
        front = ["game", "seat", "bot", "score", "rank", "win_share"]
        seats = seats.select(*front, pl.exclude(front))
        for name, table in zip(kept, (game_table, seats, events), strict=False):
            table.write_parquet(folder / name / f"part-{parts:06d}.parquet", compression="lz4")
        parts += 1
    about = {
        "design": {},
        "weights": [],
        "chunk": chunk,
        "game": "made_up",
        "title": "Made-up Stars",
        "players": players,
        "games": games,
        "bots": list(BOTS[:players]),
        "seating": "rotate",
        "seed": seed,
        "settings": {"rules.energy_start": 6},
        "reconstructed": ["star_cards.csv", "prophecies.toml"],
        "fingerprint": "f00dfeed" * 8,
        "engine": "0.1.0",
        "keep": keep,
        "parts": parts,
        "tie_stages": ["points", "most star cards in own constellations"],
        "endings": ["last age", "no cards left", "a deity falls asleep"],
        "kinds": [*EVENT_KINDS, "used"],
        "columns": {"kinds": {"used": "An effect worked."}, "seats": {"largest": "Cards."}, "events": {}},
    }
    (folder / "experiment.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


# A race

COLOURS = ("blue", "green", "red")
RACERS = ("ann", "bob", "cid")
RACE = {
    "game": "made_up_race",
    "title": "Made-up Race",
    "race": True,
    "kinds": [*EVENT_KINDS, "drawn", "trimmed"],
    "columns": {
        "kinds": {"drawn": "A card drawn.", "trimmed": "A card too many."},
        "seats": {"placed": "Cards placed.", "dead": "1 if nothing could be placed."},
        "events": {"local": "Met by neighbours.", "temporary": "Met by discards."},
    },
    "payments": ["local", "temporary"],
    "endings": ["spire", "stalemate", "turn_limit"],
    "tie_stages": ["the first spire"],
}


def race_catalogue() -> pl.DataFrame:
    rows = [("cathedral", "Cathedral", "Cathedral", "track", "", False)]
    rows += [
        (f"spire.{c}{i}", f"{c.capitalize()} {i}", f"{c.capitalize()} spires", "spire", "15", True)
        for i in (1, 2)
        for c in COLOURS
    ]
    rows += [
        (f"card.{level}{i}", f"{level}{i}", f"Level {'II' if level == 'b' else 'I'}", "card", "", False)
        for level in "ab"
        for i in range(6)
    ]
    return pl.DataFrame(rows, schema=["source", "name", "group", "kind", "text", "offered"], orient="row")


def write_race(
    folder: Path,
    games: int = 300,
    seed: int = 1,
    keep: str = "events",
    longer: int = 0,
    stalemates: float = 0.04,
    settings: dict[str, Any] | None = None,
) -> Path:
    """Games of three seats in which the first to take one of four spires wins.

    What is known of them: a Level I costs 1 local and 3 temporary, a Level II 3 and 1, a spire 5 and 0; red spires
    are taken twice as readily as others; only seat 2 trims, in half of its games; `longer` rounds are added.
    """
    folder.mkdir(parents=True, exist_ok=True)
    race_catalogue().write_parquet(folder / "catalogue.parquet")
    rng = np.random.default_rng(seed)
    spires = [name for name in race_catalogue()["source"] if name.startswith("spire.")]
    shown_in = [sorted(rng.choice(spires, 4, replace=False)) for _ in range(-(-games // 3))]
    of_games: list[dict[str, Any]] = []
    of_seats: list[dict[str, Any]] = []
    events: list[tuple[Any, ...]] = []
    for game in range(games):
        setup, rotation = divmod(game, 3)
        rounds = int(rng.integers(4, 20)) + longer
        winner = int(rng.integers(0, 3)) if rng.random() >= stalemates else None
        turns = 3 * rounds if winner is None else 3 * (rounds - 1) + winner + 1
        shown = shown_in[setup]
        events += [(game, 0, 1, -1, "offered", spire, 0, 0, 0) for spire in shown]
        placed, draws, trims = [0, 0, 0], [0, 0, 0], rng.random() < 0.5
        for turn in range(turns - (winner is not None)):
            number, seat = 1 + turn // 3, turn % 3
            here = (game, turn, number, seat)
            if rng.random() < 0.5:
                level = "ab"[int(rng.integers(0, 2))]
                paid = (1, 3) if level == "a" else (3, 1)
                events.append((*here, "paid", f"card.{level}{rng.integers(0, 6)}", 0, *paid))
                placed[seat] += 1
                if placed[seat] == 1:
                    events.append((*here, "step", "cathedral", 1, 0, 0))
            else:
                events.append((*here, "drawn", f"card.a{rng.integers(0, 6)}", 0, 0, 0))
                draws[seat] += 1
            if seat == 2 and number == 2 and trims:
                events.append((*here, "trimmed", "card.b0", 0, 0, 0))
        taken = None
        if winner is not None:
            ease = np.array([2.0 if "red" in spire else 1.0 for spire in shown])
            taken = str(rng.choice(shown, p=ease / ease.sum()))
            here = (game, turns - 1, rounds, winner)
            events += [(*here, "reachable", taken, 0, 0, 0), (*here, "paid", taken, 1, 5, 0)]
        rest = [spire for spire in shown if spire != taken]
        events += [(game, turns, rounds, -1, "lapsed", spire, 0, 0, 0) for spire in rest]
        of_games.append(
            {
                "game": game, "setup": setup, "rotation": rotation, "players": 3, "rounds": rounds, "turns": turns,
                "ending": "stalemate" if winner is None else "spire", "winners": 3 if winner is None else 1,
                "top_score": int(winner is not None), "margin": int(winner is not None),
                "tied_on_points": 3 if winner is None else 1, "tie_stage": -1 if winner is None else 0,
                "lead_changes": 0,
            }
        )  # fmt: skip
        for seat in range(3):
            won = seat == winner
            of_seats.append(
                {
                    "game": game, "seat": seat, "bot": RACERS[(seat + rotation) % 3], "score": int(won),
                    "rank": 1 if won or winner is None else 2,
                    "win_share": 1 / 3 if winner is None else float(won), "score_spire": int(won),
                    "did_draw": draws[seat], "did_place": placed[seat], "did_spire": int(won), "did_pass": 0,
                    "placed": placed[seat], "dead": int(game % 50 == 0 and seat == 0),
                }
            )  # fmt: skip
    names = ["game", "turn", "round", "seat", "kind", "source", "amount", "local", "temporary"]
    happened = pl.DataFrame(events, schema=names, orient="row").with_columns(step_in_turn=0)
    for name, table in (("games", of_games), ("seats", of_seats), ("events", happened)):
        if name in ("games", "seats", "events")[: ("games", "seats", "events").index(keep) + 1]:
            (folder / name).mkdir(exist_ok=True)
            pl.DataFrame(table).write_parquet(folder / name / "part-000000.parquet")
    about = RACE | {
        "design": {"rules": {"any_lower": False, "hand_limit": 7}},
        "weights": [], "chunk": games, "players": 3, "games": games, "bots": list(RACERS), "seating": "rotate",
        "seed": seed, "settings": settings or {}, "cards": None, "reconstructed": ["cards.csv"],
        "fingerprint": "beefcafe" * 8, "engine": 1, "keep": keep,
    }  # fmt: skip
    (folder / "experiment.json").write_text(json.dumps(about), encoding="utf-8")
    return folder
