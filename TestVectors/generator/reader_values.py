"""The reader's typed values. Each function returns facts, or None for a version it does not know, or raises."""

import struct

Facts = dict[str, str]


def listed(items) -> str:
    return " ".join(item or "-" for item in items) or "-"


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


class WrongLength(Exception):
    pass


def unpack(layout: str, data: bytes) -> tuple:
    if struct.calcsize(layout) != len(data):
        raise WrongLength
    return struct.unpack(layout, data)


def word(value: bytes, at: int = 0) -> int:
    if len(value) < at + 4:
        raise WrongLength
    return int.from_bytes(value[at : at + 4], "big")


def system(value: bytes) -> str:
    return f"{value[1]}.{value[2]}.{value[3]}"


def bits(number: int) -> str:
    return listed(str(bit) for bit in range(128) if number >> bit & 1)


def read_asset_id(value: bytes) -> Facts | None:
    if not 2 <= len(value) <= 200:
        raise WrongLength
    return {"asset-id": value.hex()}


def read_tag_return_request(value: bytes) -> Facts | None:
    if len(value) % 8:
        raise WrongLength
    return {"tag-return-request": listed(tag.hex() for tag in pieces(value, 8))}


def read_versions_supported(value: bytes) -> Facts | None:
    if len(value) % 4 or not value:
        raise WrongLength
    return {"versions-supported": listed(str(word(part)) for part in pieces(value, 4))}


def read_version_used(value: bytes) -> Facts | None:
    return {"version-used": str(unpack(">I", value)[0])}


def read_playback(value: bytes) -> Facts | None:
    created, state, session = unpack(">I4s8s", value)
    return {"creation-date": str(created), "playback-state": state.hex(), "session-id": session.hex()}


def read_capabilities(value: bytes) -> Facts | None:
    unpack(">16s", value)
    return {"capabilities": value.hex(), "capability-bits": bits(int.from_bytes(value, "big"))}


def read_device_identity(value: bytes) -> Facts | None:
    version_of_block, device, vendor, product, ree, tee, version = unpack(">II8s8s4s4s4s", value)
    return {
        "device-identity-version": str(version_of_block),
        "device-class": str(device),
        "vendor-hash": vendor.hex(),
        "product-hash": product.hex(),
        "fairplay-version-ree": ree.hex(),
        "fairplay-version-tee": tee.hex(),
        "os-version": system(version),
    }


def read_device_info(value: bytes) -> Facts | None:
    if word(value, 12) != 1:
        return None
    device, version, _ = unpack(">8s4sI", value)
    return {"device-info-type": device.hex(), "device-info-os-version": system(version), "device-info-version": "1"}


def read_kext_deny_list(value: bytes) -> Facts | None:
    return {"kext-deny-list-version": str(unpack(">I", value)[0])}


def read_security_level_report(value: bytes) -> Facts | None:
    if word(value) != 1:
        return None
    level = unpack(">4x4x8s", value[:16])[0]
    facts = {"security-level-report-version": "1", "security-level": level.hex()}
    if len(value) == 16:
        return facts
    return facts | {"security-level-kdl-version": str(unpack(">16xI", value)[0])}


def read_vm_info(value: bytes) -> Facts | None:
    if word(value) == 0:
        return {"vm-info-version": "0", "virtual-machine": "no"}
    if word(value) != 1:
        return None
    host, host_os, host_protocol, guest, guest_os, guest_protocol = unpack(">4xI4sII4sI", value)
    return {
        "vm-info-version": "1",
        "virtual-machine": "yes",
        "vm-host-device-class": str(host),
        "vm-host-os-version": system(host_os),
        "vm-host-protocol-version": str(host_protocol),
        "vm-guest-device-class": str(guest),
        "vm-guest-os-version": system(guest_os),
        "vm-guest-protocol-version": str(guest_protocol),
    }


def read_sync(value: bytes) -> Facts | None:
    version = word(value)
    if version == 0:
        return {"sync-version": "0", "sync-spc": "no"}
    if version == 1:
        content, expiry = unpack(">8x16sI", value)
        return {
            "sync-version": "1",
            "sync-spc": "yes",
            "sync-content-id": content.hex(),
            "sync-duration-to-expiry": str(expiry),
        }
    if version != 2:
        return None
    challenge, flags, title, expiry, records = unpack(">8x8sQ16sII", value[:48])
    if len(value) != 48 + 16 * records:
        raise WrongLength
    return {
        "sync-version": "2",
        "sync-spc": "yes",
        "sync-challenge": challenge.hex(),
        "sync-flags": f"{flags:016x}",
        "sync-flag-bits": bits(flags),
        "sync-title-id": title.hex(),
        "sync-duration-to-expiry": str(expiry),
        "sync-invalidated-stream-ids": listed(stream.hex() for stream in pieces(value[48:], 16)),
    }


def read_encrypted_ck(value: bytes) -> Facts | None:
    iv, key = unpack(">16s16s", value)
    return {"iv": iv.hex(), "encrypted-content-key": key.hex()}


def read_duration(value: bytes) -> Facts | None:
    lease, rental, kind, _ = unpack(">II4s4s", value)
    return {"duration-lease": str(lease), "duration-rental": str(rental), "duration-key-type": kind.hex()}


def read_security_level(value: bytes) -> Facts | None:
    if word(value) != 1:
        return None
    return {"security-level": unpack(">8x8s", value)[0].hex()}


def read_offline_key(value: bytes) -> Facts | None:
    version = word(value)
    if version not in (1, 2):
        return None
    content, storage, playback, title = unpack(">8x16sII0s" if version == 1 else ">8x16sII16s", value)
    facts = {
        "offline-key-version": str(version),
        "offline-key-content-id": content.hex(),
        "offline-key-storage-duration": str(storage),
        "offline-key-playback-duration": str(playback),
    }
    return facts | ({"offline-key-title-id": title.hex()} if title else {})


def read_hdcp(value: bytes) -> Facts | None:
    if len(value) not in (8, 16):
        raise WrongLength
    return {"hdcp": value[:8].hex()}


FIXED_SIZES = {
    "sk-r1": 112,
    "sk-r1-integrity": 16,
    "ar-seed": 16,
    "r2": 21,
    "transaction-id": 8,
    "streaming-indicator": 8,
    "r1": 44,
}
READERS = {
    "asset-id": read_asset_id,
    "tag-return-request": read_tag_return_request,
    "versions-supported": read_versions_supported,
    "version-used": read_version_used,
    "playback": read_playback,
    "capabilities": read_capabilities,
    "device-identity": read_device_identity,
    "device-info": read_device_info,
    "kext-deny-list": read_kext_deny_list,
    "security-level-report": read_security_level_report,
    "vm-info": read_vm_info,
    "sync": read_sync,
    "encrypted-ck": read_encrypted_ck,
    "duration": read_duration,
    "security-level": read_security_level,
    "offline-key": read_offline_key,
    "hdcp": read_hdcp,
}


def typed(name: str, value: bytes) -> Facts | None:
    if name not in FIXED_SIZES:
        return READERS[name](value)
    if len(value) != FIXED_SIZES[name]:
        raise WrongLength
    return {name: value.hex()}
