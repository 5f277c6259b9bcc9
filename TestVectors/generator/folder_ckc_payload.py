"""ckc-payload/: CKC payloads in the clear (Table 2-11)."""

from collections.abc import Iterator

from . import blocks as b
from .fps import Block
from .messages import BlockList
from .seeded import Seeded
from .vectorfile import Vector


def base(name: str, *others: Block) -> BlockList:
    draw = Seeded(f"ckc-payload/{name}").bytes
    payload = BlockList(Seeded(f"ckc-payload/{name}"))
    return payload.add(
        b.encrypted_ck(draw("IV", 16), draw("encrypted key", 16)), b.plain(b.R1, "r1", draw("R1", 44)), *others
    )


def success(name: str, description: str, *others: Block) -> Vector:
    payload = base(name, *others).shuffle()
    return Vector("ckc-payload", name, description, payload.payload(), facts=payload.payload_facts())


def failure(name: str, error: str, description: str, body: bytes) -> Vector:
    return Vector("ckc-payload", name, description, body, stage="payload", error=error)


DRAW = Seeded("ckc-payload").bytes
STREAM, TITLE = DRAW("stream ID", 16), DRAW("title ID", 16)


def vectors() -> Iterator[Vector]:
    yield from successes()
    yield from failures()


def successes() -> Iterator[Vector]:
    yield success("minimal", "The two mandatory blocks.")
    yield success(
        "every-block",
        "Everything that may stand together, and two returned blocks.",
        b.duration(600, 172_800, b.LEASE_AND_RENTAL),
        b.required_security_level(b.LEVEL_MAIN),
        b.hdcp(b.HDCP_TYPE_1, DRAW("HDCP", 8)),
        Block(b.TRANSACTION_ID, DRAW("transaction", 8), kind="reserved"),
        b.reserved(0x0123456789ABCDEF, DRAW("reserved", 33)),
    )
    for name, lease, rental, key_type in (
        ("lease", 600, 0, b.LEASE),
        ("rental", 0, 172_800, b.RENTAL),
        ("lease-and-rental", 600, 172_800, b.LEASE_AND_RENTAL),
        ("persist-unlimited", 0, 0, b.PERSIST_UNLIMITED),
        ("persist-limited", 0, 2_592_000, b.PERSIST_LIMITED),
        ("maximum", 0xFFFFFFFF, 0xFFFFFFFF, b.LEASE_AND_RENTAL),
    ):
        yield success(
            f"duration-{name}",
            f"Content key duration: lease {lease}, rental {rental} seconds.",
            b.duration(lease, rental, key_type),
        )
    yield success("offline-key-v1", "Offline Key version 1.", b.offline_key(STREAM, 2_592_000, 172_800, None))
    yield success("offline-key-v2", "Offline Key version 2.", b.offline_key(STREAM, 2_592_000, 172_800, TITLE))
    yield success(
        "offline-key-unlimited", "Offline Key with both durations zero: no limit.", b.offline_key(STREAM, 0, 0, TITLE)
    )
    yield success(
        "offline-key-unknown-version",
        "Offline Key of version 3, which a parser does not know.",
        b.ignored(b.offline_key(STREAM, 1, 1, TITLE, version=3)),
    )
    yield success(
        "security-level-unknown-version",
        "Required Security Level of version 2, which a parser does not know.",
        b.ignored(b.required_security_level(b.LEVEL_MAIN, version=2)),
    )
    for name, level in {"audio": b.LEVEL_AUDIO, "baseline": b.LEVEL_BASELINE, "main": b.LEVEL_MAIN}.items():
        yield success(f"security-level-{name}", f"Required Security Level {name}.", b.required_security_level(level))
    for name, level in {"not-required": b.HDCP_NONE, "type-0": b.HDCP_TYPE_0, "type-1": b.HDCP_TYPE_1}.items():
        yield success(
            f"hdcp-{name}", f"HDCP {name.replace('-', ' ')}, 16 bytes.", b.hdcp(level, DRAW(f"HDCP {name}", 8))
        )
    yield success("hdcp-8-bytes", "HDCP as a bare 8-byte level: accepted when reading.", b.hdcp(b.HDCP_TYPE_0, b""))


def failures() -> Iterator[Vector]:
    yield failure(
        "missing-encrypted-ck",
        "missing-encrypted-ck",
        "The encrypted content key is missing.",
        base("missing-encrypted-ck").remove(b.ENCRYPTED_CK).payload(),
    )
    yield failure("missing-r1", "missing-r1", "R1 is missing.", base("missing-r1").remove(b.R1).payload())
    yield failure("empty", "missing-encrypted-ck", "No block at all: the first one of Table 2-11 is named.", b"")
    for name, tag, sizes in (
        ("encrypted-ck", b.ENCRYPTED_CK, (16, 31, 33)),
        ("r1", b.R1, (0, 43, 45)),
        ("duration", b.DURATION, (12, 15, 17)),
        ("hdcp", b.HDCP, (7, 12, 17)),
    ):
        for size in sizes:
            vector = f"{name}-{size}-bytes"
            payload = base(vector).put(Block(tag, DRAW(vector, size)))
            yield failure(vector, "invalid-value-length", f"A value of {size} bytes.", payload.payload())
    level = b.required_security_level(b.LEVEL_MAIN)
    first, second = b.offline_key(STREAM, 1, 1, None), b.offline_key(STREAM, 1, 1, TITLE)
    for name, block, size, description in (
        ("security-level-15-bytes", level, 15, "Required Security Level without its last byte."),
        ("security-level-3-bytes", level, 3, "Required Security Level too short for its version."),
        ("offline-key-v1-31-bytes", first, 31, "Offline Key version 1 without its last byte."),
        ("offline-key-v2-32-bytes", second, 32, "Offline Key version 2 without title ID."),
        ("offline-key-v2-47-bytes", second, 47, "Offline Key version 2 without its last byte."),
        ("offline-key-3-bytes", second, 3, "Offline Key too short for its version."),
    ):
        cut = Block(block.tag, block.value[:size])
        yield failure(name, "invalid-value-length", description, base(name, cut).payload())
    yield failure(
        "offline-key-with-duration",
        "conflicting-blocks",
        "Offline Key and content key duration together.",
        base("offline-key-with-duration", second, b.duration(600, 0, b.LEASE)).payload(),
    )
    name = "duplicate-r1"
    yield failure(name, "duplicate-tag", "Two R1 blocks.", base(name, Block(b.R1, DRAW(name, 44))).payload())
    name = "duplicate-encrypted-ck"
    yield failure(
        name, "duplicate-tag", "Two content keys.", base(name, Block(b.ENCRYPTED_CK, DRAW(name, 32))).payload()
    )
    payload = base("truncated").payload()
    yield failure("truncated", "truncated", "The last 16 bytes are missing.", payload[:-16])
    yield failure(
        "value-longer-than-block",
        "value-longer-than-block",
        "The content key's value length is 4 GiB.",
        payload[:12] + b"\xff\xff\xff\xff" + payload[16:],
    )
