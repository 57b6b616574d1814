"""One random stream per (seed, setup or game, purpose): SplitMix64 over a one-word state.

A stream is a length-1 uint64 array, so that compiled functions can advance it in place. Streams are
split by purpose, so that a changed bot or card value leaves every deal as it was.
"""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(32)
_UNIT = 1.0 / 9007199254740992.0


@compiled
def mix(word):
    """A uint64 scrambled so that neighbouring words give unrelated ones (SplitMix64's finaliser)."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@compiled
def start(stream, seed, index, purpose):
    """Set `stream` to the start of the stream of (seed, index, purpose)."""
    word = mix(np.uint64(seed) + _GOLDEN)
    word = mix(word ^ (np.uint64(index) + _GOLDEN))
    stream[0] = mix(word ^ (np.uint64(purpose) + _GOLDEN))


@compiled
def advance(stream):
    """The next uint64 of the stream."""
    stream[0] = stream[0] + _GOLDEN
    return mix(stream[0])


@compiled
def below(stream, bound):
    """The next integer in 0 .. bound-1 (bound below 2**31), as int64; bias under 2**-32."""
    high = advance(stream) >> _S32
    return np.int64((high * np.uint64(bound)) >> _S32)


@compiled
def unit(stream):
    """The next float64 in [0, 1)."""
    return np.float64(advance(stream) >> _S11) * _UNIT


@compiled
def shuffle(stream, cards, count):
    """Put the first `count` items of `cards` in a random order (Fisher-Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(stream, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
