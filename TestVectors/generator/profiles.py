"""The optional blocks of different kinds of devices, as far as the guide and the errata describe them."""

from . import blocks as b
from .fps import Block
from .messages import SPC

CREATED = 1_767_225_600  # 2026-01-01T00:00:00Z: what the clock of a test should show
MODERN = (0, 1, 2, 3, 4, 5)  # every capability of Table 3-2
LOCAL_PLAYBACK = 0x1122334455667788  # any value that Table 2-5 does not name


def reserved_blocks(spc: SPC, count: int) -> list[Block]:
    """Blocks that the guide does not describe: random tags, random lengths."""
    draw = spc.random
    return [
        b.reserved(
            int.from_bytes(draw.bytes(f"reserved tag {number}", 8), "big"),
            draw.bytes(f"reserved value {number}", 1 + draw.below(f"reserved length {number}", 40)),
        )
        for number in range(count)
    ]


def playback(spc: SPC, state: int = b.READY) -> Block:
    return b.playback_state(CREATED, state, spc.random.bytes("session ID", 8))


def identity(spc: SPC, device_class: int, system: b.OSVersion, **changes) -> Block:
    draw = spc.random.bytes
    return b.device_identity(
        device_class, draw("vendor hash", 8), draw("product hash", 8), 0x0004000B, 0x00030002, system, **changes
    )


def common(spc: SPC, indicator: int = LOCAL_PLAYBACK, bits=MODERN) -> list[Block]:
    """What current Apple devices send besides the mandatory blocks and those that identify them."""
    return [
        b.streaming_indicator(indicator),
        playback(spc),
        b.capabilities(*bits),
        b.sync_version_0(),
        *reserved_blocks(spc, 2),
    ]


def apple(
    spc: SPC,
    device_class: int,
    device_type: int,
    system: b.OSVersion,
    level: int = b.LEVEL_MAIN,
    kdl: int = 0,
    **options,
) -> SPC:
    """A current Apple device. It asks for its transaction ID and a reserved block to be returned."""
    others = common(spc, **options)
    spc.add(
        *others,
        identity(spc, device_class, system),
        b.device_info(device_type, system),
        b.security_level_report(level, kdl),
    )
    return spc.put(b.tag_return_request([others[-1].tag, b.TRANSACTION_ID]))


def iphone(spc: SPC, **options) -> SPC:
    return apple(spc, b.CLASS_MOBILE, b.TYPE_MOBILE, (26, 1, 0), **options).shuffle()


def ipad(spc: SPC) -> SPC:
    return apple(spc, b.CLASS_MOBILE, b.TYPE_MOBILE, (18, 6, 2)).shuffle()


def apple_tv(spc: SPC, indicator: int) -> SPC:
    return apple(spc, b.CLASS_LIVING_ROOM, b.TYPE_TV, (18, 5, 0), indicator=indicator).shuffle()


def mac(spc: SPC, kdl: int, report_kdl: int | None = None) -> SPC:
    spc = apple(spc, b.CLASS_DESKTOP, b.TYPE_MAC, (15, 7, 1), kdl=kdl if report_kdl is None else report_kdl)
    return spc.add(b.kext_deny_list(kdl)).shuffle()


def watch(spc: SPC) -> SPC:
    return spc.add(playback(spc), b.capabilities(1), b.device_info(b.TYPE_WATCH, (11, 4, 0))).shuffle()


def vision_pro(spc: SPC) -> SPC:
    """No class of Device Info fits it, so there is only the Device Identity."""
    spc.add(*common(spc), identity(spc, b.CLASS_SPATIAL, (2, 6, 0)), b.security_level_report(b.LEVEL_MAIN, 0))
    return spc.shuffle()


def partner_tv(spc: SPC) -> SPC:
    """A partner device reports no OS version (errata)."""
    spc.add(
        *common(spc, indicator=b.AIRPLAY, bits=(0, 4)),
        identity(spc, b.CLASS_PARTNER_LIVING_ROOM, (0, 0, 0)),
        b.security_level_report(b.LEVEL_BASELINE, None),
    )
    return spc.shuffle()


def virtual_machine(spc: SPC) -> SPC:
    spc = apple(spc, b.CLASS_DESKTOP, b.TYPE_MAC, (26, 0, 1), level=b.LEVEL_BASELINE, kdl=31)
    return spc.add(b.vm_info((b.CLASS_DESKTOP, (26, 1, 0), 2), (b.CLASS_DESKTOP, (26, 0, 1), 1))).shuffle()


def mac_outside_virtual_machine(spc: SPC) -> SPC:
    return mac(spc, 31).add(b.vm_info_version_0()).shuffle()
