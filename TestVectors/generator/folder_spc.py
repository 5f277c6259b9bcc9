"""spc/: whole SPCs of both versions (Table 2-3), those that must be opened."""

from collections.abc import Iterator
from itertools import count

from . import blocks as b
from . import profiles
from .fps import Block
from .messages import SPC
from .seeded import Seeded
from .vectorfile import Vector

Answerable = dict[str, SPC]  # the SPCs that ckc/ answers, by file name


def base(name: str, **options) -> SPC:
    """An SPC whose version the first two letters of its name give."""
    return SPC(f"spc/{name}", version=2 if name.startswith("v2") else 1, **options)


def success(name: str, description: str, spc: SPC, body: bytes | None = None) -> Vector:
    return Vector("spc", name, description, spc.encode() if body is None else body, spc.inputs(), spc.facts())


def vectors(answerable: Answerable) -> Iterator[Vector]:
    def keep(name: str, description: str, spc: SPC) -> Vector:
        answerable[name] = spc
        return success(name, description, spc)

    yield from devices(keep)
    yield from states_and_syncs(keep)
    yield from returned_tags(keep)
    yield from forms()
    yield from versions()


def devices(keep) -> Iterator[Vector]:
    modern = {"supported": (1, 2)}
    yield keep("v1-minimal", "Version 1 with the mandatory blocks only.", base("v1-minimal"))
    yield keep("v2-minimal", "Version 2 with the mandatory blocks only.", base("v2-minimal"))
    yield keep("v1-iphone", "A current iPhone with a version 1 SPC.", profiles.iphone(base("v1-iphone", **modern)))
    yield keep("v2-iphone", "A current iPhone.", profiles.iphone(base("v2-iphone", **modern)))
    yield keep(
        "v2-iphone-without-offline-key-v2",
        "An iPhone that knows only version 1 of the Offline Key.",
        profiles.iphone(base("v2-iphone-without-offline-key-v2"), bits=(0, 1)),
    )
    yield success("v2-ipad", "A current iPad.", profiles.ipad(base("v2-ipad", **modern)))
    yield success(
        "v2-apple-tv",
        "An Apple TV that plays by itself.",
        profiles.apple_tv(base("v2-apple-tv", **modern), profiles.LOCAL_PLAYBACK),
    )
    yield success(
        "v2-apple-tv-airplay",
        "An Apple TV that receives AirPlay.",
        profiles.apple_tv(base("v2-apple-tv-airplay", **modern), b.AIRPLAY),
    )
    yield success(
        "v2-digital-av-adapter",
        "An iPhone with a digital AV adapter: HU is the adapter's.",
        profiles.iphone(base("v2-digital-av-adapter", **modern), indicator=b.DIGITAL_AV_ADAPTER),
    )
    yield success("v2-mac-kdl-31", "A Mac with Kext deny list 31.", profiles.mac(base("v2-mac-kdl-31", **modern), 31))
    yield success(
        "v2-mac-kdl-30",
        "A Mac with Kext deny list 30, older than the latest.",
        profiles.mac(base("v2-mac-kdl-30", **modern), 30),
    )
    yield success(
        "v2-mac-kdl-conflict",
        "A Mac whose Kext deny list block (30) and security report (31) differ.",
        profiles.mac(base("v2-mac-kdl-conflict", **modern), 30, report_kdl=31),
    )
    yield keep(
        "v1-apple-watch",
        "An Apple Watch that identifies itself by Device Info only.",
        profiles.watch(base("v1-apple-watch")),
    )
    yield success(
        "v2-vision-pro", "A Vision Pro: device class 4.", profiles.vision_pro(base("v2-vision-pro", **modern))
    )
    yield success(
        "v2-partner-tv",
        "A partner's television: no OS version, Baseline.",
        profiles.partner_tv(base("v2-partner-tv", **modern)),
    )
    yield success(
        "v2-virtual-machine",
        "A Mac inside a virtual machine.",
        profiles.virtual_machine(base("v2-virtual-machine", **modern)),
    )
    yield success(
        "v2-vm-info-version-0",
        "A Mac whose VM information says that it is not a virtual machine.",
        profiles.mac_outside_virtual_machine(base("v2-vm-info-version-0", **modern)),
    )
    yield success(
        "v2-device-identity-version-9",
        "Device Identity of version 9, which is read like any other, beside Device Info.",
        identity_of_another_version(base("v2-device-identity-version-9")),
    )


def identity_of_another_version(spc: SPC) -> SPC:
    identity = profiles.identity(spc, b.CLASS_MOBILE, (27, 0, 0), version=9)
    return spc.add(identity, b.device_info(b.TYPE_MOBILE, (18, 0, 0))).shuffle()


def states_and_syncs(keep) -> Iterator[Vector]:
    for name, state, meaning in (
        ("ready", b.READY, "state 1: ready to start"),
        ("playing", b.PLAYING, "state 2: playing or paused"),
        ("lease-about-to-expire", b.LEASE_ABOUT_TO_EXPIRE, "state 3: the lease is about to expire"),
        ("halted", b.HALTED, "playback has halted: no key"),
    ):
        spc = base(f"v1-playback-{name}")
        yield success(f"v1-playback-{name}", f"Playback {meaning}.", spc.add(profiles.playback(spc, state)))
        if state != b.READY:
            spc = profiles.iphone(base(f"v2-iphone-{name}"))
            yield keep(f"v2-iphone-{name}", f"An iPhone, {meaning}.", spc.put(profiles.playback(spc, state)))
    spc = profiles.iphone(base("v2-iphone-unknown-state"))
    yield keep(
        "v2-iphone-unknown-state",
        "An iPhone with a playback state that no table lists.",
        spc.put(profiles.playback(spc, 0x12345678)),
    )
    spc = profiles.iphone(base("v2-iphone-without-security-report"), bits=(0, 1, 2, 3, 4))
    yield keep(
        "v2-iphone-without-security-report",
        "An iPhone without a Security Level Report, whose capability bits say Baseline.",
        spc.remove(b.SECURITY_LEVEL_REPORT),
    )
    spc = profiles.iphone(base("v2-iphone-without-security-level"), bits=(0, 1, 2, 3))
    yield keep(
        "v2-iphone-without-security-level",
        "An iPhone without a Security Level Report and without capability bits for a level.",
        spc.remove(b.SECURITY_LEVEL_REPORT),
    )
    spc = profiles.iphone(base("v2-iphone-baseline-report"), level=b.LEVEL_BASELINE)
    yield keep(
        "v2-iphone-baseline-report",
        "An iPhone whose Security Level Report says Baseline, beside the capability bit of Main.",
        spc,
    )
    spc = base("v1-no-transaction-id").remove(b.TRANSACTION_ID)
    yield success("v1-no-transaction-id", "No transaction ID, which the server does not need.", spc)
    spc = base("v1-sync-27-bytes")
    sync = b.sync_v1(spc.random.bytes("content ID", 16), 5)
    yield success(
        "v1-sync-27-bytes",
        "Sync of version 1 with 27 bytes is not valid: an ordinary SPC.",
        spc.add(b.ignored(Block(sync.tag, sync.value[:27]))),
    )
    spc = profiles.iphone(base("v2-sync-v1"))
    yield keep(
        "v2-sync-v1", "A Sync SPC of version 1.", spc.put(b.sync_v1(spc.random.bytes("content ID", 16), 2_591_000))
    )
    spc = profiles.iphone(base("v2-sync-v2-report"))
    draw = spc.random.bytes
    yield success(
        "v2-sync-v2-report",
        "A Sync SPC of version 2: a report.",
        spc.put(b.sync_v2(draw("challenge", 8), [0, 16], draw("title", 16), 0xFFFFFFFF, [])),
    )
    spc = profiles.iphone(base("v2-sync-v2-invalidation"))
    draw = spc.random.bytes
    yield success(
        "v2-sync-v2-invalidation",
        "A Sync SPC of version 2: two streams were invalidated.",
        spc.put(
            b.sync_v2(draw("challenge", 8), [1, 16], draw("title", 16), 0, [draw("stream 1", 16), draw("stream 2", 16)])
        ),
    )
    yield success(
        "v1-sync-version-0",
        "Sync of version 0, 28 bytes: an ordinary SPC.",
        base("v1-sync-version-0").add(b.sync_version_0()).shuffle(),
    )


def returned_tags(keep) -> Iterator[Vector]:
    spc = base("v1-reserved-blocks")
    yield success(
        "v1-reserved-blocks",
        "Three reserved blocks, none asked back.",
        spc.add(*profiles.reserved_blocks(spc, 3)).shuffle(),
    )
    spc = base("v2-tag-return-several")
    extra = profiles.reserved_blocks(spc, 2)
    spc.add(*extra).put(b.tag_return_request([extra[1].tag, b.TRANSACTION_ID, b.SK_R1, extra[0].tag, b.ASSET_ID]))
    yield keep("v2-tag-return-several", "Five tags to return, two of them reserved.", spc.shuffle())
    yield keep(
        "v1-tag-return-absent",
        "A tag to return that the SPC does not have, between two that it has.",
        base("v1-tag-return-absent", returned=(b.TRANSACTION_ID, 0x0123456789ABCDEF, b.VERSION_USED)).shuffle(),
    )
    yield success(
        "v1-tag-return-twice",
        "A tag to return that is named twice.",
        base("v1-tag-return-twice", returned=(b.TRANSACTION_ID, b.TRANSACTION_ID)),
    )
    yield success(
        "v1-tag-return-empty",
        "A tag return request with no tag, in an empty block.",
        base("v1-tag-return-empty").alter(b.TAG_RETURN_REQUEST, extension=0),
    )


def forms() -> Iterator[Vector]:
    for version in (1, 2):
        name = f"v{version}-fixed-dask"
        yield success(
            name, "The DASk is a given value.", base(name, fixed_dask=Seeded(name).bytes("DASk", 16)).shuffle()
        )
    name = "v1-sk-r1-last"
    spc = base(name)
    yield success(name, "The blocks in reverse order: [SK...R1] is the last.", reverse(spc))
    spc = base("v1-padding-all-zero").alter(b.R2, fill=0).alter(b.TRANSACTION_ID, fill=0)
    yield success("v1-padding-all-zero", "Two blocks padded with zeros: reported, not refused.", spc)
    spc = base("v1-padding-extended").alter(b.R2, extension=64).alter(b.SK_R1, extension=2)
    yield success("v1-padding-extended", "Padding extended by 1024 bytes, and after [SK...R1] by 32.", spc)
    for size in (2, 200):
        name = f"v1-asset-id-{size}-bytes"
        yield success(name, f"An asset ID of {size} bytes.", base(name, asset_id=Seeded(name).bytes("asset ID", size)))
    spc = base("v1-asset-id-utf-8", asset_id="skd://映画/ü".encode())
    yield success("v1-asset-id-utf-8", "An asset ID in UTF-8 outside ASCII.", spc)
    spc = base("v1-reserved-header-bytes")
    yield success(
        "v1-reserved-header-bytes",
        "The reserved bytes of the header are not zero.",
        spc,
        spc.encode(reserved=b"\xde\xad\xbe\xef"),
    )
    name = "v1-sk-r1-iv-altered"
    spc = base(name)
    spc.put(b.plain(b.SK_R1, "sk-r1", flipped(spc.find(b.SK_R1).value, 0)))
    spc.sk = flipped(spc.sk, 0)
    yield success(
        name, "One bit of [SK...R1]'s IV is wrong: no integrity byte covers it, so SK differs and all else fits.", spc
    )
    spc = base("v1-rsa-block-leading-zero")
    seeds = (spc.random.bytes(f"OAEP seed {attempt}", 20) for attempt in count())
    block = next(block for seed in seeds if (block := spc.key.encrypt(spc.spck, seed))[0] == 0)
    yield success(
        "v1-rsa-block-leading-zero", "The RSA block begins with a zero byte.", spc, spc.encode(spck_block=block)
    )


def reverse(spc: SPC) -> SPC:
    spc.blocks.reverse()
    return spc


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def negotiated(name: str, server: list[int], supported: tuple[int, ...], used: int) -> SPC:
    spc = base(name, supported=supported, used=used)
    spc.server_versions = server
    return spc


def versions() -> Iterator[Vector]:
    for name, server, supported, used, description in (
        ("v1-versions-2-of-1-2", [1, 2], (1, 2), 2, "Server and device have 1 and 2; the device uses 2."),
        ("v1-versions-device-older", [1, 2], (1,), 1, "The server has 1 and 2, the device only 1."),
        ("v1-versions-server-2", [2], (1, 2), 2, "The server has only 2, the device uses it."),
        (
            "v1-versions-server-outdated",
            [1],
            (1, 2),
            1,
            "The server has only 1; the device has 2 as well, as current ones do.",
        ),
        ("v1-versions-not-in-order", [1, 2], (2, 1), 2, "The supported versions do not come in order."),
    ):
        yield success(name, description, negotiated(name, server, supported, used))
