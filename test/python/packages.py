"""Packages that the index does not always have."""

import importlib.metadata
import json
import os

import pytest

REASONS = json.loads(os.environ.get("MISSING_PACKAGES", "{}"))


def is_installed(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def missing(*names):
    """The reason why a test that needs these packages cannot run; None if it can."""
    absent = [name for name in names if not is_installed(name)]
    return "; ".join(f"{name}: {REASONS.get(name, 'not installed')}" for name in absent) or None


def needs(*names):
    """Skips a test where one of these packages is not installed."""
    reason = missing(*names)
    return pytest.mark.skipif(reason is not None, reason=reason or "")
