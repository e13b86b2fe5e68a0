"""Limits the exceptions of schemathesis.toml."""

import schemathesis


def is_beyond_schemas(problem, url):
    """Whether a valid value may be rejected: no schema says which regular expressions compile, or which cursors there are,

    and schemathesis fills a time that may be empty with zeros.
    """
    if problem["code"] == "INVALID_CURSOR":
        return True
    return all(
        (each["param"] == "project" and "/usage.api-counts" in url) or each["problem"].startswith("must be an ISO 8601 timestamp")
        for each in problem["problems"]
    )


@schemathesis.check
def exceptions_are_what_they_are_for(ctx, response, case):
    """A 422 is of complete=1, a 304 of If-None-Match; valid data is a 400 only where no schema could say so."""
    if response.status_code == 422:
        assert response.json()["code"] == "RESULT_TRUNCATED", response.text
        assert (case.query or {}).get("complete") is not None, response.text
    if response.status_code == 304:
        assert "If-None-Match" in case.headers
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if response.status_code == 400 and is_valid:
        assert is_beyond_schemas(response.json(), response.request.url), response.text
