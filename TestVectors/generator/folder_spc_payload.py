"""spc-payload/: SPC payloads as they come out of AES-CBC, in the clear (Table 2-4)."""

from collections.abc import Iterator

from . import blocks as b
from . import profiles
from .fps import Block
from .messages import SPC
from .vectorfile import Vector


def base(name: str, **options) -> SPC:
    return SPC(f"spc-payload/{name}", **options)


def success(name: str, description: str, spc: SPC) -> Vector:
    return Vector("spc-payload", name, description, spc.payload(), facts=spc.payload_facts())


def failure(name: str, error: str, description: str, body: bytes) -> Vector:
    return Vector("spc-payload", name, description, body, stage="payload", error=error)


def with_block(name: str, description: str, *blocks: Block) -> Vector:
    return success(name, description, base(name).put(*blocks).shuffle())


MANDATORY = {
    "sk-r1": b.SK_R1,
    "sk-r1-integrity": b.INTEGRITY,
    "ar-seed": b.AR_SEED,
    "r2": b.R2,
    "tag-return-request": b.TAG_RETURN_REQUEST,
    "asset-id": b.ASSET_ID,
    "versions-supported": b.VERSIONS_SUPPORTED,
    "version-used": b.VERSION_USED,
}


def vectors() -> Iterator[Vector]:
    yield from successes()
    yield from missing_blocks()
    yield from wrong_lengths()
    yield from framing()


def successes() -> Iterator[Vector]:
    yield success("minimal", "The mandatory blocks and the transaction ID, in the order of Table 2-4.", base("minimal"))
    yield success(
        "missing-transaction-id",
        "No transaction ID, which the server does not need.",
        base("missing-transaction-id").remove(b.TRANSACTION_ID),
    )
    spc = profiles.virtual_machine(base("every-block"))
    spc.put(
        b.kext_deny_list(31), b.sync_v2(spc.random.bytes("challenge", 8), [0, 16], spc.random.bytes("title", 16), 0, [])
    )
    yield success("every-block", "Every block of Table 2-4 and two reserved ones.", spc.shuffle())

    draw = base("values").random.bytes
    for size in (2, 200):
        yield with_block(
            f"asset-id-{size}-bytes",
            f"The {'shortest' if size == 2 else 'longest'} asset ID.",
            b.plain(b.ASSET_ID, "asset-id", draw("asset ID", size)),
        )
    yield with_block(
        "asset-id-not-text",
        "An asset ID is bytes, not text: zeros and invalid UTF-8.",
        b.plain(b.ASSET_ID, "asset-id", bytes.fromhex("00c3280afffe00")),
    )
    yield with_block(
        "versions-supported-three", "Three supported versions, not in order.", b.versions_supported([2, 1, 7])
    )
    yield with_block("version-used-2", "Version 2 in use.", b.versions_supported([1, 2]), b.version_used(2))
    yield with_block(
        "versions-above-2gib",
        "Version numbers with the highest bit set.",
        b.versions_supported([1, 0xFFFFFFFF]),
        b.version_used(0x80000000),
    )
    yield with_block(
        "tag-return-request-duplicate",
        "A tag return request that names a tag twice.",
        b.tag_return_request([b.TRANSACTION_ID, b.R2, b.TRANSACTION_ID]),
    )
    yield with_block(
        "tag-return-request-ckc-tag",
        "A tag return request that names a tag which the CKC itself writes.",
        b.tag_return_request([b.TRANSACTION_ID, b.ENCRYPTED_CK]),
    )
    yield with_block(
        "tag-return-request-itself",
        "A tag return request that names itself.",
        b.tag_return_request([b.TAG_RETURN_REQUEST]),
    )

    yield with_block(
        "streaming-indicator-airplay", "AirPlay to an Apple TV or a television.", b.streaming_indicator(b.AIRPLAY)
    )
    yield with_block(
        "streaming-indicator-adapter", "A digital AV adapter.", b.streaming_indicator(b.DIGITAL_AV_ADAPTER)
    )
    yield with_block(
        "streaming-indicator-zero", "Any other value, here zero: the device itself plays.", b.streaming_indicator(0)
    )
    yield with_block(
        "playback-state-unknown",
        "A playback state that no table lists.",
        b.playback_state(profiles.CREATED, 0x12345678, draw("session", 8)),
    )
    yield with_block(
        "creation-date-after-2038",
        "A creation date that does not fit a signed 32-bit number.",
        b.playback_state(0xFFFFFFFF, b.READY, draw("session", 8)),
    )
    yield with_block("capabilities-none", "No capability.", b.capabilities())
    yield with_block("capabilities-all-defined", "Every capability of Table 3-2.", b.capabilities(0, 1, 2, 3, 4, 5))
    yield with_block(
        "capabilities-edge-bits",
        "The bits at the ends of both halves, most of them undefined.",
        b.capabilities(0, 63, 64, 127),
    )

    spc = base("device-class-undefined")
    yield with_block(
        "device-class-undefined", "A device class that the guide does not list.", profiles.identity(spc, 5, (1, 2, 3))
    )
    yield with_block(
        "device-class-above-255",
        "A device class beyond the largest defined one.",
        profiles.identity(spc, 0x80000001, (255, 255, 255)),
    )
    yield with_block(
        "device-identity-version-9",
        "The guide lists no versions of the Device Identity, so any is read.",
        profiles.identity(spc, b.CLASS_MOBILE, (18, 0, 0), version=9),
    )
    yield with_block(
        "device-info-unknown-version",
        "Version 2 of the Device Info is treated as absent.",
        b.ignored(b.device_info(b.TYPE_MAC, (14, 0, 0), version=2)),
    )
    yield with_block(
        "device-info-unknown-type",
        "A device type that Table 3-5 does not list.",
        b.device_info(0x0102030405060708, (18, 0, 0)),
    )
    yield with_block(
        "security-level-report-20-bytes",
        "A Security Level Report with the KDL version, as of late 2024.",
        b.security_level_report(b.LEVEL_MAIN, 31),
    )
    yield with_block(
        "security-level-report-16-bytes",
        "A Security Level Report from before the KDL version was added.",
        b.security_level_report(b.LEVEL_BASELINE, None),
    )
    yield with_block(
        "security-level-report-unknown-version",
        "Version 2 of the Security Level Report is treated as absent.",
        b.ignored(b.security_level_report(b.LEVEL_MAIN, 31, version=2)),
    )
    yield with_block(
        "security-level-unknown",
        "A security level that Table 3-8 does not list.",
        b.security_level_report(0x0102030405060708, 31),
    )
    yield with_block(
        "kext-deny-list",
        "A Kext deny list version beside a different one in the Security Level Report.",
        b.kext_deny_list(32),
        b.security_level_report(b.LEVEL_MAIN, 30),
    )
    yield with_block("vm-info-version-1", "A virtual machine.", b.vm_info((3, (15, 5, 0), 2), (3, (14, 6, 1), 1)))
    yield with_block("vm-info-version-0", "VM information of version 0: not a virtual machine.", b.vm_info_version_0())

    content, title, challenge = draw("content ID", 16), draw("title ID", 16), draw("challenge", 8)
    streams = [draw("stream 1", 16), draw("stream 2", 16)]
    yield with_block("sync-v1", "Sync version 1 with time left.", b.sync_v1(content, 2_591_000))
    yield with_block("sync-v1-expired", "Sync version 1 of an expired license: 0 seconds.", b.sync_v1(content, 0))
    yield with_block(
        "sync-v1-unlimited", "Sync version 1 of a license without expiry: 0xffffffff.", b.sync_v1(content, 0xFFFFFFFF)
    )
    yield with_block(
        "sync-v2-report",
        "Sync version 2, a successful report without invalidated streams.",
        b.sync_v2(challenge, [0, 16], title, 86_400, []),
    )
    yield with_block(
        "sync-v2-two-streams",
        "Sync version 2 after an invalidation of two streams.",
        b.sync_v2(challenge, [1, 16], title, 0, streams),
    )
    yield with_block(
        "sync-v2-not-found",
        "Sync version 2: key not found, expired, everything asked for, undefined bit 63.",
        b.sync_v2(challenge, [2, 17, 18, 63], title, 0, []),
    )
    yield with_block("sync-version-0", "Sync version 0, 28 bytes: an ordinary SPC.", b.sync_version_0())
    yield with_block(
        "sync-version-3",
        "Sync version 3 is invalid, so the block is treated as absent.",
        b.ignored(b.sync_v2(challenge, [0], title, 0, [], version=3)),
    )

    for name, fill in {"zero": 0x00, "ff": 0xFF}.items():
        spc = base(f"padding-all-{name}").alter(b.R2, fill=fill).alter(b.VERSION_USED, fill=fill)
        yield success(f"padding-all-{name}", f"Two blocks padded with 0x{fill:02x} only: reported, not refused.", spc)
    spc = (
        base("padding-extended")
        .alter(b.R2, extension=20)
        .alter(b.SK_R1, extension=1)
        .alter(b.TAG_RETURN_REQUEST, extension=3)
    )
    yield success("padding-extended", "Padding extended by 16, 48 and 320 bytes.", spc)


def missing_blocks() -> Iterator[Vector]:
    for name, tag in MANDATORY.items():
        spc = base(f"missing-{name}").remove(tag)
        yield failure(f"missing-{name}", f"missing-{name}", "One mandatory block is missing.", spc.payload())
    yield failure("empty", "missing-sk-r1", "No block at all: the first one of Table 2-4 is named.", b"")
    spc = base("tag-off-by-one-bit")
    spc.remove(b.R2).add(b.reserved(b.R2 ^ 1, spc.r2))
    yield failure("tag-off-by-one-bit", "missing-r2", "One bit of R2's tag is wrong, so there is no R2.", spc.payload())


def wrong_lengths() -> Iterator[Vector]:
    for name, tag, sizes in (
        ("sk-r1", b.SK_R1, (0, 96, 111, 113, 128)),
        ("sk-r1-integrity", b.INTEGRITY, (15, 17)),
        ("ar-seed", b.AR_SEED, (0, 15, 17)),
        ("r2", b.R2, (20, 22)),
        ("tag-return-request", b.TAG_RETURN_REQUEST, (7, 12)),
        ("asset-id", b.ASSET_ID, (0, 1, 201)),
        ("transaction-id", b.TRANSACTION_ID, (7, 16)),
        ("versions-supported", b.VERSIONS_SUPPORTED, (0, 3, 6)),
        ("version-used", b.VERSION_USED, (0, 3, 8)),
        ("streaming-indicator", b.STREAMING_INDICATOR, (7, 16)),
        ("playback-state", b.PLAYBACK_STATE, (15, 17)),
        ("capabilities", b.CAPABILITIES, (8, 15, 17)),
        ("kext-deny-list", b.KEXT_DENY_LIST, (0, 3)),
    ):
        for size in sizes:
            vector = f"{name}-{size}-bytes"
            spc = base(vector)
            spc.put(Block(tag, spc.random.bytes("wrong size", size)))
            yield failure(
                vector, "invalid-value-length", f"A value of {size} byte{'' if size == 1 else 's'}.", spc.payload()
            )

    # Blocks with a version of their own, cut so that the version can still be read, or not.
    spc = base("versioned")
    draw = spc.random.bytes
    sync_v2 = b.sync_v2(draw("challenge", 8), [0], draw("title", 16), 0, [draw("stream", 16)])
    for name, block, sizes in (
        ("device-identity", profiles.identity(spc, 2, (18, 0, 0)), (3, 35)),
        ("device-info", b.device_info(b.TYPE_MOBILE, (18, 0, 0)), (12, 15)),
        ("security-level-report", b.security_level_report(b.LEVEL_MAIN, 31), (3, 15)),
        ("vm-info", b.vm_info((3, (15, 0, 0), 1), (3, (15, 0, 0), 1)), (3, 27)),
    ):
        for size in sizes:
            vector = f"{name}-{size}-bytes"
            yield failure(
                vector,
                "invalid-value-length",
                f"Only the first {size} bytes of the value.",
                base(vector).put(Block(block.tag, block.value[:size])).payload(),
            )
    # A Sync block that is not valid does not make the SPC a Sync SPC, and is no reason to refuse it.
    for name, block, sizes in (
        ("sync-v1", b.sync_v1(draw("content", 16), 5), (3, 27)),
        ("sync-v2", sync_v2, (28, 47, 63)),
    ):
        for size in sizes:
            vector = f"{name}-{size}-bytes"
            cut = b.ignored(Block(block.tag, block.value[:size]))
            yield success(
                vector,
                f"Only the first {size} bytes of a Sync block, which is treated as absent.",
                base(vector).put(cut),
            )
    for name, records, words in (
        ("fewer", 0, "0 records and one stream ID"),
        ("more", 2, "2 records and one stream ID"),
        ("4-billion", 0xFFFFFFFF, "0xffffffff records and one stream ID"),
        ("overflowing", 0x10000001, "a record count whose 32-bit byte count wraps to that of one ID"),
    ):
        block = b.sync_v2(draw("challenge", 8), [0], draw("title", 16), 0, [draw("stream", 16)], records=records)
        yield success(
            f"sync-v2-records-{name}",
            f"Sync version 2 with {words}, which is treated as absent.",
            base(f"sync-v2-records-{name}").put(b.ignored(block)),
        )


def framing() -> Iterator[Vector]:
    spc = base("duplicate-tag")
    yield failure(
        "duplicate-tag",
        "duplicate-tag",
        "Two asset IDs.",
        spc.add(b.plain(b.ASSET_ID, "asset-id", b"skd://other")).payload(),
    )
    spc = base("duplicate-reserved-tag")
    block = b.reserved(0x0123456789ABCDEF, b"reserved")
    yield failure(
        "duplicate-reserved-tag", "duplicate-tag", "The same reserved block twice.", spc.add(block, block).payload()
    )
    payload = base("truncated").payload()
    yield failure("truncated", "truncated", "The last byte is missing.", payload[:-1])
    yield failure(
        "trailing-byte", "truncated", "One byte after the last block: too short for a header.", payload + b"\x55"
    )
    at = payload.index(b.u64(b.R2))
    yield failure(
        "value-longer-than-block",
        "value-longer-than-block",
        "R2's value is longer than its block.",
        payload[: at + 12] + b.u32(int.from_bytes(payload[at + 8 : at + 12], "big") + 1) + payload[at + 16 :],
    )
    yield failure(
        "block-length-4gib",
        "truncated",
        "R2's block length is 0xfffffff0.",
        payload[: at + 8] + b.u32(0xFFFFFFF0) + payload[at + 12 :],
    )
