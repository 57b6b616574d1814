"""The one place that knows Numba's options and where its compiled code is kept."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numba.core.config as numba_config
import numpy as np

SOURCES = Path(__file__).parent

COMPILED_IN = (b"@compiled", b"IntEnum", b"np.record")
"""What a source has from which compiled code is made."""


def _fingerprint() -> str:
    """A hash of all sources that compiled code is made from, and of Numba's switches.

    Numba looks only at the file of a function to see whether its machine code is stale, so an edited callee would
    live on in its callers; a folder for each state of the sources can't go stale. Enums are compiled in as numbers,
    records as places.
    Where the sources lie and when they were written counts too, as for Numba: else what it finds stale would be
    called warm.
    """
    switches = (numba.__version__, sys.version, numba_config.BOUNDSCHECK, numba_config.DISABLE_JIT, SOURCES)
    digest = hashlib.sha256(repr(switches).encode())
    for source in sorted(SOURCES.rglob("*.py")):
        text = source.read_bytes()
        if any(sign in text for sign in COMPILED_IN) or source == Path(__file__):
            digest.update(f"{source.relative_to(SOURCES)} {source.stat().st_mtime_ns}".encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """The folder for machine code: in the user's cache, else one of this process alone."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~"), ".cache"))
    wanted = Path(os.environ.get("COUNTERPOISE_CACHE") or home / "counterpoise")
    folder = wanted / _fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        # Numba's index files are pickles, so a folder that others could write into beforehand won't do.
        private = Path(tempfile.mkdtemp(prefix="counterpoise-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        print(
            f"counterpoise: {wanted} can't be written, so the rules are compiled anew each time; "
            "name another folder in COUNTERPOISE_CACHE",
            file=sys.stderr,
        )
        return private


CACHE = _cache_folder()
numba_config.CACHE_DIR = str(CACHE)

compiled = partial(numba.njit, cache=True, nogil=True, no_cfunc_wrapper=True)


class _Apart:
    """A function of which compiled callers know only the name; called from Python it is like any other."""

    def __init__(self, function: Callable[..., Any], signature: Any):
        self.signature = signature
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        self.dispatcher = numba.njit(cache=True, nogil=True)(function)

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def link(self) -> None:
        """Compile it, or load it, and give the symbol its address."""
        result = self.dispatcher.get_compile_result(self.signature)
        address = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
        llvmlite.binding.add_symbol(self.symbol, address)


numba.extending.typeof_impl.register(
    _Apart, lambda function, _: numba.types.ExternalFunction(function.symbol, function.signature)
)


def compiled_apart(*arguments: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `compiled`, but not taken into the machine code of its callers: it has these dtypes and returns nothing.

    Numba gives each caller the code of all that it calls, down to the last, to optimise anew: where many layers lie
    above a function, setting a few apart halves the time that all take to compile. The module must `link` them.
    This leans on what Numba keeps to itself (`ExternalFunction`, the library of a compile result): look there first if
    another version of Numba fails.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if numba_config.DISABLE_JIT or numba_config.BOUNDSCHECK:
            return compiled(function)  # an IndexError doesn't pass through a call of a bare address
        return _Apart(function, numba.void(*(numba.from_dtype(np.dtype(each)) for each in arguments)))

    return decorate


def link(*functions: Any) -> None:
    """Make a module's functions apart ready to be called; those that others of them call come first.

    It stands at the module's end. Code that calls one without it ends the process: "Symbol not found".
    """
    for function in functions:
        if isinstance(function, _Apart):
            function.link()


def is_warm(name: str) -> bool:
    """Whether what has that name was compiled before from the present sources."""
    return bool(numba_config.DISABLE_JIT) or (CACHE / f"{name}.warm").exists()


def mark_warm(name: str) -> None:
    """Remember that what has that name is compiled from the present sources."""
    (CACHE / f"{name}.warm").touch()
