#!/usr/bin/env python3
"""Writes the test vectors of this folder, or with --check holds the committed ones against what would be written.

Either way every vector is first read back by a reader of its own: the successes must yield the facts of their headers,
the failures must break the one rule that they name.
"""

import argparse
import sys
from pathlib import Path

from generator import (
    folder_ckc,
    folder_ckc_payload,
    folder_policy,
    folder_spc,
    folder_spc_container_failures,
    folder_spc_content_failures,
    folder_spc_payload,
    folder_tllv,
    reader,
)
from generator.vectorfile import Vector, decode

ROOT = Path(__file__).resolve().parent
FOLDERS = ("tllv", "spc-payload", "spc", "ckc-payload", "ckc", "policy")
# These lack several blocks; the first missing one is named.
SEVERAL_ERRORS = {"spc-payload/empty.txt", "spc/v1-payload-empty.txt", "ckc-payload/empty.txt", "ckc/payload-empty.txt"}


def all_vectors() -> list[Vector]:
    answerable: folder_spc.Answerable = {}
    spcs = [
        *folder_spc.vectors(answerable),
        *folder_spc_container_failures.vectors(),
        *folder_spc_content_failures.vectors(),
    ]
    return [
        *folder_tllv.vectors(),
        *folder_spc_payload.vectors(),
        *spcs,
        *folder_ckc_payload.vectors(),
        *folder_ckc.vectors(answerable),
        *folder_policy.vectors(),
    ]


def verify(vectors: list[Vector]) -> list[str]:
    """Reads every vector back from its text. Returns what is wrong."""
    complaints = []
    server = reader.Server(ROOT / "keys")
    files = {vector.path: vector.encode() for vector in vectors}
    if len(files) != len(vectors):
        complaints.append("two vectors have the same name")

    def read(path: str) -> dict[str, str]:
        headers, body = decode(files[path])
        folder = path.partition("/")[0]
        if folder == "tllv":
            return reader.read_tllv(body)
        if folder == "spc-payload":
            return reader.read_spc_payload(body)
        if folder == "ckc-payload":
            return reader.read_ckc_payload(body)
        if folder == "spc":
            return reader.read_spc(body, headers, server)[0]
        spc_headers, spc_body = decode(files[headers["spc-file"].removeprefix("../")])
        return reader.read_ckc(body, *reader.read_spc(spc_body, spc_headers, server))

    for vector in vectors:
        if vector.folder == "policy":
            # Declared by hand: only the SPC is read.
            spc_headers, spc_body = decode(files[vector.inputs["spc-file"].removeprefix("../")])
            reader.read_spc(spc_body, spc_headers, server)
            continue
        try:
            found = read(vector.path)
        except reader.Refused as refusal:
            expected = (vector.stage, vector.error)
            if vector.succeeds or (refusal.stage, refusal.codes[0]) != expected:
                complaints.append(
                    f"{vector.path}: refused at {refusal.stage} with {refusal.codes}, expected {expected}"
                )
            elif len(refusal.codes) > 1 and vector.path not in SEVERAL_ERRORS:
                complaints.append(f"{vector.path}: breaks several rules: {refusal.codes}")
        else:
            if not vector.succeeds:
                complaints.append(f"{vector.path}: accepted, expected {vector.stage}, {vector.error}")
            for fact in sorted(found.keys() | vector.facts.keys()):
                if found.get(fact) != vector.facts.get(fact):
                    complaints.append(f"{vector.path}: {fact} is {found.get(fact)}, expected {vector.facts.get(fact)}")
    return complaints


def differences(files: dict[str, bytes]) -> list[str]:
    complaints = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*")):
            if f"{folder}/{path.name}" not in files:
                complaints.append(f"{folder}/{path.name}: not made by the generator")
    for name, data in files.items():
        path = ROOT / name
        if not path.exists():
            complaints.append(f"{name}: missing")
        elif path.read_bytes() != data:
            complaints.append(f"{name}: differs")
    return complaints


def write(files: dict[str, bytes]):
    for folder in FOLDERS:
        (ROOT / folder).mkdir(exist_ok=True)
        for path in (ROOT / folder).glob("*.txt"):
            if f"{folder}/{path.name}" not in files:
                path.unlink()
    for name, data in files.items():
        (ROOT / name).write_bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write or check the test vectors.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a committed file differs")
    check = parser.parse_args().check
    vectors = all_vectors()
    files = {vector.path: vector.encode() for vector in vectors}
    complaints = verify(vectors)
    if check:
        complaints += differences(files)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints:
        return 1
    if not check:
        write(files)
    for folder in FOLDERS:
        mine = [vector for vector in vectors if vector.folder == folder]
        good = sum(vector.succeeds for vector in mine)
        print(f"{folder:12} {len(mine):4} vectors: {good} success, {len(mine) - good} failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
