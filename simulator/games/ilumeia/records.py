"""What the compiled rules read and fill: the records of tables and state, and how the search packs what it counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.games.ilumeia.model import (
    MAX_AGES,
    MAX_BNEPH,
    MAX_CARDS,
    MAX_CODE,
    MAX_DISPLAY,
    MAX_EVENTS,
    MAX_HAND,
    MAX_OWNED,
    MAX_PRIMOS,
    MAX_PROPHECIES,
    MAX_PROVIDENCE,
    MAX_ROW,
    MAX_SEATS,
    MAX_SOURCES,
    MAX_STACK,
    MAX_STARS,
    MAX_STEPS,
    MAX_TAPE,
    N_ACTIONS,
    N_FEATURES,
    N_METRICS,
    N_MODIFIERS,
    N_NAMES,
    N_PARTS,
    N_PLANETS,
)

# What a row can win, as bits of a mask: the steps in the order of `Step`, but each B'neph and Primos field
# its own bit behind them.
BIT_BNEPH = 9
BIT_PRIMOS = BIT_BNEPH + MAX_BNEPH
N_BITS = BIT_PRIMOS + MAX_PRIMOS

# How the right-hand transitions of a half-built row hang together: `Gate` codes the partition of its ports.
N_GATES = 5

# Packed sums: first bit and width of each field. A row has at most 11 cards of at most 7 stars, 8 ends (ports
# count) and 4 transitions, so no field overflows into its neighbour.
COUNT_SHIFTS = {
    "stars": 0,
    "flames": 8,
    "centrals": 16,
    "ends": 24,
    "diagonals": 32,
    "comets": 40,
    "middle": 48,
}
MORE_SHIFTS = {"upper": 0, "flame_diagonals": 8, "transitions": 16, "unsymmetric": 24, "lower": 32}

# `half_join` and `deep_open` share their low fields: areas, comets enclosed, comets that wait in the upper and in
# the lower gap between the ports on the right, the gate; `half_join` has the fates of the two gaps on the left behind.
JOIN_AREAS, JOIN_ENCLOSED, JOIN_GAP_1, JOIN_GAP_2, JOIN_GATE, JOIN_FATE_1, JOIN_FATE_2 = (
    0,
    8,
    16,
    24,
    32,
    36,
    40,
)
FATE_OPEN, FATE_ENCLOSED, FATE_GAP_1, FATE_GAP_2 = 0, 1, 2, 3

EVENT_FIELDS = ("turn", "step_in_turn", "round", "seat", "kind", "source", "amount")
SEAT_EXTRAS = ("vvibon", "amp_r", "pile", "largest", "energy")


def _record(fields: list[Any]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(fields, align=True)))


TABLES = _record(
    [
        # counts of what is in use of each fixed capacity
        ("n_cards", "i8"),
        ("n_prophecies", "i8"),
        ("n_providence", "i8"),
        ("n_primos", "i8"),
        ("n_bneph", "i8"),
        ("n_vvibon", "i8"),
        ("n_amp_r", "i8"),
        # numbers of the rulebook, as in rules.toml
        ("ages", "i8"),
        ("energy_start", "i8"),
        ("supply", "i8"),
        ("display", "i8"),
        ("deal", "i8"),
        ("prepare_discard", "i8"),
        ("draw", "i8"),
        ("exchange_cost", "i8"),
        ("renew_cost", "i8"),
        ("hand_limit", "i8"),
        ("hand_limit_bonus", "i8"),
        ("keep_per_step", "i8"),
        ("providence", "i8"),
        ("providence_vp", "i8", MAX_AGES),
        ("suzur_vp", "i8"),
        ("suzur_bonus", "i8"),
        ("lotzzz_minimum", "i8"),
        ("amp_r_threshold", "i8", MAX_STEPS),
        ("amp_r_dice", "i8", MAX_STEPS),
        ("amp_r_vp", "i8", MAX_STEPS),
        ("amp_r_suzur_step", "i8"),
        ("vvibon_threshold", "i8", MAX_STEPS),
        ("vvibon_reward", "i8", MAX_STEPS),
        ("vvibon_vp", "i8", (MAX_STEPS, MAX_SEATS)),  # by step, by order reached
        ("primos_numbers", "i8", (MAX_PRIMOS, 4)),  # by field; NOTHING behind the last number
        ("primos_reward", "i8", MAX_PRIMOS),
        ("primos_vp", "i8", MAX_PRIMOS),
        ("primos_tolerance_bonus", "i8"),
        ("bneph_metric", "i8", MAX_BNEPH),
        ("bneph_value", "i8", MAX_BNEPH),
        ("bneph_vp", "i8"),
        ("bneph_vp_boosted", "i8"),
        ("compensation", "i8"),
        ("first_game", "i8"),
        ("exchanged_planet", "i8"),
        ("allow_even_axis", "i8"),
        ("tie_break", "i8"),
        # half-cards: 2 * card + turned
        ("half_left", "i8", 2 * MAX_CARDS),  # ports as bits: upper 1, middle 2, lower 4
        ("half_right", "i8", 2 * MAX_CARDS),
        ("half_counts", "i8", 2 * MAX_CARDS),  # packed sums: COUNT_SHIFTS
        ("half_more", "i8", 2 * MAX_CARDS),  # packed sums: MORE_SHIFTS
        ("half_join", "i8", (2 * MAX_CARDS, N_GATES)),  # packed effect of joining it behind a gate
        ("half_shape", "i8", 2 * MAX_CARDS),  # equal for equal stars, lines and ports
        ("half_mirror", "i8", 2 * MAX_CARDS),  # the shape of its mirror image, left and right swapped
        ("card_drawings", "i8", MAX_CARDS),  # 1 if the card looks the same turned by 180 degrees, else 2
        ("card_sides", "i8", MAX_CARDS),  # bit p: a side with ports p, seen as a right side
        ("card_meets", "i8", MAX_CARDS),  # bit p: a card with this side can be joined
        ("card_metric", "f8", (MAX_CARDS, N_METRICS)),  # of the card alone
        # prophecy cards
        ("planet", "i8", MAX_PROPHECIES),
        ("reward", "i8", MAX_PROPHECIES),
        ("dot", "i8", MAX_PROPHECIES),
        ("vp", "i8", MAX_PROPHECIES),
        (
            "guard_metric",
            "i8",
            MAX_PROPHECIES,
        ),  # a metric that must lie in a range for the condition to be true
        ("guard_least", "f8", MAX_PROPHECIES),
        ("guard_most", "f8", MAX_PROPHECIES),
        ("condition", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("condition_length", "i8", MAX_PROPHECIES),
        ("verb", "i8", MAX_PROPHECIES),  # NOTHING: no effect
        ("trigger", "i8", MAX_PROPHECIES),
        ("target", "i8", MAX_PROPHECIES),
        ("amount", "i8", MAX_PROPHECIES),
        ("most", "i8", MAX_PROPHECIES),  # NOTHING: no cap
        ("per", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("per_length", "i8", MAX_PROPHECIES),
        ("when", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("when_length", "i8", MAX_PROPHECIES),
        ("counts", "i8", MAX_PROPHECIES),  # 1 if the effect counts cards of the own pile
        ("counted", "u1", (MAX_PROPHECIES, MAX_CARDS)),  # 1: this card fulfils the effect's `count`
        # providence cards
        ("at_least", "i8", MAX_PROVIDENCE),
        ("provident", "u1", (MAX_PROVIDENCE, MAX_CARDS)),
        ("provident_share", "f8", MAX_PROVIDENCE),
        # sources: first code of each group
        ("source_primos", "i8"),
        ("source_bneph", "i8"),
        ("source_prophecy", "i8"),
        ("source_providence", "i8"),
        ("source_compensation", "i8"),
        ("n_sources", "i8"),
    ]
)
"""The card set and rule values as the kernel reads them. Axes "by card", "by prophecy" are file order."""


STATE = _record(
    [
        ("players", "i8"),
        ("seed", "i8"),
        ("game", "i8"),
        ("setup", "i8"),
        ("age", "i8"),  # 0 ..
        ("first", "i8"),  # the seat that holds #1
        ("turn", "i8"),
        ("step_in_turn", "i8"),
        ("active", "i8"),
        ("over", "i8"),  # 1: no cards can be had, the game ends
        ("ending", "i8"),
        ("lead_changes", "i8"),
        ("last_leader", "i8"),
        ("reshuffles", "i8"),
        ("decisions", "i8"),
        # piles
        ("pile", "i8", MAX_CARDS),  # the last is the top
        ("pile_size", "i8"),
        ("discards", "i8", MAX_CARDS),
        ("discards_size", "i8"),
        ("display", "i8", MAX_DISPLAY),  # by slot; NOTHING: empty
        ("stack", "i8", (N_PLANETS, MAX_STACK)),
        ("face_up", "i8", N_PLANETS),  # the prophecy that can be won, or NOTHING
        # by seat
        ("hand", "i8", (MAX_SEATS, MAX_HAND)),
        ("hand_size", "i8", MAX_SEATS),
        ("own", "i8", (MAX_SEATS, MAX_CARDS)),  # cards of the constellations created
        ("own_size", "i8", MAX_SEATS),
        ("available", "i8", MAX_SEATS),
        ("used", "i8", MAX_SEATS),
        ("spent", "i8", MAX_SEATS),  # dice that own actions moved from available to used, in all ages
        ("supply", "i8", MAX_SEATS),
        ("exhausted", "i8", MAX_SEATS),
        ("vp", "i8", MAX_SEATS),
        ("part", "i8", (MAX_SEATS, N_PARTS)),
        ("did", "i8", (MAX_SEATS, N_ACTIONS)),
        ("largest", "i8", MAX_SEATS),
        ("vvibon", "i8", MAX_SEATS),
        ("amp_r", "i8", MAX_SEATS),
        ("record", "i8", MAX_SEATS),
        ("suzur", "i8", MAX_SEATS),  # bonuses on Suzur
        ("boosted", "i8", MAX_SEATS),  # 1: B'neph pays the higher VP
        ("tolerance", "i8", MAX_SEATS),  # on Primos
        ("keep", "i8", MAX_SEATS),
        ("limit", "i8", MAX_SEATS),
        ("modifier", "i8", (MAX_SEATS, N_MODIFIERS)),
        ("claims", "i8", MAX_SEATS),
        ("prophecies", "i8", MAX_SEATS),  # cards won
        ("primos_claimed", "i8", (MAX_SEATS, MAX_PRIMOS)),
        ("held_first", "i8", MAX_SEATS),  # ages begun with #1
        ("providence", "i8", (MAX_SEATS, 2)),
        ("kept_providence", "i8", MAX_SEATS),
        ("providence_age", "i8", MAX_SEATS),
        ("owned", "i8", (MAX_SEATS, MAX_OWNED)),  # prophecy whose effect is held, in the order won
        ("owned_as", "i8", (MAX_SEATS, MAX_OWNED)),  # the prophecy that pays: differs for a copy
        ("owned_spent", "i8", (MAX_SEATS, MAX_OWNED)),  # 1: one-time effect used up
        ("owned_size", "i8", MAX_SEATS),
        ("reached", "u1", (MAX_SEATS, MAX_SOURCES)),
        ("weight", "f8", (MAX_SEATS, N_FEATURES)),
        ("noise", "u8", (MAX_SEATS, 1)),
        # shared
        ("bneph_owner", "i8", MAX_BNEPH),
        ("grey_owner", "i8"),  # NOTHING: on Lotzzz; -2: on a claim, out of the game
        ("grey_available", "i8"),
        # this turn
        ("exchanged", "i8"),
        ("may_pass", "i8"),  # 0 once cards were exchanged or the display renewed (IL-32)
        ("renewed", "i8"),
        ("free_action", "i8"),
        ("relaxed", "i8"),
        ("acting", "i8"),  # 1: a turn with energy before or after its action
        ("before_action", "i8"),
        ("scoring", "i8"),  # 1: a constellation lies whose scoring is finished even without cards (g37)
        # the constellation being scored, or being weighed by the search
        ("row", "i8", MAX_ROW),
        ("row_size", "i8"),
        (
            "laid",
            "f8",
            N_NAMES,
        ),  # metrics of the constellation being scored, then the standing of an effect's owner
        ("metric", "f8", N_NAMES),  # of the row that the search weighs
        ("scratch", "f8", MAX_CODE),
        ("done", "i8", N_BITS),
        # the search: what each winnable thing is worth to the seat, and what was found
        ("worth", "f8", N_BITS),
        ("laid_cost", "f8"),  # worth lost for each card laid
        ("reachable", "i8"),  # mask of what some row can win
        ("best_row", "i8", MAX_ROW),
        ("best_size", "i8"),
        ("best_value", "f8"),
        ("best_mask", "i8"),
        ("rows_found", "i8"),
        ("weighed_seat", "i8"),  # whose hand was weighed last
        ("weighed", "i8"),  # the count of decisions when the hand was last weighed, NOTHING: not this turn
        ("local_half", "i8", 2 * MAX_HAND),
        ("by_left", "i8", 8),  # half-cards of the hand, as bits, by their left ports
        ("by_right", "i8", 8),  # and by their right ports
        ("usable", "i8", 8),  # half-cards that may follow ports, in rows from the present start
        ("deep_next", "i8", MAX_HAND),  # half-cards not yet tried at this depth
        ("deep_half", "i8", MAX_HAND),
        ("deep_counts", "i8", MAX_HAND),
        ("deep_more", "i8", MAX_HAND),
        ("deep_open", "i8", MAX_HAND),
        ("deep_used", "i8", MAX_HAND),
        # what the search aims at, worked out once for all rows (see search.take_aim)
        ("need_stars", "i8"),  # for a step on Vvibon
        ("need_flames", "i8"),  # for a step on Amp-R
        ("need_cards", "i8"),  # for the lead on Lotzzz
        ("claim_dice", "i8", 4),  # by 1 if the row climbs Amp-R + 2 if it leads on Lotzzz
        ("primos_mask", "i8", MAX_STARS),  # by stars of the row: fields that fit
        ("primos_gain", "f8", MAX_STARS),  # the best of their worths, at least 0
        ("unseen", "i8"),  # planets whose face-up prophecy this seat has not reached yet
        ("guard_metric", "i8", N_PLANETS),  # of the face-up prophecies, as in the tables
        ("guard_least", "f8", N_PLANETS),
        ("guard_most", "f8", N_PLANETS),
        ("bar", "f8"),  # rows that aren't worth more needn't be weighed
        ("hope", "f8"),  # worth of all face-up prophecies
        ("card_worth", "f8", MAX_CARDS),  # scratch of the policy: what cards are worth to the seat
        ("choice", "i8", MAX_CARDS),  # cards, or half-cards of a row, chosen by the policy
        ("choice_size", "i8"),
        ("action", "i8"),  # the action chosen, the die that pays, the display slot
        ("die", "i8"),
        ("slot", "i8"),
        ("theft", "u8", 1),
        ("stream", "u8", 1),
        # what leaves the kernel
        ("events", "i4", (MAX_EVENTS, len(EVENT_FIELDS))),
        ("n_events", "i8"),
        ("keep_events", "i8"),
        ("tape", "i4", MAX_TAPE),
        ("tape_size", "i8"),
        ("recording", "i8"),
        ("fault", "i8"),  # not 0: a capacity overflowed or a decision was illegal
    ]
)
"""One game in play. Seats, ages and steps count from 0; a track at 0 has taken no step."""
