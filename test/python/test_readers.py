"""Every library reads every endpoint in each format that it knows, with equal values."""

import datetime
import decimal
import json
import math

import pandas as pd
import pytest

from columns import DTYPES, columns_of
from conftest import exact
from readers import FILE_READERS, READERS

#: A call of each endpoint that returns rows. Quantiles of many records are estimates, which differ from query to query.
CALLS = [
    "gateway.requests?endpoint=python.changing",
    "functions.invocation-stats?project=aurora&interval=1hr",
    "get-grouped-stats-events-logs?event_type=view&include_unique=true&country=DE",
    "get-grouped-stats-redirects?",
    "logs.all?project=aurora&project_tier=PRO",
    "usage.api-counts?project=aurora&interval=daily",
    "python.text?",
    "python.types?",
]


def plain(value, column):
    """A value of a library as the Python value of the column's type. Text that a reader left as it is, is parsed."""
    python = DTYPES[column.type]["python"]
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if python is datetime.datetime:
        if value == "":
            return None
        time = datetime.datetime.fromisoformat(value) if isinstance(value, str) else value
        return time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)
    if python is datetime.date:
        return datetime.date.fromisoformat(value) if isinstance(value, str) else datetime.date(*value.timetuple()[:3])
    if python is str or (python is decimal.Decimal and isinstance(value, float)):
        return value
    return python(value)


def differences(expected, actual, columns, same):
    """The values that differ, as text."""
    assert len(actual) == len(expected)
    for number, (row, other) in enumerate(zip(expected, actual)):
        assert list(other) == [column.name for column in columns]
        for column in columns:
            wanted, found = row[column.name], other[column.name]
            if not same(wanted, found, column):
                yield f"row {number}, {column.name}: {wanted!r} became {found!r}"


def is_same(wanted, found, column):
    if isinstance(wanted, dict):
        # Text in the formats without objects.
        return wanted == (json.loads(found) if isinstance(found, str) else found)
    value, other = plain(wanted, column), plain(found, column)
    if isinstance(value, decimal.Decimal) and isinstance(other, float):
        # JSON has numbers, of which most readers make floats.
        return float(value) == other
    return value == other and isinstance(other, type(value))


def is_close(wanted, found, column):
    """As `is_same`, for two queries: the last digit of an average depends on the order of the records."""
    if DTYPES[column.type]["python"] is float and wanted is not None:
        return math.isclose(wanted, plain(found, column), rel_tol=1e-12)
    return is_same(wanted, found, column)


def is_same_without_null(wanted, found, column):
    """As `is_close`, for pandas and CSV: its parser takes null for the empty text, and NUL for the end of a field."""
    if DTYPES[column.type]["python"] is str and not isinstance(wanted, dict):
        return found == (wanted or "").partition("\0")[0]
    return is_close(wanted, found, column)


@pytest.fixture
def read(results, tmp_path):
    def read_call(call, library, name):
        bodies = results.of(call)
        columns = columns_of(json.loads(bodies["json-table"])["meta"])
        body = bodies[name]
        if (library, name) in READERS:
            return READERS[library, name](body, columns), columns
        path = tmp_path / f"body.{name}"
        path.write_bytes(body)
        return FILE_READERS[library, name](str(path), columns), columns

    return read_call


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("library, name", [*READERS, *FILE_READERS])
def test_reads_the_rows_of_every_endpoint(read, results, library, name, call):
    actual, columns = read(call, library, name)
    expected = exact(results.of(call)["json"])["result"]
    assert expected
    same = is_same if call.startswith("python.") else is_close
    if (library, name) == ("pandas", "csv"):
        same = is_same_without_null
    assert list(differences(expected, actual, columns, same)) == []
