"""Fills the SQLite store of a server that is stopped with many titles, accounts and entries of the audit log, by SQL: the pages of the
dashboard must answer questions among them. The entries have no valid hash chain."""

import random
import sqlite3
import time

DAYS = 90
OUTCOMES = (["issued"] * 60 + ["issued-persistable"] * 8 + ["retried"] * 6 + ["sync-report"] * 4
            + ["unknown-asset", "unreadable-spc", "security-level-too-low", "devices-exceeded", "rental-expired", "token-expired"])
CLASSES = ["appleMobile", "appleLiving", "appleDesktop"]
NEWER = "the device also supports version 2 of FPS"


def fill(database, titles, entries, until, seed=1):
    """Adds titles with two tracks, two accounts with two devices per title, and entries of these accounts in the days before a time in
    Unix seconds. The names begin with `title-` and `user-`. The order of the log is that of times: later entries must be added later."""
    source = random.Random(seed)
    now = int(time.time())
    accounts = 2 * titles
    with sqlite3.connect(database, timeout=60) as store:
        store.execute("PRAGMA synchronous = OFF")
        key = store.execute("SELECT content_key FROM content").fetchone()[0]
        for number in range(titles):
            name, updated = f"title-{number:05d}", now - source.randrange(DAYS * 86_400)
            store.execute("INSERT INTO title VALUES (?, ?, ?, NULL, ?, ?)",
                          (name, source.randbytes(16), source.choice([None, "stream", "keep"]), updated - 1_000, updated))
            for track in ("hd", "audio"):
                store.execute("INSERT INTO track VALUES (?, ?, ?, ?, NULL)", (name, track, track, source.randbytes(16)))
                store.execute("INSERT INTO content (asset_id, key_id, content_key, iv, track_kind, title_name, track_name, created, updated)"
                              " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              (f"{name}/{track}".encode(), source.randbytes(16), key, source.randbytes(16), track, name, track, updated, updated))
        devices = [[source.randbytes(16) for _ in range(2)] for _ in range(accounts)]
        for number, owned in enumerate(devices):
            account, seen = f"user-{number:05d}".encode(), now - source.randrange(3_600, DAYS * 86_400)
            for device, kind in zip(owned, CLASSES):
                store.execute("INSERT INTO device VALUES (?, ?, ?, ?, ?)", (account, device, kind, seen, min(now, seen + 86_400)))
            if number % 5 == 0:
                subject = b"\0" + f"title-{source.randrange(titles):05d}".encode()
                store.execute("INSERT INTO rental VALUES (?, ?, ?, ?, ?)", (account, subject, seen, seen + 172_800, b"\0" + owned[0]))
        node = store.execute("SELECT node FROM audit_head").fetchone()[0]
        first = store.execute("SELECT max(sequence) FROM audit").fetchone()[0] + 1
        begin, length = (until - DAYS * 86_400) * 1_000, DAYS * 86_400 * 1_000

        def rows():
            for number in range(entries):
                owner, outcome = source.randrange(accounts), source.choice(OUTCOMES)
                place = source.randrange(2)
                title = min(int(source.paretovariate(0.7)), titles) - 1
                yield (node, first + number, source.randbytes(32), begin + number * length // entries, "/fps/license", outcome,
                       NEWER if outcome.startswith("issued") else None, source.getrandbits(62), source.getrandbits(62),
                       f"title-{title:05d}/{source.choice(['hd', 'audio'])}".encode(), devices[owner][place], CLASSES[place], "app",
                       source.choice(["stream", "keep"]), source.randbytes(16).hex(), f"203.0.113.{source.randrange(255)}",
                       source.randrange(800, 9_000), f"user-{owner:05d}")

        store.executemany(
            "INSERT INTO audit (node, sequence, hash, milliseconds, route, outcome, detail, transaction_id, session_id, asset_id, device,"
            " device_class, bundle_name, policy_name, request_id, remote_address, microseconds, account)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
        store.execute("ANALYZE")


def add_entries(database, rows):
    """Adds entries to the audit log: (milliseconds, outcome, account, asset, detail, policy)."""
    with sqlite3.connect(database, timeout=60) as store:
        node, sequence = store.execute("SELECT node, (SELECT max(sequence) FROM audit) FROM audit_head").fetchone()
        for number, (milliseconds, outcome, account, asset, detail, policy) in enumerate(rows):
            store.execute(
                "INSERT INTO audit (node, sequence, hash, milliseconds, route, outcome, detail, asset_id, device_class, policy_name,"
                " request_id, microseconds, account) VALUES (?, ?, ?, ?, '/fps/license', ?, ?, ?, 'appleMobile', ?, ?, 1000, ?)",
                (node, sequence + 1 + number, bytes(32), milliseconds, outcome, detail, asset.encode(), policy,
                 f"{milliseconds:032x}", account))
