"""docs/how-to/python.md: every snippet runs, and the table of types is true."""

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
from gateway import ROOT
from packages import missing, needs

PAGE = (ROOT / "docs" / "how-to" / "python.md").read_text()
PREAMBLE, *SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)

#: What a snippet needs beside the packages that every run has, by what is in it.
NEEDED = {
    "import hishel": ["hishel"],
    "import CachedSession": ["requests-cache"],
    "TYPE http": ["duckdb-extensions", "duckdb-extension-httpfs"],
}


def packages_of(snippet):
    return [name for mark, names in NEEDED.items() if mark in snippet for name in names]


@pytest.fixture(scope="module")
def names(client):
    """The variables of the snippets, each of which continues those before it."""
    values = {}
    exec(PREAMBLE, values)
    return values


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(1, len(SNIPPETS) + 1))
def test_a_snippet_prints_something(names, snippet, tmp_path, monkeypatch, capsys):
    reason = missing(*packages_of(snippet))
    if reason:
        pytest.skip(reason)
    if "TYPE http" in snippet:
        # People let DuckDB download it.
        from duckdb_extensions import import_extension

        import_extension("httpfs")
    monkeypatch.chdir(tmp_path)
    exec(snippet, names)
    printed = capsys.readouterr().out
    assert printed
    if "from_cache" in snippet:
        assert printed == "True\n"


def test_the_pages_of_logs_all_are_all_records(client, names):
    # Run by the snippet.
    start = names["start"].isoformat().replace("+", "%2B")
    count = exact(client.get(f"python.record-count?since={start}"))["result"][0]["records"]
    assert len(names["records"]) == count > 100


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


@pytest.mark.parametrize("call", ["python.types?", "python.text?", "usage.api-counts?project=aurora&interval=daily"])
def test_the_table_of_types_is_true(results, call, tmp_path):
    bodies = results.of(call)
    path = tmp_path / "body.parquet"
    path.write_bytes(bodies["parquet"])
    found = dtypes_of(bodies["parquet"], path)
    checked = 0
    for column in columns_of(exact(bodies["json-table"])["meta"]):
        documented = DOCUMENTED.get(column.type.partition("(")[0] if "DateTime" in column.type else column.type)
        if documented is None:
            continue
        for library, dtypes in found.items():
            if library == "pandas" and column.isNullable and documented[library].startswith(("int", "uint")):
                assert dtypes[column.name] == "float64"
            else:
                assert dtypes[column.name] == documented[library], f"{column} in {library}"
            checked += 1
    assert checked
