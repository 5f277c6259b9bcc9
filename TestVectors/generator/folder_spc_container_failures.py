"""spc/: whole SPCs that must be refused for their container, their certificate or their RSA block."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from itertools import count

from . import blocks as b
from . import fps
from .folder_spc import base, flipped
from .messages import SPC
from .seeded import Seeded
from .vectorfile import Vector


def vectors() -> Iterator[Vector]:
    yield from containers()
    yield from certificates_and_keys()


def failure(name: str, stage: str, error: str, description: str, body: bytes, spc: SPC | None = None) -> Vector:
    inputs = {"dask": "development"} if spc is None else spc.inputs()
    return Vector("spc", name, description, body, inputs, stage=stage, error=error)


def searched(name: str, accept: Callable[[SPC, bytes], bool], encode: Callable[[SPC], bytes]) -> bytes:
    """The first of a row of seeded messages that has a wanted property."""
    for attempt in count():
        spc = SPC(f"spc/{name} {attempt}", version=2 if name.startswith("v2") else 1)
        body = encode(spc)
        if accept(spc, body):
            return body
    raise AssertionError


def number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def is_garbage_past_the_end(garbage: bytes) -> bool:
    """True when a payload's first header breaks one framing rule only: its block ends after the payload."""
    return (
        number(garbage, 8) % 16 == 0 and number(garbage, 12) <= number(garbage, 8) and number(garbage, 8) > len(garbage)
    )


def containers() -> Iterator[Vector]:
    def refused(name: str, error: str, description: str, body: bytes) -> Vector:
        return failure(name, "container", error, description, body)

    for version, header in ((1, 176), (2, 304)):
        label = f"v{version}"
        whole = base(f"{label}-minimal").encode()
        yield refused(
            f"{label}-header-only", "truncated", "The header promises a payload that is not there.", whole[:header]
        )
        yield refused(f"{label}-header-truncated", "truncated", "The header ends one byte early.", whole[: header - 1])
        yield refused(f"{label}-truncated", "truncated", "The last 16 bytes of the payload are missing.", whole[:-16])
        yield refused(f"{label}-trailing-byte", "trailing-bytes", "One byte after the payload.", whole + b"\x00")
        yield refused(
            f"{label}-payload-length-4gib",
            "truncated",
            "A payload length of 0xfffffff0.",
            whole[: header - 4] + b"\xff\xff\xff\xf0" + whole[header:],
        )
    whole = base("v1-minimal").encode()
    size = len(whole) - 176
    yield refused("empty", "truncated", "No byte at all.", b"")
    yield refused("three-bytes", "truncated", "Three bytes of a version number.", b"\x00\x00\x00")
    yield refused("v1-truncated-by-1", "truncated", "The last byte is missing.", whole[:-1])
    yield refused("v1-trailing-block", "trailing-bytes", "16 bytes after the payload.", whole + bytes(16))
    yield refused(
        "v1-payload-length-zero",
        "trailing-bytes",
        "A payload length of zero before a payload.",
        whole[:172] + bytes(4) + whole[176:],
    )
    yield refused(
        "v1-payload-length-odd",
        "length-not-multiple-of-16",
        "A payload of one byte less than a multiple of 16.",
        whole[:172] + b.u32(size - 1) + whole[176:-1],
    )
    yield refused(
        "v1-payload-1-byte",
        "length-not-multiple-of-16",
        "A payload of a single byte.",
        whole[:172] + b.u32(1) + whole[176:177],
    )
    for version in (0, 4, 9, 0x01000000):
        yield refused(
            f"version-{version if version < 16 else 'little-endian'}",
            "unsupported-version",
            f"SPC version 0x{version:08x}.",
            b.u32(version) + whole[4:],
        )
    noise = Seeded("spc/version-3").bytes("body", 1020)
    yield refused(
        "version-3", "spc-version-3", "SPC version 3, whose layout the guide does not give.", b.u32(3) + noise
    )
    yield refused("version-3-nothing-else", "spc-version-3", "The four bytes of version 3 and no more.", b.u32(3))

    def past_the_end(at: int) -> Callable[[SPC, bytes], bool]:
        return lambda _, body: number(body, at) % 16 == 0 and number(body, at) > len(body)

    yield refused(
        "v1-labelled-v2",
        "truncated",
        "Version 1's layout under version 2: the length is ciphertext.",
        searched("v1-labelled-v2", past_the_end(300), lambda spc: spc.encode(version=2)),
    )
    yield refused(
        "v2-labelled-v1",
        "truncated",
        "Version 2's layout under version 1: the length is part of the RSA block.",
        searched("v2-labelled-v1", past_the_end(172), lambda spc: spc.encode(version=1)),
    )
    yield refused(
        "certificate",
        "unsupported-version",
        "An application certificate, sent instead of an SPC.",
        fps.RSA_2048.certificate,
    )
    yield refused(
        "base64-twice",
        "unsupported-version",
        "The base64 text of an SPC, sent instead of its bytes.",
        base64.b64encode(whole),
    )


def certificates_and_keys() -> Iterator[Vector]:
    spc = base("v2-other-certificate")
    spc.key, spc.certificate_hash = fps.RSA_2048_OTHER, fps.RSA_2048_OTHER.certificate_hash
    yield failure(
        "v2-other-certificate",
        "certificate",
        "unknown-certificate",
        "Made with test-rsa-2048-other, which the server does not have.",
        spc.encode(),
    )
    for name, digest, description in (
        ("v1-certificate-hash-zero", bytes(20), "A certificate hash of zeros."),
        (
            "v1-certificate-hash-of-pem",
            hashlib.sha1(pem(fps.RSA_1024)).digest(),
            "The hash of the certificate's PEM text, not of its DER.",
        ),
        (
            "v1-certificate-hash-altered",
            fps.RSA_1024.certificate_hash[:-1] + bytes([fps.RSA_1024.certificate_hash[-1] ^ 1]),
            "The last bit of the certificate hash is wrong.",
        ),
    ):
        spc = base(name)
        spc.certificate_hash = digest
        yield failure(name, "certificate", "unknown-certificate", description, spc.encode())

    def refused(name: str, description: str, block: Callable[[SPC], bytes]) -> Vector:
        spc = base(name)
        return failure(name, "key", "decryption-failed", description, spc.encode(spck_block=block(spc)))

    def seed(spc: SPC) -> bytes:
        return spc.random.bytes("OAEP seed", 32)

    yield refused(
        "v1-rsa-block-random",
        "An RSA block of random bytes, smaller than the modulus.",
        lambda spc: b"\x00" + spc.random.bytes("noise", 127),
    )
    yield refused("v1-rsa-block-zero", "An RSA block of zeros.", lambda spc: bytes(128))
    yield refused(
        "v2-rsa-block-above-modulus", "An RSA block of 0xff, a number above the modulus.", lambda spc: b"\xff" * 256
    )
    yield refused(
        "v2-rsa-block-altered",
        "One bit of the RSA block is wrong.",
        lambda spc: flipped(spc.key.encrypt(spc.spck, seed(spc)), 128),
    )
    yield refused(
        "v2-rsa-other-key",
        "Encrypted for test-rsa-2048-other under the hash of test-rsa-2048.",
        lambda spc: searched_other(spc),
    )
    yield refused(
        "v2-oaep-sha256",
        "OAEP with SHA-256 instead of SHA-1.",
        lambda spc: spc.key.encrypt(spc.spck, seed(spc), digest=hashlib.sha256),
    )
    yield refused(
        "v1-oaep-label",
        "OAEP with a label that is not empty.",
        lambda spc: spc.key.encrypt(spc.spck, seed(spc), label=b"label"),
    )
    yield refused("v1-oaep-first-byte", "OAEP whose first byte is 1 instead of 0.", lambda spc: first_byte_one(spc))
    yield refused(
        "v1-pkcs1-v15",
        "PKCS#1 v1.5 padding instead of OAEP.",
        lambda spc: spc.key.raw(
            b"\x00\x02" + bytes(1 + byte % 255 for byte in spc.random.bytes("fill", 109)) + b"\x00" + spc.spck
        ),
    )
    for size in (0, 15, 17, 32):
        yield refused(
            f"v1-spck-{size}-bytes",
            f"A correct OAEP block that holds {size} bytes instead of a 16-byte key.",
            lambda spc, size=size: spc.key.encrypt(spc.random.bytes("SPCK", size), seed(spc)),
        )
    spc = base("v2-hash-of-rsa-1024")
    spc.certificate_hash = fps.RSA_1024.certificate_hash
    yield failure(
        "v2-hash-of-rsa-1024",
        "key",
        "decryption-failed",
        "A 256-byte RSA block under the hash of an RSA-1024 certificate.",
        spc.encode(),
    )


def pem(key: fps.Key) -> bytes:
    text = base64.b64encode(key.certificate).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""]).encode()


def searched_other(spc: SPC) -> bytes:
    """A block for the other key that is a number below this key's modulus, so that RSA itself succeeds."""
    seeds = (spc.random.bytes(f"OAEP seed {attempt}", 20) for attempt in count())
    blocks = (fps.RSA_2048_OTHER.encrypt(spc.spck, seed) for seed in seeds)
    return next(block for block in blocks if int.from_bytes(block, "big") < spc.key.n)


def first_byte_one(spc: SPC) -> bytes:
    """An encoded message that begins with 1 and is still below the modulus."""
    return spc.key.raw(fps.oaep_encode(spc.spck, spc.key.size, spc.random.bytes("OAEP seed", 20), first=1))
