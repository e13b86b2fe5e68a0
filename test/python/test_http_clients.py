"""HTTP clients get every format, whole and decompressed, and problems that name the error."""

import asyncio
import json

import aiohttp
import httpx
import pytest
import requests

from conftest import FORMATS


def with_requests(url, headers):
    response = requests.get(url, headers=headers)
    return response.status_code, response.headers, response.content


def with_httpx(url, headers):
    response = httpx.get(url, headers=headers)
    return response.status_code, response.headers, response.content


def with_aiohttp(url, headers):
    async def get():
        async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
            return response.status, response.headers, await response.read()

    return asyncio.run(get())


CLIENTS = [with_requests, with_httpx, with_aiohttp]

CACHED = "python.text?"
#: Their bodies are compressed as they are sent.
UNCACHED = "logs.all?project=aurora&project_tier=PRO"


@pytest.mark.parametrize("get", CLIENTS)
@pytest.mark.parametrize("encoding", ["identity", "gzip", "deflate"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_cached_body_is_equal_in_each_encoding(client, get, name, encoding):
    call = f"{CACHED}format={name}"
    status, _, body = get(client.url(call), {**client.headers, "Accept-Encoding": encoding})
    assert status == 200
    assert body == client.get(call)


@pytest.mark.parametrize("get", CLIENTS)
@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("json-table", "parquet")])
def test_an_uncached_body_is_compressed_and_equal(client, get, name):
    call = f"{UNCACHED}&format={name}"
    status, headers, body = get(client.url(call), {**client.headers, "Accept-Encoding": "gzip"})
    assert status == 200
    assert headers["Content-Encoding"] == "gzip"
    assert body == client.get(call, **{"Accept-Encoding": "identity"})


@pytest.mark.parametrize("name", ["json", "json-table", "ndjson"])
def test_the_json_formats_name_their_charset(client, name):
    response = requests.get(client.url(f"{CACHED}format={name}"), headers=client.headers)
    assert response.headers["Content-Type"].endswith("; charset=utf-8")


@pytest.mark.parametrize("call", [CACHED, UNCACHED])
def test_lines_are_rows(client, call):
    url = client.url(f"{call}&format=ndjson")
    rows = [json.loads(line) for line in client.get(f"{call}&format=ndjson").split(b"\n")[:-1]]
    with httpx.stream("GET", url, headers=client.headers) as response:
        assert [json.loads(line) for line in response.iter_lines()] == rows
    response = requests.get(url, headers=client.headers, stream=True)
    assert [json.loads(line) for line in response.iter_lines(decode_unicode=True)] == rows
    assert [json.loads(line) for line in httpx.get(url, headers=client.headers).text.splitlines()] == rows


def names_of(response):
    assert response.status_code == 200, response.text
    return [row["name"] for row in response.json()["result"]]


@pytest.mark.parametrize("library", [requests, httpx])
def test_a_list_is_a_python_list(client, library):
    response = library.get(client.url("python.cut"), params={"names": ["eve", "ada"]}, headers=client.headers)
    assert names_of(response) == ["ada", "eve"]
    # The same request as the comma form, so the same entry of the cache.
    response = library.get(client.url("python.cut"), params={"names": "eve,ada"}, headers=client.headers)
    assert response.headers["X-Cache"] == "HIT"


def test_a_list_is_a_python_list_for_aiohttp(client):
    params = [("names", "bob"), ("names", "cy")]
    url = httpx.URL(client.url("python.cut"), params=params)
    status, _, body = with_aiohttp(str(url), client.headers)
    assert status == 200
    assert [row["name"] for row in json.loads(body)["result"]] == ["bob", "cy"]


def test_only_the_text_true_is_true(client):
    def types(value):
        call = {"event_type": "view", "include_unique": value, "country": "DE"}
        response = requests.get(client.url("get-grouped-stats-events-logs"), params=call, headers=client.headers)
        return {row["event_type"] for row in response.json()["result"]}

    assert types("true") == {"view", "unique_view"}
    assert types(True) == types("false") == {"view"}


@pytest.mark.parametrize("get", CLIENTS)
def test_a_problem_names_the_parameter(client, get):
    status, headers, body = get(client.url("usage.api-counts?project=aurora&interval=yearly"), client.headers)
    assert status == 400
    assert headers["Content-Type"].startswith("application/problem+json")
    problem = json.loads(body)
    assert "interval must be one of minutely, hourly, daily" in problem["detail"]
    assert problem["problems"] == [{"param": "interval", "problem": "must be one of minutely, hourly, daily"}]


@pytest.mark.parametrize("get", CLIENTS)
@pytest.mark.parametrize("name", FORMATS)
def test_complete_makes_a_problem_of_a_cut_result(client, get, name):
    url = client.url(f"python.cut?format={name}")
    status, headers, _ = get(url, client.headers)
    assert (status, headers["X-Truncated"]) == (200, "true")
    status, _, body = get(f"{url}&complete=1", client.headers)
    problem = json.loads(body)
    assert (status, problem["code"]) == (422, "RESULT_TRUNCATED")
    assert "python.cut has more rows than its row cap, 3. Narrow the request with names;" in problem["detail"]


@pytest.mark.parametrize("get", CLIENTS)
@pytest.mark.parametrize("name", FORMATS)
def test_complete_changes_nothing_about_a_whole_result(client, get, name):
    call = f"python.cut?names=ada&format={name}"
    status, headers, body = get(client.url(f"{call}&complete=1"), client.headers)
    assert status == 200
    assert "X-Truncated" not in headers
    assert body == client.get(call)
