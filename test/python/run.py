"""Installs requirements.txt into a temporary environment and runs the tests of this folder in it.

Needs a built gateway (`npm run test:python` builds it). A package that the index does not have is named with pip's
reason, and the tests that need it are skipped; without one of the core packages, or without an environment, nothing
runs. --require-all makes each of these a failure. Other arguments go to pytest.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from itertools import takewhile
from pathlib import Path

FOLDER = Path(__file__).parent
#: The test files import these, and DuckDB needs pytz to return times.
CORE = (
    "pytest",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "pytz",
    "fsspec",
    "requests",
    "httpx",
    "aiohttp",
    "CacheControl",
)
# A retry would cost its pause for each name, where only a local index is reachable.
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "--retries", "0", "--timeout", "5"]
#: For the environment and all packages together; those that come later are missing.
INSTALL_SECONDS = 120


def requirements():
    """The versions that will do, the preferred one first, by the name of the package."""
    versions = {}
    for line in (FOLDER / "requirements.txt").read_text().splitlines():
        requirement, _, comment = line.partition("#")
        if requirement.strip():
            pinned = requirement.strip()
            other = re.match(r" or ([\d.]+)", comment)
            name = re.split(r"[=\[]", pinned)[0]
            versions[name] = [pinned, *([f"{pinned.partition('==')[0]}=={other[1]}"] if other else [])]
    return versions


def attempt(command, deadline):
    """Runs a command that installs something. Returns None, or what it printed if it failed, as lines."""
    try:
        seconds = max(deadline - time.monotonic(), 0)
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return [f"ERROR: the installation took longer than {INSTALL_SECONDS} s so far"]
    if done.returncode == 0:
        return None
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return lines or [f"ERROR: exit code {done.returncode}"]


def install(python, packages, deadline):
    """Why pip did not install the packages; None if it did."""
    lines = attempt([python, *PIP, "install", "--no-compile", *packages], deadline)
    if lines is None:
        return None
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines)[-1].removeprefix("ERROR: ")


def install_each(python, wanted, deadline):
    """Installs what the index has. Yields the names of the other packages with the reasons of pip."""
    if install(python, [versions[0] for versions in wanted.values()], deadline) is None:
        return
    for name, versions in wanted.items():
        reasons = list(takewhile(bool, (install(python, [version], deadline) for version in versions)))
        if len(reasons) == len(versions):
            yield name, reasons[0]


def prepare(folder, deadline):
    """Makes the environment. Returns its Python, the reasons of pip by missing package, and why no test can run."""
    python = str(Path(folder) / "bin" / "python")
    # Debian's Python without python3-venv has a module venv that exits.
    lines = attempt([sys.executable, "-m", "venv", folder], deadline)
    if lines is not None:
        return python, {}, f"{sys.executable} makes no environment: {' '.join(lines)}"
    wanted = requirements()
    core = {name: wanted.pop(name) for name in CORE}
    # The first is enough: without an index, each takes the whole of pip's timeout.
    for name, reason in install_each(python, core, deadline):
        return python, {name: reason}, f"the test files need {name}"
    return python, dict(install_each(python, wanted, deadline)), None


def main(arguments):
    # Removes the temporary folder.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    require_all = "--require-all" in arguments
    with tempfile.TemporaryDirectory(prefix="querygate-python-") as folder:
        python, missing, obstacle = prepare(folder, time.monotonic() + INSTALL_SECONDS)
        for name, reason in missing.items():
            print(f"not installed: {name}: {reason}", flush=True)
        if obstacle:
            print(f"test:python: no test was run: {obstacle}", flush=True)
        if require_all and (missing or obstacle):
            return 1
        if obstacle:
            return 0
        environment = {
            **os.environ,
            # Packages that write files into the home folder of the user.
            "HOME": folder,
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "pycache"),
            "MISSING_PACKAGES": json.dumps(missing),
        }
        environment.pop("PYTHONPATH", None)
        tests = [argument for argument in arguments if argument != "--require-all"]
        options = ["-c", str(FOLDER / "pytest.ini"), "--basetemp", str(Path(folder) / "tests")]
        return run_pytest([python, "-m", "pytest", *options, *tests], environment)


def run_pytest(command, environment):
    with subprocess.Popen(command, env=environment, cwd=FOLDER) as pytest:
        # Both let pytest stop the gateway; a terminal sends SIGINT to pytest too.
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: pytest.send_signal(signal.SIGINT))
        return pytest.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
