"""A gateway process over a temporary project: this repository's endpoints and data, and those of this folder."""

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
KEY = "a-key-for-the-python-tests"


@contextmanager
def running_gateway():
    """The URLs of a gateway that serves the project until the block ends: of its API, and of its SQL port."""
    with tempfile.TemporaryDirectory(prefix="querygate-project-") as folder:
        project = Path(folder)
        for name in ("endpoints", "clickhouse-schema", "demo"):
            shutil.copytree(ROOT / name, project / name)
        shutil.copytree(FOLDER / "endpoints", project / "endpoints" / "python")
        process = subprocess.Popen(
            ["node", ROOT / "dist" / "commands" / "cli" / "querygate.js", "serve"],
            env={
                "PATH": os.environ["PATH"],
                "PROJECT_DIR": folder,
                "DATA_DIR": str(project / "data"),
                "PORT": "0",
                "SQL_PORT": "0",
                "API_KEY": KEY,
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            sql_url = url_of(process, "SQL listener ready")
            url = url_of(process, "ready")
            # A full pipe would block the gateway.
            Thread(target=process.stdout.read, daemon=True).start()
            yield url, sql_url
        finally:
            process.terminate()
            process.wait()


def url_of(process, message):
    """Waits until the gateway logs a URL with the message. Its end closes its output, so this cannot wait for ever."""
    for line in process.stdout:
        ready = re.search(f'"message":"{message}".*"url":"(http:[^"]+)"', line)
        if ready:
            return ready[1]
    raise RuntimeError(f"the gateway ended with exit code {process.wait()}")
