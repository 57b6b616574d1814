"""The one place that knows Numba's options and where its compiled code is kept."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import numba
import numba.core.config as numba_config

SOURCES = Path(__file__).parent


def _cache_folder() -> Path:
    """The folder for machine code, named by a hash of all our sources and of Numba's switches.

    Numba looks only at the file of a function to see whether its machine code is stale, so an edited
    helper would keep its old code in its callers; a folder per state of the sources can't go stale.
    """
    digest = hashlib.sha256()
    switches = (numba.__version__, sys.version, numba_config.BOUNDSCHECK, numba_config.DISABLE_JIT)
    digest.update(repr(switches).encode())
    for source in sorted(SOURCES.rglob("*.py")):
        text = source.read_bytes()
        if b"@compiled" in text or b"np.dtype" in text or source.name in ("compiled.py", "model.py"):
            digest.update(str(source.relative_to(SOURCES)).encode())
            digest.update(text)
    name = digest.hexdigest()[:16]
    wanted = os.environ.get("COUNTERPOISE_CACHE")
    if wanted:
        roots = [Path(wanted)]
    else:
        cache_home = os.environ.get("XDG_CACHE_HOME")
        home = Path(cache_home) if cache_home else Path(os.path.expanduser("~")) / ".cache"
        roots = [home / "counterpoise"]
    for root in roots:
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    folder = Path(tempfile.gettempdir()) / f"counterpoise-{os.getuid() if hasattr(os, 'getuid') else 0}" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="counterpoise-"))
    print(f"counterpoise: the cache folder {roots[0]} can't be written; using {folder}", file=sys.stderr)
    return folder


CACHE = _cache_folder()
numba_config.CACHE_DIR = str(CACHE)

compiled = partial(numba.njit, cache=True, nogil=True)


def is_warm(name: str) -> bool:
    """Whether what has that name was compiled before from the present sources."""
    return bool(numba_config.DISABLE_JIT) or (CACHE / f"{name}.warm").exists()


def mark_warm(name: str) -> None:
    """Remember that what has that name is compiled from the present sources."""
    (CACHE / f"{name}.warm").touch()
