"""Reads a body with a library, with the options of docs/how-to/python.md. Rows are dictionaries of Python values."""

import csv
import io
import json
import re

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from columns import DTYPES

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "b": "\b", "f": "\f"}


def unescaped(cell):
    """TSV escapes characters in cells, which no reader undoes."""
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), cell) if isinstance(cell, str) else cell


def unescaped_rows(rows):
    return [{name: unescaped(cell) for name, cell in row.items()} for row in rows]


def dtypes(columns, library):
    return {column.name: DTYPES[column.type][library] for column in columns}


def texts(columns, dtype):
    return {column.name: dtype for column in columns if DTYPES[column.type]["python"] is str}


def rows_of_arrow(table):
    # Not to_pylist, which needs pandas for times.
    return [dict(zip(table.column_names, cells)) for cells in zip(*(column.to_pylist() for column in table.columns))]


def pandas_text(body, columns, **options):
    """CSV and TSV; a column of numbers may have nulls, a column of text has none."""
    numbers = [column for column in columns if DTYPES[column.type]["python"] in (int, float, bool)]
    return pd.read_csv(
        io.BytesIO(body),
        keep_default_na=False,
        na_values={column.name: [""] for column in numbers} | options.pop("na_values", {}),
        dtype={column.name: DTYPES[column.type]["pandas"] for column in numbers} | texts(columns, str),
        float_precision="round_trip",
        **options,
    ).to_dict("records")


def pandas_tsv(body, columns):
    nulls = {column.name: ["\\N"] for column in columns}
    return unescaped_rows(pandas_text(body, columns, sep="\t", quoting=csv.QUOTE_NONE, na_values=nulls))


def polars_text(body, columns, **options):
    """Times and decimals stay text."""
    types = {
        column.name: DTYPES[column.type]["polars"] if DTYPES[column.type]["python"] in (int, float, bool) else pl.String
        for column in columns
    }
    return pl.read_csv(io.BytesIO(body), schema_overrides=types, **options).to_dicts()


def polars_tsv(body, columns):
    options = {"separator": "\t", "quote_char": None, "null_values": "\\N", "empty_string_is_null": False}
    return unescaped_rows(polars_text(body, columns, **options))


def arrow_csv(body, columns):
    return rows_of_arrow(
        pyarrow.csv.read_csv(
            io.BytesIO(body),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dtypes(columns, "pyarrow"),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    )


def arrow_tsv(body, columns):
    table = pyarrow.csv.read_csv(
        io.BytesIO(body),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dtypes(columns, "pyarrow"), null_values=["\\N"], strings_can_be_null=True
        ),
    )
    return unescaped_rows(rows_of_arrow(table))


def arrow_ndjson(body, columns):
    """Its JSON reader makes neither dates nor decimals, and finds the fields of objects itself."""
    types = [
        (name, dtype)
        for name, dtype in dtypes(columns, "pyarrow").items()
        if name != "metadata" and not (pa.types.is_date(dtype) or pa.types.is_decimal(dtype))
    ]
    options = pyarrow.json.ParseOptions(explicit_schema=pa.schema(types))
    table = pyarrow.json.read_json(io.BytesIO(body), parse_options=options)
    return rows_of_arrow(table.select([column.name for column in columns]))


def from_duckdb(query, **values):
    relation = duckdb.connect().execute(query, values)
    names = [name for name, *_ in relation.description]
    return [dict(zip(names, row)) for row in relation.fetchall()]


def duckdb_parquet(path, _columns):
    return from_duckdb("FROM read_parquet($path)", path=path)


def duckdb_csv(path, columns):
    query = "FROM read_csv($path, types = $types, nullstr = '', allow_quoted_nulls = false)"
    return from_duckdb(query, path=path, types=dtypes(columns, "duckdb"))


def duckdb_tsv(path, columns):
    options = "delim = '\t', quote = '', escape = '', nullstr = '\\N', header = true"
    query = f"FROM read_csv($path, types = $types, {options})"
    return unescaped_rows(from_duckdb(query, path=path, types=dtypes(columns, "duckdb")))


def json_types(columns):
    """DuckDB reads numbers in JSON as floats first, which are too long for a decimal."""
    return {
        name: "DOUBLE" if dtype.startswith("DECIMAL") else dtype for name, dtype in dtypes(columns, "duckdb").items()
    }


def duckdb_ndjson(path, columns):
    return from_duckdb("FROM read_ndjson($path, columns = $types)", path=path, types=json_types(columns))


def duckdb_json(field):
    def read(path, columns):
        row = ", ".join(f'"{name}" {dtype}' for name, dtype in json_types(columns).items())
        rows = f"SELECT unnest({field}, recursive := true) FROM read_json($path, columns = $types)"
        return from_duckdb(rows, path=path, types={field: f"STRUCT({row})[]"})

    return read


def duckdb_arrow(path, _columns):
    with open(path, "rb") as file:
        rows = pa.ipc.open_stream(file).read_all()
    return [dict(zip(rows.column_names, row)) for row in duckdb.connect().execute("FROM rows").fetchall()]


READERS = {
    ("pandas", "parquet"): lambda body, _: pd.read_parquet(io.BytesIO(body), dtype_backend="pyarrow").to_dict(
        "records"
    ),
    ("pandas", "arrow"): lambda body, _: (
        pa.ipc.open_stream(body).read_pandas(types_mapper=pd.ArrowDtype).to_dict("records")
    ),
    ("pandas", "csv"): pandas_text,
    ("pandas", "tsv"): pandas_tsv,
    # Without dtype=object a null makes floats of integers.
    ("pandas", "json"): lambda body, _: pd.DataFrame(json.loads(body)["result"], dtype=object).to_dict("records"),
    ("pandas", "json-table"): lambda body, _: pd.DataFrame(json.loads(body)["data"], dtype=object).to_dict("records"),
    ("pandas", "ndjson"): lambda body, _: pd.DataFrame(
        [json.loads(line) for line in body.decode().splitlines()], dtype=object
    ).to_dict("records"),
    ("polars", "parquet"): lambda body, _: pl.read_parquet(body).to_dicts(),
    ("polars", "arrow"): lambda body, _: pl.read_ipc_stream(body).to_dicts(),
    ("polars", "csv"): polars_text,
    ("polars", "tsv"): polars_tsv,
    ("polars", "json"): lambda body, _: pl.DataFrame(json.loads(body)["result"], infer_schema_length=None).to_dicts(),
    ("polars", "ndjson"): lambda body, _: pl.read_ndjson(body, infer_schema_length=None).to_dicts(),
    ("pyarrow", "parquet"): lambda body, _: rows_of_arrow(pa.parquet.read_table(io.BytesIO(body))),
    ("pyarrow", "arrow"): lambda body, _: rows_of_arrow(pa.ipc.open_stream(body).read_all()),
    ("pyarrow", "csv"): arrow_csv,
    ("pyarrow", "tsv"): arrow_tsv,
    ("pyarrow", "ndjson"): arrow_ndjson,
}

#: DuckDB reads files.
FILE_READERS = {
    ("duckdb", "parquet"): duckdb_parquet,
    ("duckdb", "arrow"): duckdb_arrow,
    ("duckdb", "csv"): duckdb_csv,
    ("duckdb", "tsv"): duckdb_tsv,
    ("duckdb", "json"): duckdb_json("result"),
    ("duckdb", "json-table"): duckdb_json("data"),
    ("duckdb", "ndjson"): duckdb_ndjson,
}
