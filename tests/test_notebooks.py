"""The notebooks: each runs from its first cell to its last, without a warning, through the front door alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = ["01_first_look", "02_prophecies", "03_fibonacci_track", "04_ties_and_seats", "05_your_own_cards"]
ALLOWED = {"counterpoise", "tempfile"}
HANGS = 600  # seconds of a cell; on a machine that has never compiled the rules, the first takes minutes

each_notebook = pytest.mark.parametrize("name", NAMES)


def read(name: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code(name: str) -> Iterator[nbformat.NotebookNode]:
    return (cell for cell in read(name).cells if cell.cell_type == "code")


def test_every_notebook_is_named_here():
    assert [file.stem for file in sorted(FOLDER.glob("*.ipynb"))] == NAMES


@each_notebook
def test_a_notebook_runs_without_a_warning(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))  # nobody's own start-up files
    notebook = read(name)
    strict = nbformat.v4.new_code_cell("import warnings\nwarnings.simplefilter('error')")
    lenient = nbformat.v4.new_code_cell("warnings.resetwarnings()")  # the kernel warns of itself when it ends
    notebook.cells = [strict, *notebook.cells, lenient]
    nbclient.NotebookClient(notebook, timeout=HANGS).execute(cwd=str(tmp_path))
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum(output.output_type == "execute_result" for output in shown) >= 3
    assert any({"image/svg+xml", "image/png"} & set(output.get("data", ())) for output in shown)
    plain = [output["data"].get("text/plain", "") for output in shown if "data" in output]
    drawn_as_code = [output for output in shown if "<Figure size" in str(output.get("data", ()))]
    assert not [output for output in drawn_as_code if len(output["data"]) == 1]
    streams = [output.text for output in shown if output.output_type == "stream"]
    assert not any("Warning" in text for text in streams)
    # Of more than eight columns polars leaves out those in the middle, which are bounds.
    heads = re.findall(r"^┌.*\n│(.*)│$", "\n".join([*plain, *streams]), re.MULTILINE)
    assert heads
    assert not [head for head in heads if "…" in head.split()], "no column is cut"


@each_notebook
def test_a_notebook_imports_the_front_door_alone(name: str):
    found = set()
    for cell in code(name):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                found |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module)
    assert found == ALLOWED


@each_notebook
def test_a_notebook_is_stored_without_outputs(name: str):
    """Stored numbers would be those of yesterday's cards and bots, and no test could tell."""
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code(name))


@each_notebook
def test_a_notebook_says_that_its_cards_are_reconstructed_and_how_to_read_an_interval(name: str):
    text = " ".join(cell.source for cell in read(name).cells if cell.cell_type == "markdown")
    assert "reconstructed" in text
    assert "**Reading the interval.**" in text
