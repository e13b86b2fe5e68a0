"""Readers that take a URL raise where complete=1 finds rows missing, and read the rows where it does not."""

import urllib.error

import duckdb
import fsspec
import pandas as pd
import polars as pl
import pyarrow.parquet
import pytest

from packages import needs

CUT = "python.cut?complete=1"
WHOLE = "python.cut?complete=1&names=ada,eve"
NAMES = ["ada", "eve"]


def pandas_reader(read, name, **options):
    def rows(client, call):
        frame = read(client.url(f"{call}&format={name}"), storage_options=client.headers, **options)
        return list(frame["name"])

    return rows


def with_key(client, call):
    """A URL with the key in it, for readers that send no headers; people use a signed link."""
    return f"{client.url(call)}&api_key={client.headers['X-API-KEY']}"


def polars_reader(read, name, **options):
    return lambda client, call: list(read(with_key(client, f"{call}&format={name}"), **options)["name"])


def pyarrow_parquet(client, call):
    with fsspec.open(client.url(f"{call}&format=parquet"), headers=client.headers) as file:
        return pyarrow.parquet.read_table(file)["name"].to_pylist()


def duckdb_with_fsspec(client, call):
    connection = duckdb.connect()
    connection.register_filesystem(dated_filesystem(client))
    query = "SELECT name FROM read_parquet($url) ORDER BY n"
    return [name for (name,) in connection.execute(query, {"url": client.url(f"{call}&format=parquet")}).fetchall()]


def dated_filesystem(client):
    # DuckDB needs the date of a file, which fsspec does not know for HTTP.
    class Dated(fsspec.get_filesystem_class("http")):
        def modified(self, path):
            return pd.Timestamp(0, tz="UTC").to_pydatetime()

    return Dated(client_kwargs={"headers": client.headers}, skip_instance_cache=True)


def duckdb_with_httpfs(client, call):
    from duckdb_extensions import import_extension

    import_extension("httpfs")
    connection = duckdb.connect()
    connection.load_extension("httpfs")
    key = client.headers["X-API-KEY"]
    connection.execute(f"CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {{'X-API-KEY': '{key}'}})")
    query = "SELECT name FROM read_parquet($url) ORDER BY n"
    return [name for (name,) in connection.execute(query, {"url": client.url(f"{call}&format=parquet")}).fetchall()]


READERS = {
    "pandas-csv": pandas_reader(pd.read_csv, "csv"),
    "pandas-ndjson": pandas_reader(pd.read_json, "ndjson", lines=True),
    "pandas-parquet": pandas_reader(pd.read_parquet, "parquet"),
    "polars-csv": polars_reader(pl.read_csv, "csv"),
    "polars-parquet": polars_reader(pl.read_parquet, "parquet"),
    "polars-scan-parquet": polars_reader(lambda url: pl.scan_parquet(url).collect(), "parquet"),
    "pyarrow-parquet": pyarrow_parquet,
    "duckdb-fsspec": duckdb_with_fsspec,
    "duckdb-httpfs": pytest.param(duckdb_with_httpfs, marks=needs("duckdb-extensions", "duckdb-extension-httpfs")),
}
PARAMETERS = [
    pytest.param(*reader.values, id=name, marks=reader.marks)
    if hasattr(reader, "marks")
    else pytest.param(reader, id=name)
    for name, reader in READERS.items()
]


@pytest.mark.parametrize("read", PARAMETERS)
def test_reads_a_whole_result(client, read):
    assert read(client, WHOLE) == NAMES


@pytest.mark.parametrize("read", PARAMETERS)
def test_raises_where_rows_are_missing(client, read):
    # Some report 422, others that there is no such file.
    with pytest.raises((OSError, duckdb.Error)):
        read(client, CUT)


def test_the_error_of_pandas_has_the_problem(client):
    with pytest.raises(urllib.error.HTTPError) as raised:
        pd.read_csv(client.url(f"{CUT}&format=csv"), storage_options=client.headers)
    assert b"RESULT_TRUNCATED" in raised.value.read()


@pytest.mark.parametrize("read", [pl.read_parquet, lambda url: pl.scan_parquet(url).collect()])
def test_polars_reads_a_large_result_by_ranges(client, read):
    call = "python.changing?format=parquet"
    url = client.url(f"{call}&api_key={client.headers['X-API-KEY']}")
    assert read(url).equals(pl.read_parquet(client.get(call)))
