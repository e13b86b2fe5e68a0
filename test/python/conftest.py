import json
import os
import time
import urllib.parse
import urllib.request
from decimal import Decimal

import pytest

from gateway import KEY, running_gateway

FORMATS = ("json", "json-table", "ndjson", "csv", "tsv", "parquet", "arrow")


class Client:
    """Calls the gateway with the standard library, for the values that the libraries under test must return."""

    def __init__(self, url):
        self.base = url
        self.headers = {"X-API-KEY": KEY}

    def url(self, call):
        """The URL of a call, which is the name of an endpoint and its query string."""
        return f"{self.base}/api/endpoints/query/{call}"

    def open(self, call, **headers):
        request = urllib.request.Request(self.url(call), headers={**self.headers, **headers})
        return urllib.request.urlopen(request)

    def get(self, call, **headers):
        with self.open(call, **headers) as response:
            return response.read()


@pytest.fixture(scope="session")
def gateway():
    with running_gateway() as urls:
        yield urls


@pytest.fixture(scope="session")
def sql_port(gateway):
    return urllib.parse.urlsplit(gateway[1]).port


@pytest.fixture(scope="session")
def client(gateway):
    url, _ = gateway
    # What the snippets of the documentation read.
    os.environ["QUERYGATE"] = url
    os.environ["API_KEY"] = KEY
    client = Client(url)
    # Something to read for gateway.requests.
    client.get("python.changing")
    yield client


class Results:
    """The bodies of a call in every format, all of equal data."""

    TIMEOUT_SECONDS = 60

    def __init__(self, client):
        self.client = client
        self.known = {}

    def of(self, call):
        if call not in self.known:
            self.known[call] = self.fetch(call)
        return self.known[call]

    def fetch(self, call):
        # Each format is a query of its own. The window of an endpoint moves with the clock, so that records leave it;
        # those of the request log arrive late. Equal counts before and after have the same data between them.
        deadline = time.monotonic() + self.TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            before = self.counts(call)
            bodies = {name: self.fresh(call, name) for name in FORMATS}
            if before and self.counts(call) == before:
                return bodies
        raise AssertionError(f"{call} returns no rows, or others each time")

    def counts(self, call):
        """The rows without fractions: the last digit of an average can differ from query to query."""
        rows = json.loads(self.fresh(call, "json"))["result"]
        return [{name: value for name, value in row.items() if not isinstance(value, float)} for row in rows]

    def fresh(self, call, name):
        return self.client.get(f"{call}&format={name}", **{"Cache-Control": "no-cache"})


@pytest.fixture(scope="session")
def results(client):
    return Results(client)


def exact(body):
    """JSON without a loss of digits."""
    return json.loads(body, parse_float=Decimal)
