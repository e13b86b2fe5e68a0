"""clickhouse-connect and SQLAlchemy read endpoints as tables."""

import json
import uuid

import pytest

from columns import columns_of
from conftest import exact
from gateway import KEY
from packages import needs
from test_readers import differences, is_same

pytestmark = needs("clickhouse-connect", "SQLAlchemy")


@pytest.fixture(scope="module")
def connection(sql_port):
    import clickhouse_connect

    with clickhouse_connect.get_client(
        host="127.0.0.1", port=sql_port, username="anyone", password=KEY, database="querygate"
    ) as connection:
        yield connection


@pytest.fixture(scope="module")
def engine(sql_port):
    import sqlalchemy

    return sqlalchemy.create_engine(f"clickhousedb://anyone:{KEY}@127.0.0.1:{sql_port}/querygate")


def test_reads_the_rows_of_the_api(connection, client):
    result = connection.query("SELECT * FROM python_types ORDER BY n")
    # The API has UUIDs as text.
    rows = [[str(value) if isinstance(value, uuid.UUID) else value for value in row] for row in result.result_rows]
    actual = [dict(zip(result.column_names, row)) for row in rows]
    expected = exact(client.get("python.types?format=json"))["result"]
    columns = columns_of(json.loads(client.get("python.types?format=json-table"))["meta"])
    assert list(differences(expected, actual, columns, is_same)) == []


def test_reads_types_values_and_arguments(connection):
    result = connection.query("SELECT * FROM python_types LIMIT 1")
    types = dict(zip(result.column_names, (column.name for column in result.column_types)))
    assert types["decimal"] == "Decimal(38, 9)"
    assert types["maybe_second"] == "Nullable(DateTime('UTC'))"
    frame = connection.query_df("SELECT u64, day FROM python_types WHERE n = {n:UInt8}", parameters={"n": 1})
    assert frame["u64"].tolist() == [18446744073709551615]
    rows = connection.query("SELECT name FROM python_cut(names = ['eve', 'ada']) ORDER BY name").result_rows
    assert rows == [("ada",), ("eve",)]


@pytest.mark.parametrize(
    "sql, code", [("SELECT * FROM nowhere", 60), ("SELECT FROM WHERE", 62), ("DROP TABLE python_types", 497)]
)
def test_shows_the_code_of_an_error(connection, sql, code):
    from clickhouse_connect.driver.exceptions import DatabaseError

    with pytest.raises(DatabaseError) as raised:
        connection.query(sql)
    assert raised.value.code == code


def test_notices_the_failure_of_a_stream(connection):
    from clickhouse_connect.driver.exceptions import StreamFailureError

    sql = "SELECT number, intDiv(1, number - 900000) FROM numbers(900001)"
    with pytest.raises(StreamFailureError, match="Code: 153"), connection.query_row_block_stream(sql) as blocks:
        for _ in blocks:
            pass


def test_is_refused_without_a_key(sql_port):
    import clickhouse_connect
    from clickhouse_connect.driver.exceptions import DatabaseError

    with pytest.raises(DatabaseError) as raised:
        clickhouse_connect.get_client(host="127.0.0.1", port=sql_port, username="anyone", password="qg_other")
    assert raised.value.code == 516


def test_sqlalchemy_reflects_tables(engine):
    import sqlalchemy

    inspector = sqlalchemy.inspect(engine)
    assert inspector.get_schema_names() == ["INFORMATION_SCHEMA", "information_schema", "querygate", "system"]
    assert inspector.get_table_names() == ["python_cut", "python_types"]
    assert inspector.has_table("python_types") and not inspector.has_table("nowhere")
    comment = inspector.get_table_comment("python_types")
    assert comment == {"text": "The least, the greatest and the odd values of each type."}
    columns = {column["name"]: column for column in inspector.get_columns("python_types")}
    assert (len(columns), str(columns["u64"]["type"]), columns["maybe_u64"]["nullable"]) == (14, "UInt64", True)
    assert inspector.get_pk_constraint("python_types")["constrained_columns"] == []


def test_sqlalchemy_selects_from_a_reflected_table(engine):
    import sqlalchemy

    table = sqlalchemy.Table("python_types", sqlalchemy.MetaData(), schema="querygate", autoload_with=engine)
    query = sqlalchemy.select(table.c.flag, sqlalchemy.func.max(table.c.u64)).group_by(table.c.flag).order_by(table.c.flag)
    with engine.connect() as connected:
        assert connected.execute(query).all() == [(False, 9223372036854775808), (True, 18446744073709551615)]
