"""Programs that read the OpenAPI document: schemathesis, which tests by it, and openapi-python-client."""

import os
import subprocess
import sys
import typing
import urllib.request
from importlib import import_module
from pathlib import Path

import pytest

from gateway import FOLDER
from packages import needs

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def document(client, tmp_path_factory):
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    # urllib does not resolve the `..` that Client.url would need here.
    request = urllib.request.Request(f"{client.base}/openapi.json", headers=client.headers)
    with urllib.request.urlopen(request) as response:
        path.write_bytes(response.read())
    return path


def run(command, folder, **environment):
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs("schemathesis")
def test_schemathesis_finds_nothing(document, tmp_path):
    command = [BIN / "schemathesis", "--no-color", "--config-file", FOLDER / "schemathesis.toml", "run", document]
    run(command, tmp_path, PYTHONPATH=str(FOLDER))


@pytest.fixture(scope="module")
def generated(document, tmp_path_factory):
    """The package that openapi-python-client makes."""
    folder = tmp_path_factory.mktemp("generated")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    output = run(
        [BIN / "openapi-python-client", "generate", "--path", document, "--meta", "none", "--fail-on-warning"],
        folder,
        PATH=path,
    )
    assert "arning" not in output
    (package,) = [child for child in folder.iterdir() if (child / "client.py").exists()]
    sys.path.insert(0, str(folder))
    yield package.name
    sys.path.remove(str(folder))


@pytest.fixture
def call(client, generated):
    """Calls an operation by its tag and id, in snake case; `key` is the key."""
    package = import_module(generated)

    def operation(tag, name, key=client.headers["X-API-KEY"], **parameters):
        module = import_module(f"{generated}.api.{tag}.{name}")
        hints = typing.get_type_hints(module.sync_detailed)
        if "interval" in parameters:
            # A class of its own, made of the choices.
            parameters["interval"] = hints["interval"](parameters["interval"])
        gateway = package.AuthenticatedClient(base_url=client.base, token=key, prefix="", auth_header_name="X-API-KEY")
        return module.sync_detailed(client=gateway, **parameters)

    return operation


@needs("openapi-python-client")
def test_the_generated_client_gets_rows(call):
    response = call("usage", "usage_api_counts", project="aurora", interval="daily")
    assert response.status_code == 200
    assert response.parsed.result[0].total_rest_requests >= 0
    assert response.parsed.result[0].timestamp.tzinfo is not None


@needs("openapi-python-client")
def test_the_generated_client_reads_the_catalogue(call):
    response = call("catalogue", "list_endpoints")
    assert response.status_code == 200
    caching = {endpoint.name: endpoint.caching for endpoint in response.parsed.result}
    # Seconds, or a member of an enum.
    assert caching["usage.api-counts"] == 900
    assert caching["python.slow"].value == "disabled"


def assert_problem(response, status, code):
    assert response.status_code == status
    assert type(response.parsed).__name__ == f"Problem{status}"
    assert (int(response.parsed.status), str(response.parsed.code.value)) == (status, code)
    assert response.parsed.detail


@needs("openapi-python-client")
def test_the_generated_client_gets_a_400(call):
    response = call("usage", "usage_api_counts", project="(", interval="daily")
    assert_problem(response, 400, "INVALID_PARAMETERS")
    assert response.parsed.problems[0].param == "project"


@needs("openapi-python-client")
def test_the_generated_client_gets_a_401(call):
    response = call("usage", "usage_api_counts", key="unknown", project="aurora", interval="daily")
    assert_problem(response, 401, "API_KEY_INVALID")


@needs("openapi-python-client")
def test_the_generated_client_gets_a_504(call):
    assert_problem(call("queries", "python_slow", seconds=3.0), 504, "QUERY_TIMEOUT")


@needs("openapi-python-client")
def test_the_generated_client_gets_a_504_where_nothing_is_cached(call):
    response = call("queries", "python_cut", names=["not cached"], cache_control="only-if-cached")
    assert_problem(response, 504, "NOT_CACHED")
