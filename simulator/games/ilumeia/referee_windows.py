"""The windows of a turn: one-time cards, the exchange and the renewal of the display (g26, g28, r13)."""

from __future__ import annotations

from simulator.games.ilumeia.model import Action, Tape, Verb
from simulator.games.ilumeia.referee_effects import play
from simulator.games.ilumeia.referee_table import Deity, Table


def window(table: Table, deity: Deity) -> None:
    """Whatever the deity plays, exchanges and renews before its next step."""
    tape = table.tape
    while True:
        if tape.comes(Tape.PLAY, deity.seat):
            played = tape.read(Tape.PLAY, deity.seat, "IL-26", "a one-time card")
            tape.require(len(played) == 1, "IL-26", "one card is played at a time")
            play(table, deity, played[0])
        elif tape.comes(Tape.EXCHANGE, deity.seat):
            exchange(table, deity, tape.read(Tape.EXCHANGE, deity.seat, "IL-33", "an exchange"))
        elif tape.comes(Tape.RENEW, deity.seat):
            renew(table, deity, tape.read(Tape.RENEW, deity.seat, "IL-33", "a renewal"))
        else:
            return


def exchange(table: Table, deity: Deity, values: tuple[int, ...]) -> None:
    """4 hand cards to the discards, then one card from display or pile."""
    _check_free_action(table, Action.EXCHANGE)
    cost = max(1, table.rules.exchange_cost - table.lasting(deity, Verb.EXCHANGE_DISCOUNT))
    table.tape.require(bool(values), "IL-33", "an exchange names a slot or -1, then the cards")
    cards = values[1:]
    table.tape.require(len(cards) == cost, "IL-33", f"an exchange takes {cost} cards, not {len(cards)}")
    deity.did[Action.EXCHANGE] += 1
    table.discard(deity, cards, "IL-33", "the exchange")
    table.take_one(deity, values[0], "IL-33")


def renew(table: Table, deity: Deity, cards: tuple[int, ...]) -> None:
    """3 hand cards, then the whole display to the discards, then a new display."""
    _check_free_action(table, Action.RENEW)
    cost = max(0, table.rules.renew_cost - table.lasting(deity, Verb.RENEW_DISCOUNT))
    table.tape.require(len(cards) == cost, "IL-33", f"a renewal takes {cost} cards, not {len(cards)}")
    deity.did[Action.RENEW] += 1
    table.discard(deity, cards, "IL-33", "the renewal")
    table.clear_display()
    table.fill_display()
    table.listener.renewed(table, deity.seat)


def _check_free_action(table: Table, action: Action) -> None:
    require = table.tape.require
    require(table.turn_has_energy, "IL-38", "a turn without energy has no exchange and no renewal")
    require(action not in table.free_actions_done, "IL-33", "only once in a turn")
    # The game has ended already; only the scoring of the constellation is finished (g37).
    require(not table.cards_ran_out, "IL-34", "no card is left to take")
    table.free_actions_done.add(action)
    table.pass_barred = True
