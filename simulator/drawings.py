"""Figures of cards that save as the same bytes every time and show themselves in a notebook."""

from __future__ import annotations

import io
from typing import Any, Final

from matplotlib import rc_context
from matplotlib.figure import Figure

DOTS_AN_INCH: Final = 160


class Drawing(Figure):
    """A figure that saves as the same SVG every time and shows itself in a notebook."""

    faults: tuple[str, ...] = ()
    """What is not legal in what it shows, a sentence each, as in the picture."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as the file's ending or `format` says, without a date and random names in an SVG."""
        kind = str(options.get("format") or fname).lower()
        if kind.endswith("svg"):
            options = {"metadata": {"Date": None}, **options}
        with rc_context({"svg.hashsalt": "counterpoise"}):
            super().savefig(fname, **{"dpi": DOTS_AN_INCH, **options})

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
