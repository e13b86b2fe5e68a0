"""Limits the exceptions of schemathesis.toml."""

import schemathesis


@schemathesis.check
def exceptions_are_what_they_are_for(ctx, response, case):
    """A 422 is of complete=1; valid data is a 400 only where the regular expression does not compile."""
    if response.status_code == 422:
        assert response.json()["code"] == "RESULT_TRUNCATED", response.text
        assert (case.query or {}).get("complete") is not None, response.text
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if response.status_code == 400 and is_valid:
        assert [problem["param"] for problem in response.json()["problems"]] == ["project"], response.text
