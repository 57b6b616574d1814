"""The compiled rules of Luminis, top-down: a batch of games, a game, its set-up, a turn.

Clause numbers are those of RULES.md. Decisions are `policy.py`'s; the kernel checks them and carries them out.
"""

from __future__ import annotations

from simulator import rng
from simulator.compiled import compiled
from simulator.games.luminis.model import (
    CATHEDRAL,
    FIRST_CARD,
    MAX_EVENTS,
    MAX_HAND,
    MAX_TAPE,
    MIDDLE,
    N_ACTIONS,
    N_COLOURS,
    N_FEATURES,
    NOTHING,
    ONE,
    ZERO,
    Action,
    Ending,
    Fault,
    Kind,
    Level,
    Stream,
    Tape,
)
from simulator.games.luminis.policy import (
    choose_action,
    choose_designated,
    choose_opening_pile,
    choose_trim,
    choose_victim,
)
from simulator.games.luminis.search import (
    bonus_card,
    can_place_any,
    find_help,
    first_column,
    fits,
    lacks,
    last_column,
    see_hand,
    spire_column,
)

GAME_COLUMNS = (
    "rounds", "turns", "ending", "winners", "top_score", "margin", "tied_on_points", "tie_stage", "lead_changes",
    "decisions",
)  # fmt: skip
SEAT_COLUMNS = (
    3 + N_ACTIONS + 5
)  # score, rank, score_spire, actions, level, placed, income, hand, dead_opening
SPIRE_SCORE = ONE


@compiled
def play_games(table, states, plan, weights, first, games, seats, events):
    """Play games `first` .. of the plan until all are played or `events` is full.

    `plan`: int64 (games, 4 + seats): seed, game, setup, players, then the row of `weights` on each seat. Fills
    `games` int64 (games, columns), `seats` int64 (games, seats, columns) and `events` int32 (12, capacity), whose
    first row is the row of the plan; capacity 0: events are not kept. Returns (the next game to play, events
    written, fault of the last game).
    """
    tables = table[0]
    state = states[0]
    written = 0
    capacity = events.shape[1]
    for number in range(first, plan.shape[0]):
        begin(state, tables, plan[number], weights)
        state.keep_events = 1 if capacity > 0 else 0
        play_game(state, tables)
        if state.fault:
            return number, written, state.fault
        if state.keep_events:
            if written + state.n_events > capacity:
                return number, written, 0
            for place in range(state.n_events):
                events[0, written + place] = number
                for field in range(events.shape[0] - 1):
                    events[1 + field, written + place] = state.events[place, field]
            written += state.n_events
        write_outcome(state, games[number], seats[number])
    return plan.shape[0], written, 0


@compiled
def play_game(state, tables):
    """One game: set up, then turns until a spire stands, all pass, or the limit is reached (LU-2, l22)."""
    set_up(state, tables)
    while not state.over and not state.fault:
        take_turn(state, tables)
        state.turn += 1
        state.step_in_turn = 0
        if state.over:
            continue
        if state.passes == state.players:
            state.over, state.ending = 1, Ending.STALEMATE
        elif state.turn >= tables.turn_limit:
            state.over, state.ending = 1, Ending.TURN_LIMIT
        else:
            state.active = state.turn % state.players
            state.round_number = 1 + state.turn // state.players
    for place in range(state.n_shown):
        if state.shown[place] != NOTHING:
            emit(state, Kind.LAPSED, NOTHING, FIRST_CARD + state.shown[place], ZERO, NOTHING)


# ---- set-up


@compiled
def begin(state, tables, plan, weights):
    """Set the state to the start of a game of the plan."""
    state.seed, state.game, state.setup, state.players = plan[0], plan[1], plan[2], plan[3]
    state.turn = state.step_in_turn = state.active = state.passes = state.over = state.ending = 0
    state.decisions = state.shuffles = state.bonus_next = 0
    state.n_events = state.tape_size = state.fault = 0
    state.n_shown, state.n_piles = tables.spires_shown, tables.piles
    state.round_number = 1
    state.winner = NOTHING
    rng.start(state.blind, state.seed, state.setup, Stream.BLIND)
    for seat in range(state.players):
        state.hand_size[seat] = state.level[seat] = state.placed[seat] = 0
        state.turns_taken[seat] = state.dead_opening[seat] = 0
        state.left[seat], state.right[seat] = MIDDLE, MIDDLE - 1
        for colour in range(N_COLOURS):
            state.permanent[seat, colour] = 0
            state.help[seat, MIDDLE, colour] = 0
        for place in range(state.reached.shape[1]):
            state.reached[seat, place] = 0
        for action in range(N_ACTIONS):
            state.did[seat, action] = 0
        rng.start(state.noise[seat], state.seed, state.game, Stream.NOISE + seat)
        for feature in range(N_FEATURES):
            state.weight[seat, feature] = weights[plan[4 + seat], feature]


@compiled
def set_up(state, tables):
    """LU-3, LU-4."""
    show_spires(state, tables)
    deal_piles(state, tables)
    for seat in range(state.players):
        take_opening(state, tables, seat)


@compiled
def show_spires(state, tables):
    """LU-3: some of the spires, face up."""
    rng.start(state.stream, state.seed, state.setup, Stream.SPIRES)
    for place in range(tables.n_spires):
        state.deal[place] = tables.spires[place]
    rng.shuffle(state.stream, state.deal, tables.n_spires)
    note(state, Tape.SPIRES, NOTHING, state.n_shown)
    for place in range(state.n_shown):
        state.shown[place] = state.deal[place]
        write(state, state.deal[place])
        emit(state, Kind.OFFERED, NOTHING, FIRST_CARD + state.deal[place], ZERO, NOTHING)


@compiled
def deal_piles(state, tables):
    """LU-3, l17, l18: all other cards, shuffled, in piles that differ by at most one card."""
    whole = ZERO
    for card in range(tables.n_cards):
        if tables.level[card] != Level.SPIRE:
            state.deal[whole] = card
            whole += 1
    rng.start(state.stream, state.seed, state.setup, Stream.PILES)
    rng.shuffle(state.stream, state.deal, whole)
    count = ZERO
    for place in range(whole):  # the bonus cards leave a shuffled deck, so that both modes deal much alike
        if not (tables.advanced and tables.is_bonus[state.deal[place]]):
            state.deal[count] = state.deal[place]
            count += 1
    begun = ZERO
    for pile in range(state.n_piles):
        size = count // state.n_piles + (1 if pile < count % state.n_piles else 0)
        for place in range(size):
            state.pile[pile, place] = state.deal[begun + place]
        begun += size
        state.pile_size[pile] = size
        state.chosen[pile] = 0
        note_pile(state, pile)


@compiled
def note_pile(state, pile):
    """Put a pile on the tape, bottom to top."""
    note(state, Tape.PILE, pile, state.pile_size[pile])
    if state.recording:
        for place in range(state.pile_size[pile]):
            write(state, state.pile[pile, place])


@compiled
def take_opening(state, tables, seat):
    """LU-4, l6, l17: Level I cards from the tops of as many piles as it takes, each shuffled afterwards."""
    wanted = tables.start_cards[seat]
    while wanted > 0:
        choose_opening_pile(state, tables, seat, True)
        if state.from_pile == NOTHING:
            choose_opening_pile(state, tables, seat, False)
        pile = state.from_pile
        if pile == NOTHING:
            return
        note(state, Tape.OPENING, seat, ONE)
        write(state, pile)
        state.chosen[pile] = 1
        wanted -= take_level_one(state, tables, seat, pile, wanted)
        rng.start(state.stream, state.seed, state.setup, Stream.SHUFFLE + state.shuffles)
        state.shuffles += 1
        rng.shuffle(state.stream, state.pile[pile], state.pile_size[pile])
        note_pile(state, pile)


@compiled
def take_level_one(state, tables, seat, pile, wanted):
    """Take up to so many Level I cards from the top of a pile; how many there were."""
    size = state.pile_size[pile]
    taken, kept = ZERO, size
    # from the top down: a card that stays moves up to where the taken ones leave room
    for place in range(size - 1, -1, -1):
        card = state.pile[pile, place]
        if taken < wanted and tables.level[card] == Level.I:
            receive(state, seat, card)
            emit(state, Kind.DEALT, seat, FIRST_CARD + card, ZERO, pile)
            taken += 1
        else:
            kept -= 1
            state.pile[pile, kept] = card
    for place in range(size - taken):
        state.pile[pile, place] = state.pile[pile, place + taken]
    state.pile_size[pile] = size - taken
    return taken


# ---- a turn


@compiled
def take_turn(state, tables):
    """LU-7: one action, then the hand limit."""
    seat = state.active
    if state.turns_taken[seat] == 0 and not can_place_any(state, tables, seat):
        state.dead_opening[seat] = 1
    state.turns_taken[seat] += 1
    mark_reachable(state, tables, seat)
    choose_action(state, tables, seat)
    state.did[seat, state.action] += 1
    state.passes = state.passes + 1 if state.action == Action.PASS else 0
    if state.action == Action.DRAW:
        draw(state, seat, state.from_pile)
    elif state.action == Action.PLACE:
        place_from_hand(state, tables, seat)
    elif state.action == Action.BONUS:
        place_bonus(state, tables, seat)
    elif state.action == Action.SPIRE:
        place_spire(state, tables, seat)
        return
    else:
        note(state, Tape.ACTION, seat, ONE)
        write(state, Action.PASS)
        if can_act(state, tables, seat):
            state.fault = Fault.PASS
    if state.hand_size[seat] > tables.hand_limit and not state.fault:
        trim(state, tables, seat)


@compiled
def mark_reachable(state, tables, seat):
    """Mark each spire on display that this seat could take now for the first time."""
    if state.level[seat] < Level.III:
        return
    for place in range(state.n_shown):
        if not state.reached[seat, place]:
            card = state.shown[place]
            if spire_column(state, tables, seat, card) != NOTHING:
                state.reached[seat, place] = 1
                emit(state, Kind.REACHABLE, seat, FIRST_CARD + card, ZERO, NOTHING)


@compiled
def can_act(state, tables, seat):
    """Whether anything but passing is possible (l10, r2)."""
    for pile in range(state.n_piles):
        if state.pile_size[pile] > 0:
            return True
    for place in range(state.n_shown):
        if spire_column(state, tables, seat, state.shown[place]) != NOTHING:
            return True
    card = bonus_card(state, tables)
    if card != NOTHING and lacks(state, tables, seat, card, ZERO, False) == 0:
        level = tables.level[card]
        for column in range(first_column(state, seat, level), last_column(state, seat, level) + 1):
            if fits(state, tables, seat, level, column):
                return True
    return can_place_any(state, tables, seat)


@compiled
def draw(state, seat, pile):
    """LU-7: the top card of a pile."""
    note(state, Tape.ACTION, seat, ONE + 1)
    write(state, Action.DRAW)
    write(state, pile)
    if state.pile_size[pile] == 0:
        state.fault = Fault.PILE
        return
    state.pile_size[pile] -= 1
    card = state.pile[pile, state.pile_size[pile]]
    receive(state, seat, card)
    emit(state, Kind.DRAWN, seat, FIRST_CARD + card, ZERO, pile)


@compiled
def place_from_hand(state, tables, seat):
    """LU-7 to LU-9: one hand card, its cost met by local, permanent and temporary resources."""
    card = state.hand[seat, state.slot]
    note(state, Tape.ACTION, seat, 3 + 2 * state.payment_size)
    write(state, Action.PLACE)
    write(state, card)
    write(state, state.column - MIDDLE)
    for place in range(state.payment_size):
        write(state, state.hand[seat, state.payment[place]])
        write(state, state.payment_pile[place])
    temporary = lacks(state, tables, seat, card, state.column, True)
    discard_payment(state, tables, seat)
    place_card(state, tables, seat, card, state.column, temporary, ZERO)
    leave(state, seat, state.slot, state.payment_size)
    if tables.pictogram[card] and not state.fault:
        pay_pictogram(state, seat)


@compiled
def discard_payment(state, tables, seat):
    """LU-9, l20: discard the chosen cards one by one, each for a colour still missing in `missing[0]`."""
    see_hand(state, tables, seat)
    for place in range(state.payment_size):
        slot, pile = state.payment[place], state.payment_pile[place]
        needed = False
        brought = ZERO
        for colour in range(N_COLOURS):
            amount = state.bring[slot, colour]
            brought += amount
            if amount > 0 and state.missing[0, colour] > 0:
                needed = True
            state.missing[0, colour] = max(ZERO, state.missing[0, colour] - amount)
        for before in range(place):
            if state.payment[before] == slot:
                needed = False  # it has left the hand
        if not needed or slot == state.slot:
            state.fault = Fault.PAYMENT
        card = state.hand[seat, slot]
        put_on(state, pile, card)
        emit(state, Kind.SPENT, seat, FIRST_CARD + card, brought, pile)
    for colour in range(N_COLOURS):
        if state.missing[0, colour] > 0:
            state.fault = Fault.PAYMENT


@compiled
def place_bonus(state, tables, seat):
    """LU-13: the top bonus card, paid with permanent resources only."""
    card = bonus_card(state, tables)
    note(state, Tape.ACTION, seat, ONE + 1)
    write(state, Action.BONUS)
    write(state, state.column - MIDDLE)
    if card == NOTHING or lacks(state, tables, seat, card, state.column, False) > 0:
        state.fault = Fault.PAYMENT
        return
    state.bonus_next += 1
    for colour in range(N_COLOURS):  # local resources help nothing here, so they must not be counted
        state.help[seat, state.column, colour] = 0
    place_card(state, tables, seat, card, state.column, ZERO, ZERO)
    if tables.pictogram[card] and not state.fault:
        pay_pictogram(state, seat)


@compiled
def place_spire(state, tables, seat):
    """LU-12: the end of the game."""
    card = state.shown[state.slot]
    note(state, Tape.ACTION, seat, ONE + 2)
    write(state, Action.SPIRE)
    write(state, state.slot)
    write(state, state.column - MIDDLE)
    if lacks(state, tables, seat, card, state.column, True) > 0:
        state.fault = Fault.PAYMENT
        return
    place_card(state, tables, seat, card, state.column, ZERO, SPIRE_SCORE)
    state.shown[state.slot] = NOTHING
    state.winner = seat
    state.over, state.ending = 1, Ending.SPIRE


@compiled
def place_card(state, tables, seat, card, column, temporary, score):
    """LU-8: lay a card on a column of the cathedral, write how it was paid, and raise what follows from it."""
    level = tables.level[card]
    if not fits(state, tables, seat, level, column):
        state.fault = Fault.PLACE
        return
    row = emit(state, Kind.PAID, seat, FIRST_CARD + card, score, NOTHING)
    if row != NOTHING:
        local, cost = ZERO, ZERO
        for colour in range(N_COLOURS):
            cost += tables.cost[card, colour]
            local += min(state.help[seat, column, colour], tables.cost[card, colour])
        state.events[row, 7] = local
        state.events[row, 8] = cost - local - temporary
        state.events[row, 9] = temporary
    if level == Level.I:
        state.height[seat, column] = 0
        state.left[seat] = min(state.left[seat], column)
        state.right[seat] = max(state.right[seat], column)
    state.tower[seat, column, state.height[seat, column]] = card
    state.height[seat, column] += 1
    state.crown[seat, column] = level
    state.placed[seat] += 1
    for colour in range(N_COLOURS):
        state.permanent[seat, colour] += tables.centre[card, colour]
    for beside in range(column - 1, column + 2):
        find_help(state, tables, seat, beside)
    if level > state.level[seat]:
        state.level[seat] = level
        emit(state, Kind.STEP, seat, CATHEDRAL, level, NOTHING)


@compiled
def pay_pictogram(state, seat):
    """LU-11, l9, l21: a seat designated by the placer draws a card from the hand of its opponent of choice."""
    choose_designated(state, seat)
    drawer = state.chosen_seat
    note(state, Tape.DESIGNATE, seat, ONE)
    write(state, drawer)
    choose_victim(state, drawer)
    victim = state.chosen_seat
    note(state, Tape.VICTIM, drawer, ONE)
    write(state, victim)
    if drawer == seat or victim == drawer:
        state.fault = Fault.SEAT
    if state.hand_size[victim] == 0:
        note(state, Tape.RANDOM_CARD, victim, ZERO)
        return
    slot = rng.below(state.blind, state.hand_size[victim])
    card = state.hand[victim, slot]
    note(state, Tape.RANDOM_CARD, victim, ONE)
    write(state, card)
    leave(state, victim, slot, ZERO)
    receive(state, drawer, card)
    emit(state, Kind.STOLEN, victim, FIRST_CARD + card, drawer, NOTHING)


@compiled
def trim(state, tables, seat):
    """LU-10, l7: discard down to the hand limit."""
    note(state, Tape.TRIM, seat, 2 * (state.hand_size[seat] - tables.hand_limit))
    while state.hand_size[seat] > tables.hand_limit:
        choose_trim(state, tables, seat)
        slot, pile = state.payment[0], state.payment_pile[0]
        card = state.hand[seat, slot]
        write(state, card)
        write(state, pile)
        leave(state, seat, slot, ZERO)
        put_on(state, pile, card)
        emit(state, Kind.TRIMMED, seat, FIRST_CARD + card, ZERO, pile)


# ---- cards on the move


@compiled
def receive(state, seat, card):
    if state.hand_size[seat] >= MAX_HAND:
        state.fault = Fault.HAND
        return
    state.hand[seat, state.hand_size[seat]] = card
    state.hand_size[seat] += 1


@compiled
def leave(state, seat, slot, paying):
    """Take the card in a slot out of a hand, and those of the first `paying` discards; later ones move up."""
    state.hand[seat, slot] = NOTHING
    for place in range(paying):
        state.hand[seat, state.payment[place]] = NOTHING
    kept = ZERO
    for place in range(state.hand_size[seat]):
        card = state.hand[seat, place]
        if card != NOTHING:
            state.hand[seat, kept] = card
            kept += 1
    state.hand_size[seat] = kept


@compiled
def put_on(state, pile, card):
    """A discard, face up on a pile."""
    state.pile[pile, state.pile_size[pile]] = card
    state.pile_size[pile] += 1


# ---- what is written down


@compiled
def emit(state, kind, seat, source, amount, pile):
    """Add an event; its row, so that a payment can be written beside it, or NOTHING if none are kept."""
    if state.keep_events == 0:
        return NOTHING
    row = state.n_events
    if row >= MAX_EVENTS:
        state.fault = Fault.EVENTS
        return NOTHING
    event = state.events[row]
    event[0] = state.turn
    event[1] = state.step_in_turn
    event[2] = state.round_number
    event[3] = seat
    event[4] = kind
    event[5] = source
    event[6] = amount
    event[7] = event[8] = event[9] = 0
    event[10] = pile
    state.n_events = row + 1
    state.step_in_turn += 1
    return row


@compiled
def write(state, number):
    """Put one number on the tape."""
    if state.recording == 0:
        return
    if state.tape_size >= MAX_TAPE:
        state.fault = Fault.TAPE
        return
    state.tape[state.tape_size] = number
    state.tape_size += 1


@compiled
def note(state, kind, seat, count):
    """Begin a record on the tape; `count` numbers follow."""
    if kind >= Tape.OPENING:
        state.decisions += 1
    if state.recording:
        write(state, kind)
        write(state, seat)
        write(state, count)


@compiled
def write_outcome(state, game, seats):
    """Ranks and winners, into the rows that leave the kernel; without a spire all share the win (r4)."""
    winners = ZERO
    for seat in range(state.players):
        won = state.winner == seat
        rank = 2
        if won or state.winner == NOTHING:
            winners |= ONE << seat
            rank = 1
        total = ZERO
        for colour in range(N_COLOURS):
            total += state.permanent[seat, colour]
        row = seats[seat]
        row[0] = row[2] = SPIRE_SCORE if won else ZERO
        row[1] = rank
        for action in range(N_ACTIONS):
            row[3 + action] = state.did[seat, action]
        behind = 3 + N_ACTIONS
        row[behind] = state.level[seat]
        row[behind + 1] = state.placed[seat]
        row[behind + 2] = total
        row[behind + 3] = state.hand_size[seat]
        row[behind + 4] = state.dead_opening[seat]
    drawn = state.winner == NOTHING
    game[0] = state.round_number
    game[1] = state.turn
    game[2] = state.ending
    game[3] = winners
    game[4] = game[5] = 0 if drawn else SPIRE_SCORE
    game[6] = state.players if drawn else 1
    game[7] = -1 if drawn else 0
    game[8] = 0  # points change hands once, at the end
    game[9] = state.decisions
