"""The values of the single TLLVs, each builder under the byte table it follows (offsets within the value)."""

from .fps import Block
from .vectorfile import Facts, words

# Tags of the SPC payload (Table 2-4, with the errata)
SK_R1 = 0x3D1A10B8BFFAC2EC
INTEGRITY = 0xB349D4809E910687
AR_SEED = 0x89C90F12204106B2
R2 = 0x71B5595AC1521133
TAG_RETURN_REQUEST = 0x19F9D4E5AB7609CB
ASSET_ID = 0x1BF7F53F5D5D5A1F
TRANSACTION_ID = 0x47AA7AD3440577DE
VERSIONS_SUPPORTED = 0x67B8FB79ECCE1A13
VERSION_USED = 0x5D81BCBCC7F61703
STREAMING_INDICATOR = 0xABB0256A31843974
PLAYBACK_STATE = 0xEB8EFDF2B25AB3A0
CAPABILITIES = 0x9C02AF3253C07FB2
DEVICE_IDENTITY = 0x94C17CD676C69B59
DEVICE_INFO = 0xD43FC6ABC596AAE7
SYNC = 0x77966DE1DC1083AD
KEXT_DENY_LIST = 0x70ECA6573388E329
SECURITY_LEVEL_REPORT = 0xB18EE16EA50F6C02
VM_INFO = 0x756440E240499F70

# Tags of the CKC payload (Table 2-11)
ENCRYPTED_CK = 0x58B38165AF0E3D5A
R1 = 0xEA74C4645D5EFEE9
DURATION = 0x47ACF6A418CD091A
REQUIRED_SECURITY_LEVEL = 0x644CB1DAC0313250
OFFLINE_KEY = 0x6375D9727060218C
HDCP = 0x2E52F1530D8DDB4A

# The order in which facts are written
TABLE_ORDER = [
    SK_R1,
    INTEGRITY,
    AR_SEED,
    R2,
    TAG_RETURN_REQUEST,
    ASSET_ID,
    TRANSACTION_ID,
    VERSIONS_SUPPORTED,
    VERSION_USED,
    STREAMING_INDICATOR,
    PLAYBACK_STATE,
    CAPABILITIES,
    DEVICE_IDENTITY,
    DEVICE_INFO,
    SYNC,
    KEXT_DENY_LIST,
    SECURITY_LEVEL_REPORT,
    VM_INFO,
    ENCRYPTED_CK,
    R1,
    DURATION,
    REQUIRED_SECURITY_LEVEL,
    OFFLINE_KEY,
    HDCP,
]

# Streaming indicator values (Table 2-5)
AIRPLAY = 0xABB0256A31843974
DIGITAL_AV_ADAPTER = 0x5F9C8132B59F2FDE

# Playback states (Table 4-2; the last from the errata)
READY, PLAYING, LEASE_ABOUT_TO_EXPIRE, HALTED = 0xF4DEE5A2, 0xA5D6739E, 0x4F834330, 0x5991BF20

# Device classes (after Table 3-3) and types (Table 3-5)
CLASS_LIVING_ROOM, CLASS_MOBILE, CLASS_DESKTOP, CLASS_SPATIAL, CLASS_PARTNER_LIVING_ROOM = 1, 2, 3, 4, 128
TYPE_MAC, TYPE_TV = 0x358C41B1EC78F599, 0xC1500767C86C1FAE
TYPE_MOBILE, TYPE_WATCH = 0x8551FD5E31F479B3, 0x5DA86AC0C57155DC

# Security levels (Tables 3-8 and 3-10), HDCP levels (Table 3-13), key types (Tables 4-4 and 5-1)
LEVEL_AUDIO, LEVEL_BASELINE, LEVEL_MAIN = 0x17D99D574EED567D, 0x32F0004966A5C4F8, 0x4E7FD92421D588B4
HDCP_NONE, HDCP_TYPE_0, HDCP_TYPE_1 = 0xEF72894CA7895B78, 0x40791AC78BD5C571, 0x285A0863BBA8E1D3
LEASE, RENTAL, LEASE_AND_RENTAL = 0x1A4BDE7E, 0x3DFE45A0, 0x27B59BDE
PERSIST_UNLIMITED, PERSIST_LIMITED = 0x3DF2D9FB, 0x18F06048

OSVersion = tuple[int, int, int]


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def os_version(version: OSVersion) -> bytes:
    """00 ‖ major ‖ minor ‖ patch."""
    return bytes((0, *version))


def dotted(version: OSVersion) -> str:
    return ".".join(map(str, version))


def tag_list(tags) -> str:
    return words(f"{tag:016x}" for tag in tags)


# Mandatory blocks of the SPC (Table 2-4)
#   AR seed 16, R2 21, integrity 16, transaction ID 8, version used 4 bytes
#   tag return request: 8-byte tags, none or more; versions supported: 4-byte numbers; asset ID: 2 to 200 bytes


def plain(tag: int, fact: str, value: bytes) -> Block:
    return Block(tag, value, {fact: value.hex()})


def tag_return_request(tags: list[int]) -> Block:
    return Block(TAG_RETURN_REQUEST, b"".join(map(u64, tags)), {"tag-return-request": tag_list(tags)})


def versions_supported(versions: list[int]) -> Block:
    return Block(VERSIONS_SUPPORTED, b"".join(map(u32, versions)), {"versions-supported": words(map(str, versions))})


def version_used(version: int) -> Block:
    return Block(VERSION_USED, u32(version), {"version-used": str(version)})


def reserved(tag: int, value: bytes) -> Block:
    return Block(tag, value, kind="reserved")


def ignored(block: Block) -> Block:
    """The same block as a reader sees it that does not know its version."""
    return Block(block.tag, block.value, kind="ignored")


# Streaming indicator (Table 2-4)
#    0   8  indicator


def streaming_indicator(value: int) -> Block:
    return plain(STREAMING_INDICATOR, "streaming-indicator", u64(value))


# Media playback state (Table 4-1)
#    0   4  creation date, seconds since 1970
#    4   4  playback state
#    8   8  session ID


def playback_state(created: int, state: int, session: bytes) -> Block:
    facts = {"creation-date": str(created), "playback-state": f"{state:08x}", "session-id": session.hex()}
    return Block(PLAYBACK_STATE, u32(created) + u32(state) + session, facts)


# Capabilities (Table 3-1)
#    0   8  bits 64-127
#    8   8  bits 0-63


def capabilities(*bits: int) -> Block:
    number = sum(1 << bit for bit in bits)
    value = u64(number >> 64) + u64(number & 0xFFFF_FFFF_FFFF_FFFF)
    return Block(CAPABILITIES, value, {"capabilities": value.hex(), "capability-bits": words(map(str, sorted(bits)))})


# Device Identity (Table 3-3)
#    0   4  version               24   4  FairPlay version REE
#    4   4  device class          28   4  FairPlay version TEE
#    8   8  vendor hash           32   4  OS version
#   16   8  product hash


def device_identity(
    device_class: int, vendor: bytes, product: bytes, ree: int, tee: int, system: OSVersion, version: int = 1
) -> Block:
    value = u32(version) + u32(device_class) + vendor + product + u32(ree) + u32(tee) + os_version(system)
    return Block(
        DEVICE_IDENTITY,
        value,
        {
            "device-identity-version": str(version),
            "device-class": str(device_class),
            "vendor-hash": vendor.hex(),
            "product-hash": product.hex(),
            "fairplay-version-ree": f"{ree:08x}",
            "fairplay-version-tee": f"{tee:08x}",
            "os-version": dotted(system),
        },
    )


# Device Info (Table 3-4)
#    0   8  Apple device type
#    8   4  OS version
#   12   4  version, 1


def device_info(device_type: int, system: OSVersion, version: int = 1) -> Block:
    return Block(
        DEVICE_INFO,
        u64(device_type) + os_version(system) + u32(version),
        {
            "device-info-type": f"{device_type:016x}",
            "device-info-os-version": dotted(system),
            "device-info-version": str(version),
        },
    )


# Kext Deny List (Table 3-6)
#    0   4  KDL version


def kext_deny_list(version: int) -> Block:
    return Block(KEXT_DENY_LIST, u32(version), {"kext-deny-list-version": str(version)})


# Security Level Report (Table 3-7)
#    0   4  version, 1            16   4  KDL version; absent before the revision of 2024-10-08, at the same
#    4   4  reserved                      TLLV version
#    8   8  security level


def security_level_report(level: int, kdl: int | None, version: int = 1) -> Block:
    value = u32(version) + bytes(4) + u64(level) + (b"" if kdl is None else u32(kdl))
    facts = {"security-level-report-version": str(version), "security-level": f"{level:016x}"}
    return Block(
        SECURITY_LEVEL_REPORT, value, facts | ({} if kdl is None else {"security-level-kdl-version": str(kdl)})
    )


# VM Device Information (Table 3-14)
#    0   4  version: 1; 0 means not in a virtual machine
#    4   4  host device class     16   4  guest device class
#    8   4  host OS version       20   4  guest OS version
#   12   4  host protocol         24   4  guest protocol


def vm_info(host: tuple[int, OSVersion, int], guest: tuple[int, OSVersion, int]) -> Block:
    value, facts = u32(1), {"vm-info-version": "1", "virtual-machine": "yes"}
    for side, (device_class, system, protocol) in {"host": host, "guest": guest}.items():
        value += u32(device_class) + os_version(system) + u32(protocol)
        facts |= {
            f"vm-{side}-device-class": str(device_class),
            f"vm-{side}-os-version": dotted(system),
            f"vm-{side}-protocol-version": str(protocol),
        }
    return Block(VM_INFO, value, facts)


def vm_info_version_0() -> Block:
    return Block(VM_INFO, bytes(28), {"vm-info-version": "0", "virtual-machine": "no"})


# Sync version 1 (Table 6-2)         Sync version 2 (Table 6-3)
#    0   4  version                     0   4  version                40   4  duration to expiry, seconds
#    4   4  reserved                    4   4  reserved               44   4  records invalidated, n
#    8  16  content ID                  8   8  server challenge       48 16n  invalidated stream IDs
#   24   4  duration to expiry         16   8  flags
#                                      24  16  title ID


def sync_v1(content_id: bytes, expiry: int) -> Block:
    facts = {
        "sync-version": "1",
        "sync-spc": "yes",
        "sync-content-id": content_id.hex(),
        "sync-duration-to-expiry": str(expiry),
    }
    return Block(SYNC, u32(1) + bytes(4) + content_id + u32(expiry), facts)


def sync_v2(
    challenge: bytes,
    flags: list[int],
    title_id: bytes,
    expiry: int,
    stream_ids: list[bytes],
    records: int | None = None,
    version: int = 2,
) -> Block:
    number = sum(1 << bit for bit in flags)
    count = len(stream_ids) if records is None else records
    value = u32(version) + bytes(4) + challenge + u64(number) + title_id + u32(expiry) + u32(count)
    return Block(
        SYNC,
        value + b"".join(stream_ids),
        {
            "sync-version": str(version),
            "sync-spc": "yes",
            "sync-challenge": challenge.hex(),
            "sync-flags": f"{number:016x}",
            "sync-flag-bits": words(map(str, sorted(flags))),
            "sync-title-id": title_id.hex(),
            "sync-duration-to-expiry": str(expiry),
            "sync-invalidated-stream-ids": words(stream.hex() for stream in stream_ids),
        },
    )


def sync_version_0() -> Block:
    """What ordinary SPCs carry in practice (errata): version 0, 28 bytes."""
    return Block(SYNC, bytes(28), {"sync-version": "0", "sync-spc": "no"})


# Encrypted CK (Table 2-12)
#    0  16  IV for the media
#   16  16  content key, AES-ECB under SK


def encrypted_ck(iv: bytes, encrypted_key: bytes) -> Block:
    return Block(ENCRYPTED_CK, iv + encrypted_key, {"iv": iv.hex(), "encrypted-content-key": encrypted_key.hex()})


# Content key duration (Table 4-3)
#    0   4  lease, seconds         8   4  key type
#    4   4  rental, seconds       12   4  0x86d34a3a


def duration(lease: int, rental: int, key_type: int, reserved: int = 0x86D34A3A) -> Block:
    facts = {"duration-lease": str(lease), "duration-rental": str(rental), "duration-key-type": f"{key_type:08x}"}
    return Block(DURATION, u32(lease) + u32(rental) + u32(key_type) + u32(reserved), facts)


# Required Security Level (Table 3-9)
#    0   4  version, 1             8   8  security level
#    4   4  reserved, 0


def required_security_level(level: int, version: int = 1, reserved: int = 0) -> Block:
    value = u32(version) + u32(reserved) + u64(level)
    return Block(REQUIRED_SECURITY_LEVEL, value, {"security-level": f"{level:016x}"})


# HDCP enforcement (Table 3-12, with the errata)
#    0   8  level                  8   8  random


def hdcp(level: int, rest: bytes) -> Block:
    return Block(HDCP, u64(level) + rest, {"hdcp": f"{level:016x}"})


# Offline Key (Table 6-1)
#    0   4  version                24   4  storage duration, seconds
#    4   4  reserved, 0            28   4  playback duration, seconds
#    8  16  content ID             32  16  title ID (version 2 only)
#           (version 2: stream ID)


def offline_key(
    content_id: bytes,
    storage: int,
    playback: int,
    title_id: bytes | None,
    version: int | None = None,
    reserved: int = 0,
) -> Block:
    number = version if version is not None else 1 if title_id is None else 2
    facts: Facts = {
        "offline-key-version": str(number),
        "offline-key-content-id": content_id.hex(),
        "offline-key-storage-duration": str(storage),
        "offline-key-playback-duration": str(playback),
    }
    if title_id is not None:
        facts["offline-key-title-id"] = title_id.hex()
    value = u32(number) + u32(reserved) + content_id + u32(storage) + u32(playback) + (title_id or b"")
    return Block(OFFLINE_KEY, value, facts)
