"""A PostgreSQL server for a single test: in a temporary folder, on a Unix socket, run by an unprivileged user."""

import atexit
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import servers


def programs():
    """Returns the folder of the server's programs; None if it is not installed."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda path: int(path.parent.name), default=None)


class Postgres:
    """A server that starts with its first use. `crash` and `start` are for tests of an outage."""

    def __init__(self):
        self.programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="keyway-pg."))
        self.process = None
        self.password = secrets.token_hex(16)
        atexit.register(self.abandon)
        (self.folder / "password").write_text(self.password)
        # PostgreSQL refuses to run as root.
        self.prefix = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("nobody")
            for path in (self.folder, self.folder / "password"):
                os.chown(path, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        servers.run(*self.prefix, self.programs / "initdb", "-D", self.folder / "data", "-U", "keyway",
                    "--auth=scram-sha-256", f"--pwfile={self.folder / 'password'}", "-E", "UTF8", "--locale=C")
        self.start()
        self.query("CREATE DATABASE keyway", database="postgres")

    @property
    def url(self):
        return f"postgres://keyway@{str(self.folder).replace('/', '%2F')}/keyway"

    def start(self):
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*map(str, self.prefix), str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-k",
                 str(self.folder), "-c", "listen_addresses=", "-c", "max_connections=100"],
                stdout=log, stderr=log, cwd="/")
        deadline = time.monotonic() + 60
        while subprocess.run([str(self.programs / "pg_isready"), "-q", "-h", str(self.folder)]).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                servers.fail(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def crash(self):
        """Kills its processes, as a power failure would end them."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def query(self, sql, database="keyway", check=True):
        """Returns the rows, each as a list of strings."""
        done = subprocess.run(
            [str(self.programs / "psql"), "-h", str(self.folder), "-U", "keyway", "-d", database, "-XAtq", "-F", "\t", "-c", sql],
            capture_output=True, text=True, env={**os.environ, "PGPASSWORD": self.password})
        if check and done.returncode != 0:
            servers.fail(f"psql: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def cut_connections(self, count):
        """Terminates some of the servers' connections; fewer if PostgreSQL is down."""
        return len(self.query(
            "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname = 'keyway' AND "
            f"pid <> pg_backend_pid() ORDER BY random() LIMIT {int(count)}) AS some", check=False))

    def abandon(self):
        if self.process is not None and self.process.poll() is None:
            self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)
