"""docs/how-to/python.md: every snippet runs, and the table of types is true."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet
import pytest

from columns import columns_of
from conftest import exact
from gateway import FOLDER, ROOT
from packages import missing, needs

PAGE = (ROOT / "docs" / "how-to" / "python.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)

#: What a snippet needs beside the packages that every run has, by what is in it.
NEEDED = {
    "import hishel": ["hishel"],
    "import CachedSession": ["requests-cache"],
    "TYPE http": ["duckdb-extensions", "duckdb-extension-httpfs"],
}
#: What a snippet prints, by what is in it; the others print something.
PRINTED = {
    '"rows")': r"[1-9]\d* rows\n",
    '"records")': r"[1-9]\d* records\n",
    '["detail"]': r"Invalid parameters: interval must be one of minutely, hourly, daily\.\n",
    "from_cache": r"True\n",
}


def found_in(snippet, table, default):
    """The entry of a table whose mark is in the snippet."""
    return next((value for mark, value in table.items() if mark in snippet), default)


class Page:
    """Runs the snippets in their order and in one folder, each once, since each continues those before it."""

    def __init__(self, folder):
        self.folder = folder
        self.variables = {}
        self.outcomes = []

    def printed_by(self, index):
        """What a snippet prints. Runs those before it first, so that its test passes without theirs."""
        for snippet in SNIPPETS[len(self.outcomes) : index + 1]:
            self.outcomes.append(self.run(snippet))
        outcome = self.outcomes[index]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run(self, snippet):
        if missing(*found_in(snippet, NEEDED, [])):
            return None
        if "TYPE http" in snippet:
            # People let DuckDB download it.
            from duckdb_extensions import import_extension

            import_extension("httpfs")
        output = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(output):
            try:
                exec(snippet, self.variables)
            except Exception as error:
                # Fails the test of this snippet only, not those of snippets that do not use its variables.
                return error
        return output.getvalue()


@pytest.fixture(scope="module")
def page(client, tmp_path_factory):
    return Page(tmp_path_factory.mktemp("page"))


@pytest.mark.parametrize("index", range(1, len(SNIPPETS)))
def test_a_snippet_prints_its_result(page, index):
    reason = missing(*found_in(SNIPPETS[index], NEEDED, []))
    if reason:
        pytest.skip(reason)
    printed = page.printed_by(index)
    assert re.fullmatch(found_in(SNIPPETS[index], PRINTED, ".+"), printed, re.DOTALL), printed
    assert not re.search(r"Empty DataFrame|\b0 rows|shape: \(0,", printed), printed


@pytest.mark.parametrize("mark", [*NEEDED, *PRINTED])
def test_what_a_snippet_needs_or_prints_is_on_the_page(mark):
    assert any(mark in snippet for snippet in SNIPPETS)


def test_the_packages_of_the_page_are_those_of_these_tests():
    pinned = re.findall(r"^([\w.-]+(?:\[\w+\])?)==", (FOLDER / "requirements.txt").read_text(), re.MULTILINE)
    # Up to a comment or the end of the code.
    commands = re.findall(r"pip install ([^#`\n]+)", PAGE)
    named = {name.strip('"') for command in commands for name in command.split()}
    assert {"pandas", "pyarrow", "duckdb", "pytz"} < named
    assert named <= set(pinned)


def test_the_pages_of_logs_all_are_all_records(client, page):
    (index,) = (index for index, snippet in enumerate(SNIPPETS) if '"records")' in snippet)
    page.printed_by(index)
    start = page.variables["start"].isoformat().replace("+", "%2B")
    count = exact(client.get(f"python.record-count?since={start}"))["result"][0]["records"]
    assert len(page.variables["records"]) == count > 100


@needs("openapi-python-client")
def test_the_commands_generate_a_client(client, tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in COMMANDS:
        subprocess.run(["bash", "-euc", command], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    assert list(tmp_path.glob("*/*/client.py"))


def documented_types():
    """The rows of the table: the dtypes of a type of ClickHouse by library."""
    header, _, *rows = [line.strip("|").split(" | ") for line in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)]
    libraries = [cell.strip() for cell in header[1:]]
    for clickhouse, *dtypes in rows:
        for name in re.findall(r"`(.*?)`", clickhouse):
            yield name, dict(zip(libraries, (dtype.strip().strip("`") for dtype in dtypes)))


DOCUMENTED = dict(documented_types())


def dtypes_of(body, path):
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(body))
    described = duckdb.connect().execute("DESCRIBE FROM read_parquet($path)", {"path": str(path)}).fetchall()
    frame = pd.read_parquet(path)
    return {
        "pyarrow": {field.name: str(field.type) for field in table.schema},
        "pandas": {name: str(dtype) for name, dtype in frame.dtypes.items()},
        "polars": {name: str(dtype) for name, dtype in pl.read_parquet(body).schema.items()},
        "DuckDB": {name: dtype for name, dtype, *_ in described},
    }


def row_of(column):
    """The name of the column's type in the table."""
    return column.type.partition("(")[0] if "DateTime" in column.type else column.type


def test_the_table_of_types_is_true(results, tmp_path):
    checked = set()
    for call in ("python.types?", "python.text?", "usage.api-counts?project=aurora&interval=daily"):
        bodies = results.of(call)
        path = tmp_path / "body.parquet"
        path.write_bytes(bodies["parquet"])
        found = dtypes_of(bodies["parquet"], path)
        for column in columns_of(exact(bodies["json-table"])["meta"]):
            documented = DOCUMENTED.get(row_of(column))
            if documented is None:
                continue
            for library, dtypes in found.items():
                # Documented below the table.
                is_float = library == "pandas" and column.isNullable and documented[library].startswith(("int", "uint"))
                expected = "float64" if is_float else documented[library]
                assert dtypes[column.name] == expected, f"{column} in {library}"
                checked.add((row_of(column), library))
    assert checked == {(name, library) for name, dtypes in DOCUMENTED.items() for library in dtypes}
    assert len(checked) >= 40
