"""A key server in a separate process that can be killed, and virtual devices that request keys. For the test-server tests.

WORK is the test's folder and the current one; the executables are in PATH.
"""

import atexit
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Whether to test everything (IntegrationTests/run --full), or a representative part.
full = bool(os.environ.get("FULL"))
ISSUER, AUDIENCE = "https://login.example.com", "keyway"


def fail(text):
    print(f"FAILED: {text}", file=sys.stderr)
    sys.exit(1)


def seeded(name):
    """Returns the test's random generator: from SEED, or from a new seed that is printed, so that a failure is reproducible."""
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"{name}: SEED={seed}")
    return random.Random(seed), seed


def run(*command, code=0):
    """Runs a command, which must exit with the code, or one of the codes, and returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        fail(f"{' '.join(map(str, command))} exited with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def shared_out(items, names):
    """Returns the items to test for each name (of a browser): all in a full run, otherwise a share, so that each is tested once."""
    return {name: items if full else items[index::len(names)] for index, name in enumerate(names)}


def write_secret(path, content):
    """Writes a file that only its owner can read, as keyway-server requires."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


# Whether requests have tokens. Without tokens the server is in development mode, for measurements without rules; must be set
# before any of the functions below is called.
use_tokens = True


# The location of the records, as an argument of the commands.
store_options = ["--data", "data"]


def make_credentials():
    """Creates development credentials in dev/, and a bundle in the server's store."""
    run("keyway", "credentials", "new", "--out", "dev")
    common = ["keyway-server", "certificates", "add", *store_options, "--name", "app", "--certificate",
              "dev/certificate.der", "--private-key", "dev/private-key.pem", "--ask", "@dev/ask.hex"]
    if not use_tokens:
        run(*common, "--kind", "development")
        return
    # Tokens need a production server, whose DASk comes from a plug-in: the example, which implements the virtual device's rule.
    run("cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I", ROOT / "Sources/System/CKeywayDASk/include", "-o",
        "example_dask.so", ROOT / "Examples/dask-plugin/example_dask.c", "-lcrypto")
    write_secret("provisioning", bytes.fromhex(Path("dev/ask.hex").read_text().strip()))
    run(*common, "--kind", "production", "--plugin", Path("example_dask.so").resolve(), "--plugin-configuration", "derive",
        "--provisioning-data", "provisioning")


def add_keys(assets, policy=None):
    """Adds random keys for assets, with a policy document."""
    options = []
    if policy is not None:
        Path("policy.json").write_text(json.dumps({"name": "test", **policy}))
        run("keyway-server", "policies", "add", *store_options, "--name", "test", "policy.json")
        options = ["--policy", "test"]
    for asset in assets:
        write_secret("key.hex", os.urandom(16).hex())
        run("keyway-server", "keys", "add", *store_options, "--asset", asset, "--key", "@key.hex", "--iv",
            os.urandom(16).hex(), *options)


# The maximum time of a response in transit, in seconds: a slot must outlast the key of a late retry by this time.
ANSWER_TIME = 5


class Server:
    """`keyway-server serve` on a data folder. A restart uses the same port."""

    def __init__(self, skew=30, settings=None, authorization=None, name="server", data="data"):
        """`settings` override the configuration, `authorization` replaces the tokens, `name` is the prefix of the names of the
        server's own files."""
        self.process = None
        self.name, self.data = name, data
        atexit.register(self.abandon)
        self.port = 0
        self.url = None
        self.admin_url = None
        self.has_tokens = use_tokens
        if self.has_tokens:
            if not Path("jwks.json").exists():
                run("keyway", "token", "--token-algorithm", "es256", "--token-key", "token.pem", "--write-jwks", "jwks.json",
                    "--account", "a")
            unlimited = {"perMinute": 10_000_000, "burst": 10_000_000}
            rates = {kind: {"account": unlimited, "address": unlimited} for kind in ("license", "segment", "other")}
            configuration = {
                "data": str(Path(data).resolve()),
                "admin": {"listen": "127.0.0.1:0"},
                "authorization": authorization or {"tokens": [
                    {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["ES256"], "jwks": str(Path("jwks.json").resolve())}]},
                # The maximum that the server accepts with this skew.
                "licenses": {"leaseSkew": f"PT{skew}S", "retryGrace": f"PT{skew - ANSWER_TIME}S"},
                "limits": {"rates": rates, "connections": 4000},
            }
            for section, values in (settings or {}).items():
                if isinstance(values, dict):
                    configuration.setdefault(section, {}).update(values)
                else:
                    configuration[section] = values
            # JSON is valid YAML.
            Path(f"{name}.yaml").write_text(json.dumps(configuration, indent=2))

    def start(self, *options, wait=True, prefix=()):
        out = Path(f"{self.name}.out")
        out.write_text("")
        mode = ["--config", f"{self.name}.yaml"] if self.has_tokens else ["--data", self.data, "--dev"]
        # Without a configuration all requests belong to one account, whose rate limit would distort the measurement.
        unlimited = {} if self.has_tokens else {
            f"KEYWAY_LIMITS_RATES_{kind}_{who}_PER_MINUTE": "0"
            for kind in ("LICENSE", "SEGMENT", "OTHER") for who in ("ACCOUNT", "ADDRESS")}
        with out.open("w") as output, Path(f"{self.name}.log").open("a") as log:
            self.process = subprocess.Popen(
                [*prefix, "keyway-server", "serve", *mode, "--listen", f"127.0.0.1:{self.port}", *options],
                stdout=output, stderr=log, env={**os.environ, **unlimited})
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            text = Path(f"{self.name}.out").read_text()
            found = re.search(r"^listening for apps on (https?://.*:(\d+))$", text, re.M)
            admin = re.search(r"^listening for administration on (\S+)$", text, re.M)
            if found and (admin or not self.has_tokens):
                self.url, self.port = found[1], int(found[2])
                self.admin_url = admin[1] if admin else self.url
                return
            if self.process.poll() is not None:
                fail(f"the server stopped with exit code {self.process.returncode}: {Path(f'{self.name}.log').read_text()[-2000:]}")
            time.sleep(0.02)
        fail(f"the server did not start to listen: {Path(f'{self.name}.log').read_text()[-2000:]}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def abandon(self):
        """Stops the server at the end of the test, for any reason."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def stop(self):
        self.process.terminate()
        if self.process.wait(timeout=60) != 0:
            fail(f"the server stopped with exit code {self.process.returncode}: {Path(f'{self.name}.log').read_text()[-2000:]}")
        self.process = None

    def client_options(self):
        """Returns the options of keyway's commands for this server."""
        options = ["--server", self.url, "--credentials", "dev"]
        if self.has_tokens:
            options += ["--token-algorithm", "es256", "--token-key", "token.pem", "--token-issuer", ISSUER, "--token-audience", AUDIENCE]
        return options


class Trace:
    """The lines that keyway writes for each request, read when they are written."""

    def __init__(self, path):
        self.path = Path(path)
        self.position = 0

    def new_lines(self):
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self.position)
            data = file.read()
        data = data[: data.rfind(b"\n") + 1]
        self.position += len(data)
        return [json.loads(line) for line in data.splitlines()]


def request_ids(after=0):
    """Returns the request IDs of the audit log after a number, with their outcomes, and the last number."""
    database = sqlite3.connect("file:data/keyway.sqlite?mode=ro", uri=True, timeout=30)
    try:
        rows = database.execute("SELECT number, request_id, outcome FROM audit WHERE number > ?", (after,)).fetchall()
    finally:
        database.close()
    return {identifier: outcome for _, identifier, outcome in rows}, max([after] + [number for number, _, _ in rows])


def check_database():
    """Checks the database with SQLite's integrity check."""
    database = sqlite3.connect("file:data/keyway.sqlite?mode=ro", uri=True, timeout=30)
    try:
        found = database.execute("PRAGMA integrity_check").fetchall()
    finally:
        database.close()
    if found != [("ok",)]:
        fail(f"the database is damaged: {found[:3]}")


def verify_chain():
    """Checks the audit log's hash chain."""
    run("keyway-server", "audit", "verify", *store_options)
