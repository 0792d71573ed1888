"""A PostgreSQL to be killed: in a temporary folder, on loopback, run by a user without rights.

It ends with the process that started it, however that ends; the folder goes at the next start.
"""

import contextlib
import fcntl
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FOLDER, _PREFIX, _LOCK = "/tmp", "postgresql-", "lock"  # a short path, where its user can go


def programs() -> Path | None:
    """The folder of initdb and postgres: on the path, or where Debian puts it."""
    path = shutil.which("initdb")
    folders = [Path(path).resolve().parent] if path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


class Server:
    """A running cluster, and in it a database for each `url` that was asked for."""

    def __init__(self, root: Path):
        folder = programs()
        if folder is None:
            raise FileNotFoundError("no initdb: install PostgreSQL")
        self.root, self.bin = root, folder
        self.user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(root, self.user)
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "grader", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        self.start()

    def start(self) -> None:
        """Starts it and waits until it answers; after a crash it recovers first."""
        words = ("-h", "127.0.0.1", "-p", str(self.port), "-k", str(self.root), "-F")
        mortal = ["setpriv", "--pdeathsig", "QUIT"] if shutil.which("setpriv") else []  # macOS has none
        self._process = subprocess.Popen([*mortal, *self._as_user("postgres", "-D", "data", *words)], **self._where())
        deadline = time.monotonic() + 120
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kills it and all its processes at once, as a power cut would."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def url(self, name: str) -> str:
        """The URL of a new, empty database."""
        import psycopg

        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql+psycopg://grader@127.0.0.1:{self.port}/{name}"

    @property
    def _address(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=grader dbname=postgres connect_timeout=5"

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self._address).close()
        except psycopg.OperationalError:
            return False
        return True

    def _where(self) -> dict[str, Any]:
        as_user = {"user": self.user} if os.geteuid() == 0 else {}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        return {"cwd": self.root, **as_user, **quiet}

    def _as_user(self, program: str, *words: str) -> list[str]:
        return [str(self.bin / program), *words]

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(self._as_user(program, *words), check=True, **self._where())


def copy(url: str) -> str:
    """The URL of a new database that holds what this one does, to which nobody may be connected meanwhile."""
    import psycopg
    from sqlalchemy import make_url

    of, name = make_url(url), f"copy_{secrets.token_hex(6)}"
    where: dict[str, Any] = {"host": of.host, "port": of.port, "user": of.username, "dbname": "postgres"}
    with psycopg.connect(**where, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{of.database}"')
    return of.set(database=name).render_as_string(hide_password=False)


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A running server, gone at the end."""
    remove_left()
    root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_FOLDER))
    with (root / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        started = Server(root)
        try:
            yield started
        finally:
            started.kill()
            shutil.rmtree(root, ignore_errors=True)


def remove_left() -> None:
    """Removes the folders of servers whose process was killed: nobody holds their locks any more."""
    for left in Path(_FOLDER).glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError), left.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left.parent, ignore_errors=True)
