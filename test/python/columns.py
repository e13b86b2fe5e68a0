"""The types of columns: what Python and each library make of them."""

import datetime
import decimal
import re
from collections import namedtuple

import polars as pl
import pyarrow as pa

Column = namedtuple("Column", "name type isNullable")


def integer(bits, unsigned):
    name = f"{'U' if unsigned else ''}Int{bits}"
    sql = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[bits]
    return {
        "python": int,
        "pandas": name,
        "polars": getattr(pl, name),
        "pyarrow": getattr(pa, name.lower())(),
        "duckdb": f"{'U' if unsigned else ''}{sql}",
    }


def dtype(python, pandas, polars, pyarrow, duckdb):
    return {"python": python, "pandas": pandas, "polars": polars, "pyarrow": pyarrow, "duckdb": duckdb}


TEXT = dtype(str, str, pl.String, pa.string(), "VARCHAR")
TIME = dtype(datetime.datetime, object, pl.Datetime("us", "UTC"), pa.timestamp("us", "UTC"), "TIMESTAMPTZ")

#: By the type in ClickHouse, without Nullable and LowCardinality.
DTYPES = {
    **{f"UInt{bits}": integer(bits, True) for bits in (8, 16, 32, 64)},
    **{f"Int{bits}": integer(bits, False) for bits in (8, 16, 32, 64)},
    "Float64": dtype(float, "float64", pl.Float64, pa.float64(), "DOUBLE"),
    "Decimal(38, 9)": dtype(decimal.Decimal, str, pl.Decimal(38, 9), pa.decimal128(38, 9), "DECIMAL(38,9)"),
    "Bool": dtype(bool, "boolean", pl.Boolean, pa.bool_(), "BOOLEAN"),
    "Date": dtype(datetime.date, object, pl.Date, pa.date32(), "DATE"),
    "DateTime('UTC')": TIME,
    "DateTime64(0, 'UTC')": TIME,
    "DateTime64(6, 'UTC')": TIME,
    "String": TEXT,
    "UUID": TEXT,
}


def columns_of(meta):
    """The columns that json-table describes."""
    columns = []
    for field in meta:
        bare = re.sub(r"^LowCardinality\((.*)\)$", r"\1", field["type"])
        nullable = re.fullmatch(r"Nullable\((.*)\)", bare)
        columns.append(Column(field["name"], nullable[1] if nullable else bare, nullable is not None))
    return columns
