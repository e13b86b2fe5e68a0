"""What readers do where the result changes between two ranges of one read, as documented in python.md."""

import io
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from packages import needs

ROWS = 100_000


def parquet(value):
    """A file of this value; all are of equal length and larger than what is read with its end."""
    numbers = pa.array(range(ROWS), pa.int64())
    file = io.BytesIO()
    table = pa.table({"value": pa.array([value] * ROWS, pa.int64()), "number": numbers})
    pa.parquet.write_table(table, file, compression="none", use_dictionary=False)
    return file.getvalue()


class Changing(BaseHTTPRequestHandler):
    """Serves ranges of the first file until its end was read, then of the second, with an ETag for each."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.respond(sends_body=False)

    def do_GET(self):
        self.respond(sends_body=True)

    def respond(self, sends_body):
        number = 1 if self.server.end_was_read else 0
        file = self.server.files[number]
        first, last = self.range_of(len(file))
        self.server.end_was_read |= sends_body and last == len(file) - 1
        part = file[first : last + 1]
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("ETag", f'"{number}"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        if "Range" in self.headers:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(file)}")
        self.end_headers()
        if sends_body:
            self.wfile.write(part)

    def range_of(self, length):
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        if not first:
            return length - int(last), length - 1
        return int(first), min(int(last or length), length - 1)

    def log_message(self, *_):
        """Prints nothing."""


@pytest.fixture
def url():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Changing)
    server.files = [parquet(1), parquet(2)]
    server.end_was_read = False
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/result.parquet"
    server.shutdown()
    thread.join()
    server.server_close()


def test_polars_mixes_two_results_without_an_error(url):
    # The end is of the first file, the rows are of the second.
    assert set(pl.scan_parquet(url).select("value").collect()["value"]) == {2}


@needs("duckdb-extensions", "duckdb-extension-httpfs")
def test_duckdb_raises(url):
    from duckdb_extensions import import_extension

    import_extension("httpfs")
    connection = duckdb.connect()
    connection.load_extension("httpfs")
    # Some builds of the extension write an error about the ETag that is no UTF-8.
    with pytest.raises((duckdb.Error, UnicodeDecodeError)) as raised:
        connection.execute("SELECT sum(value) FROM read_parquet($url)", {"url": url}).fetchall()
    assert isinstance(raised.value, UnicodeDecodeError) or "ETag on reading file" in str(raised.value)
