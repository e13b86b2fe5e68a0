"""Installs requirements.txt into a temporary environment and runs the tests of this folder in it.

Needs a built gateway (`npm run test:python` builds it). A package that the index has not is named with pip's reason,
and the tests that need it are skipped; --require-all makes that a failure. Other arguments go to pytest.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
from itertools import takewhile
from pathlib import Path

FOLDER = Path(__file__).parent
# A retry would cost its pause for each name, where only a local index is reachable.
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "--retries", "0", "--timeout", "5"]
#: For all packages together; those that come later are missing.
INSTALL_SECONDS = 150


def requirements():
    """Each requirement as the versions that will do, the preferred one first."""
    for line in (FOLDER / "requirements.txt").read_text().splitlines():
        requirement, _, comment = line.partition("#")
        if requirement.strip():
            pinned = requirement.strip()
            other = re.match(r" or ([\d.]+)", comment)
            yield [pinned, *([f"{pinned.partition('==')[0]}=={other[1]}"] if other else [])]


def install(python, packages, deadline):
    """Why pip did not install the packages; None if it did."""
    command = [python, *PIP, "install", "--no-compile", *packages]
    try:
        seconds = max(deadline - time.monotonic(), 0)
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"pip took longer than {INSTALL_SECONDS} s for the packages so far"
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (errors or done.stderr.splitlines() or ["pip failed"])[-1].removeprefix("ERROR: ")


def install_all(python):
    """Installs what the index has. Returns the reasons of pip by the names of the other packages."""
    deadline = time.monotonic() + INSTALL_SECONDS
    wanted = list(requirements())
    if install(python, [versions[0] for versions in wanted], deadline) is None:
        return {}
    missing = {}
    for versions in wanted:
        reasons = list(takewhile(bool, (install(python, [version], deadline) for version in versions)))
        if len(reasons) == len(versions):
            missing[re.split(r"[=\[]", versions[0])[0]] = reasons[0]
        # Without pytest nothing runs.
        if "pytest" in missing:
            break
    return missing


def main(arguments):
    # Removes the temporary folder.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    require_all = "--require-all" in arguments
    with tempfile.TemporaryDirectory(prefix="querygate-python-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        missing = install_all(python)
        for name, reason in missing.items():
            print(f"not installed: {name}: {reason}", flush=True)
        if missing and require_all:
            return 1
        if "pytest" in missing:
            print("test:python: not run, because pip reaches no index that has pytest")
            return 0
        environment = {
            **os.environ,
            # Packages that keep files in the home folder of the user.
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
