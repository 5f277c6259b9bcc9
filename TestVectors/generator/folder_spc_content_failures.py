"""spc/: whole SPCs that decrypt and must be refused for what is in them."""

from collections.abc import Iterator

from . import blocks as b
from . import fps, profiles
from .folder_spc import base, flipped, negotiated
from .folder_spc_container_failures import failure, is_garbage_past_the_end, searched
from .messages import SPC
from .seeded import Seeded
from .vectorfile import Vector


def vectors() -> Iterator[Vector]:
    yield from payloads()
    yield from versions()
    yield from integrity()


def payloads() -> Iterator[Vector]:
    def refused(name: str, error: str, description: str, spc: SPC, body: bytes | None = None) -> Vector:
        return failure(name, "payload", error, description, spc.encode() if body is None else body)

    def garbage(spc: SPC, key: bytes) -> bytes:
        encrypted = fps.aes_cbc_encrypt(spc.payload(), key, spc.iv)
        return fps.aes_cbc_decrypt(encrypted, spc.spck, spc.iv)

    other = Seeded("spc/v2-payload-other-key").bytes("other SPCK", 16)
    yield refused(
        "v2-payload-other-key",
        "truncated",
        "Encrypted under another SPCK: the payload decrypts to garbage.",
        base("v2-minimal"),
        searched(
            "v2-payload-other-key",
            lambda spc, _: is_garbage_past_the_end(garbage(spc, other)),
            lambda spc: spc.encode(payload_key=other),
        ),
    )
    yield refused(
        "v1-payload-iv-altered",
        "length-not-multiple-of-16",
        "One bit of the header's IV is wrong: it becomes one bit of the first block length.",
        base("v1-minimal"),
        flipped(base("v1-minimal").encode(), 8 + 11),
    )
    for version in (1, 2):
        name = f"v{version}-missing-r2"
        yield refused(name, "missing-r2", "R2 is missing.", base(name).remove(b.R2))
    yield refused(
        "v1-missing-asset-id",
        "missing-asset-id",
        "The asset ID is missing.",
        base("v1-missing-asset-id").remove(b.ASSET_ID),
    )
    yield refused(
        "v1-missing-sk-r1", "missing-sk-r1", "[SK...R1] is missing.", base("v1-missing-sk-r1").remove(b.SK_R1)
    )
    yield refused(
        "v1-payload-empty",
        "missing-sk-r1",
        "A payload of no bytes.",
        base("v1-payload-empty"),
        base("v1-payload-empty").encode(payload=b""),
    )
    spc = base("v1-asset-id-201-bytes")
    yield refused(
        "v1-asset-id-201-bytes",
        "invalid-value-length",
        "An asset ID of 201 bytes.",
        spc.value(b.ASSET_ID, spc.random.bytes("asset ID", 201)),
    )
    spc = base("v1-sk-r1-96-bytes")
    yield refused(
        "v1-sk-r1-96-bytes",
        "invalid-value-length",
        "[SK...R1] without its IV.",
        spc.value(b.SK_R1, spc.find(b.SK_R1).value[16:]),
    )
    spc = base("v1-r2-20-bytes")
    yield refused("v1-r2-20-bytes", "invalid-value-length", "R2 of 20 bytes.", spc.value(b.R2, spc.r2[:20]))
    spc = profiles.iphone(base("v2-duplicate-tag"))
    yield refused(
        "v2-duplicate-tag",
        "duplicate-tag",
        "Two AR seeds, the second with another value.",
        spc.add(b.plain(b.AR_SEED, "ar-seed", bytes(16))),
    )
    spc = base("v1-block-past-the-end")
    payload = spc.payload() + fps.header(0x0123456789ABCDEF, 0xFFFFFFF0, 16) + bytes(16)
    yield refused(
        "v1-block-past-the-end",
        "truncated",
        "A last block whose length is 0xfffffff0.",
        spc,
        spc.encode(payload=payload),
    )
    spc = base("v1-block-length-odd")
    payload = (
        spc.payload()
        + fps.header(0x0123456789ABCDEF, 8, 8)
        + bytes(8)
        + fps.header(0x1123456789ABCDEF, 8, 8)
        + bytes(8)
    )
    yield refused(
        "v1-block-length-odd",
        "length-not-multiple-of-16",
        "Two blocks of 24 bytes each, header included.",
        spc,
        spc.encode(payload=payload),
    )


def versions() -> Iterator[Vector]:
    for name, server, supported, used, error, description in (
        ("v1-version-downgrade", [1, 2], (1, 2), 1, "version-downgrade", "Both sides have 2, and the device uses 1."),
        (
            "v1-version-downgrade-of-three",
            [1, 2, 3],
            (1, 2, 4),
            1,
            "version-downgrade",
            "The newest version that both have is 2, and the device uses 1.",
        ),
        ("v1-version-mismatch", [2], (1,), 1, "version-mismatch", "No version in common."),
        (
            "v1-version-used-too-new",
            [1],
            (1, 2),
            2,
            "version-mismatch",
            "The device uses a version that the server does not have.",
        ),
        ("v1-version-used-zero", [1], (1, 2), 0, "version-mismatch", "The device uses version 0."),
        (
            "v1-version-used-not-supported",
            [1],
            (2,),
            1,
            "version-mismatch",
            "The version used is not among those supported, of which the server has none.",
        ),
    ):
        spc = negotiated(name, server, supported, used)
        yield failure(name, "version", error, description, spc.encode(), spc)


def integrity() -> Iterator[Vector]:
    def refused(name: str, description: str, spc: SPC) -> Vector:
        return failure(name, "integrity", "integrity-mismatch", description, spc.encode(), spc)

    for version in (1, 2):
        name = f"v{version}-integrity-altered"
        spc = base(name)
        yield refused(
            name, "The last bit of the integrity block is wrong.", spc.value(b.INTEGRITY, flipped(spc.integrity, 15))
        )
    spc = base("v1-integrity-zero")
    yield refused("v1-integrity-zero", "An integrity block of zeros.", spc.value(b.INTEGRITY, bytes(16)))
    spc = base("v1-integrity-first-byte")
    yield refused(
        "v1-integrity-first-byte",
        "Only the first byte of the integrity block is wrong.",
        spc.value(b.INTEGRITY, flipped(spc.integrity, 0)),
    )
    spc = base("v1-r2-altered")
    yield refused("v1-r2-altered", "One bit of R2 is wrong: another DASk.", spc.value(b.R2, flipped(spc.r2, 20)))
    for name, at, where in (("last", 96 + 15, "last"), ("previous", 80 + 15, "second to last")):
        spc = base(f"v1-sk-r1-{name}-block-altered")
        yield refused(
            f"v1-sk-r1-{name}-block-altered",
            f"One bit of the {where} ciphertext block of [SK...R1] is wrong.",
            spc.value(b.SK_R1, flipped(spc.find(b.SK_R1).value, at)),
        )
    spc = base("v1-other-ask", ask=Seeded("other ASk").bytes("ASk", 16))
    yield refused("v1-other-ask", "Made with another ASk.", spc)
    spc = base("v2-other-fixed-dask", fixed_dask=Seeded("v2-other-fixed-dask").bytes("DASk", 16))
    body = spc.encode()
    spc.fixed_dask = Seeded("v2-other-fixed-dask").bytes("other DASk", 16)
    yield failure("v2-other-fixed-dask", "integrity", "integrity-mismatch", "Made with another fixed DASk.", body, spc)
