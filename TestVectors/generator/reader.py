"""A reader of the messages that shares nothing with the code which writes them, not even the table of tags.

It looks for everything that is wrong at one stage, so that the check can hold that a failing vector breaks one rule.
"""

import hashlib
import hmac
import struct
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.x509 import load_der_x509_certificate

from .reader_values import WrongLength, listed, typed, word

SPC_TAGS = {
    "3d1a10b8bffac2ec": "sk-r1",
    "b349d4809e910687": "sk-r1-integrity",
    "89c90f12204106b2": "ar-seed",
    "71b5595ac1521133": "r2",
    "19f9d4e5ab7609cb": "tag-return-request",
    "1bf7f53f5d5d5a1f": "asset-id",
    "47aa7ad3440577de": "transaction-id",
    "67b8fb79ecce1a13": "versions-supported",
    "5d81bcbcc7f61703": "version-used",
    "abb0256a31843974": "streaming-indicator",
    "eb8efdf2b25ab3a0": "playback",
    "9c02af3253c07fb2": "capabilities",
    "94c17cd676c69b59": "device-identity",
    "d43fc6abc596aae7": "device-info",
    "77966de1dc1083ad": "sync",
    "70eca6573388e329": "kext-deny-list",
    "b18ee16ea50f6c02": "security-level-report",
    "756440e240499f70": "vm-info",
}
SPC_MANDATORY = [name for name in list(SPC_TAGS.values())[:9] if name != "transaction-id"]
CKC_TAGS = {
    "58b38165af0e3d5a": "encrypted-ck",
    "ea74c4645d5efee9": "r1",
    "47acf6a418cd091a": "duration",
    "644cb1dac0313250": "security-level",
    "6375d9727060218c": "offline-key",
    "2e52f1530d8ddb4a": "hdcp",
}
CKC_MANDATORY = ["encrypted-ck", "r1"]


class Refused(Exception):
    """A stage and every code that applies at it, the first in the order of the tables first."""

    def __init__(self, stage: str, *codes: str):
        super().__init__(stage, *codes)
        self.stage, self.codes = stage, list(codes)


def refuse_if(stage: str, *findings: tuple[bool, str]):
    codes = [code for found, code in findings if found]
    if codes:
        raise Refused(stage, *codes)


@dataclass
class TLLV:
    tag: str
    value: bytes
    padding: bytes


def framing(data: bytes) -> list[TLLV]:
    found: dict[str, TLLV] = {}
    rest = data
    while rest:
        refuse_if("payload", (len(rest) < 16, "truncated"))
        raw, block, length = struct.unpack(">8sII", rest[:16])
        refuse_if(
            "payload",
            (block % 16 != 0, "length-not-multiple-of-16"),
            (length > block, "value-longer-than-block"),
            (block > len(rest) - 16, "truncated"),
            (raw.hex() in found, "duplicate-tag"),
        )
        found[raw.hex()] = TLLV(raw.hex(), rest[16 : 16 + length], rest[16 + length : 16 + block])
        rest = rest[16 + block :]
    return list(found.values())


def uniform(blocks: list[TLLV]) -> dict[str, str]:
    tags = [
        block.tag
        for block in blocks
        if block.padding
        and block.padding.strip(b"\x00") == b""
        or block.padding
        and block.padding.strip(b"\xff") == b""
    ]
    return {"uniform-padding": listed(tags)} if tags else {}


def read_tllv(data: bytes) -> dict[str, str]:
    blocks = framing(data)
    return {
        "tags": listed(block.tag for block in blocks),
        "values": listed(block.value.hex() for block in blocks),
    } | uniform(blocks)


def read_payload(data: bytes, names: dict[str, str], mandatory: list[str]) -> tuple[dict[str, str], dict[str, TLLV]]:
    blocks = framing(data)
    present = {names[block.tag]: block for block in blocks if block.tag in names}
    codes = [f"missing-{name}" for name in mandatory if name not in present]
    facts = {"tags": listed(block.tag for block in blocks)}
    unknown = []
    for name, block in present.items():
        try:
            result = typed(name, block.value)
        except WrongLength:
            if name == "sync":  # not a valid Sync block, so not a Sync SPC
                unknown.append(block.tag)
            else:
                codes.append("invalid-value-length")
            continue
        if result is None:
            unknown.append(block.tag)
        else:
            facts |= result
    if "offline-key" in present and "duration" in present:
        codes.append("conflicting-blocks")
    if codes:
        raise Refused("payload", *codes)
    reserved = [block.tag for block in blocks if block.tag not in names]
    facts |= {"reserved-blocks": listed(reserved)} if reserved else {}
    facts |= {"ignored-blocks": listed(unknown)} if unknown else {}
    return facts | uniform(blocks), {block.tag: block for block in blocks}


def read_spc_payload(data: bytes) -> dict[str, str]:
    return read_payload(data, SPC_TAGS, SPC_MANDATORY)[0]


def read_ckc_payload(data: bytes) -> dict[str, str]:
    return read_payload(data, CKC_TAGS, CKC_MANDATORY)[0]


class Server:
    """What the key server of the vectors holds: the RSA-1024 and the RSA-2048 bundle and the ASk."""

    def __init__(self, keys: Path):
        self.ask = bytes.fromhex((keys / "test-ask.hex").read_text())
        self.bundles = {}
        for name in ("test-rsa-1024", "test-rsa-2048"):
            der = (keys / f"{name}.der").read_bytes()
            key = serialization.load_pem_private_key((keys / f"{name}.pem").read_bytes(), None)
            if load_der_x509_certificate(der).public_key().public_numbers() != key.public_key().public_numbers():
                raise ValueError(f"certificate and key {name} do not belong together")
            self.bundles[hashlib.sha1(der).hexdigest()] = (f"../keys/{name}.pem", key)


def container(data: bytes, header: int) -> bytes:
    refuse_if("container", (len(data) < header, "truncated"))
    length, rest = word(data, header - 4), data[header:]
    refuse_if(
        "container",
        (length % 16 != 0, "length-not-multiple-of-16"),
        (length > len(rest), "truncated"),
        (length < len(rest), "trailing-bytes"),
    )
    return rest


def decrypt_cbc(data: bytes, key: bytes, iv: bytes) -> bytes:
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def read_spc(data: bytes, inputs: dict[str, str], server: Server) -> tuple[dict[str, str], dict[str, TLLV]]:
    refuse_if("container", (len(data) < 4, "truncated"))
    version = word(data)
    refuse_if("container", (version == 3, "spc-version-3"), (version not in (1, 2, 3), "unsupported-version"))
    rsa = {1: 128, 2: 256}[version]
    encrypted = container(data, 24 + rsa + 24)
    iv, block, digest = data[8:24], data[24 : 24 + rsa], data[24 + rsa : 44 + rsa].hex()
    refuse_if("certificate", (digest not in server.bundles, "unknown-certificate"))
    file, key = server.bundles[digest]
    try:
        spck = key.decrypt(block, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
    except ValueError:
        raise Refused("key", "decryption-failed") from None
    refuse_if("key", (len(spck) != 16, "decryption-failed"))
    facts, blocks = read_payload(decrypt_cbc(encrypted, spck, iv), SPC_TAGS, SPC_MANDATORY)

    ours = set(map(int, inputs.get("server-versions", "1").split()))
    theirs = set(map(int, facts["versions-supported"].split()))
    used, shared = int(facts["version-used"]), ours & theirs
    refuse_if(
        "version",
        (used not in shared, "version-mismatch"),
        (used in shared and used < max(shared), "version-downgrade"),
    )

    r2 = bytes.fromhex(facts["r2"])
    rule, _, fixed = inputs["dask"].partition(" ")
    dask = bytes.fromhex(fixed) if rule == "fixed" else hmac.digest(server.ask, r2, "sha256")[:16]
    sealed = bytes.fromhex(facts["sk-r1"])
    sk, hu, r1, check = struct.unpack("16s20s44s16s", decrypt_cbc(sealed[16:], dask, sealed[:16]))
    refuse_if("integrity", (check.hex() != facts["sk-r1-integrity"], "integrity-mismatch"))
    returned = dict.fromkeys(tag for tag in facts["tag-return-request"].split() if tag in blocks)
    return facts | {
        "spc-version": str(version),
        "certificate-hash": digest,
        "key-file": file,
        "sk": sk.hex(),
        "hu": hu.hex(),
        "r1": r1.hex(),
        "tags-returned": listed(returned),
        "version-decision": "serve-server-outdated" if max(theirs) > max(ours) else "serve",
    }, blocks


def read_ckc(data: bytes, spc_facts: dict[str, str], spc_blocks: dict[str, TLLV]) -> dict[str, str]:
    refuse_if("container", (len(data) < 4, "truncated"))
    refuse_if("container", (word(data) != 1, "unsupported-version"))
    encrypted = container(data, 28)
    sk, r1, seed = (bytes.fromhex(spc_facts[name]) for name in ("sk", "r1", "ar-seed"))
    key = Cipher(algorithms.AES(hashlib.sha1(r1).digest()[:16]), modes.ECB()).encryptor().update(seed)
    # In state 2 a CKC does not need to contain a valid content key (Table 4-2).
    mandatory = ["r1"] if spc_facts.get("playback-state") == PLAYING else CKC_MANDATORY
    facts, blocks = read_payload(decrypt_cbc(encrypted, key, data[8:24]), CKC_TAGS, mandatory)
    refuse_if("payload", ("ignored-blocks" in facts, "unsupported-block-version"))
    wanted = [tag for tag in spc_facts["tags-returned"].split() if tag != "-"]
    refuse_if(
        "integrity",
        (facts["r1"] != r1.hex(), "r1-mismatch"),
        (any(tag not in blocks for tag in wanted), "returned-tag-missing"),
        (any(tag in blocks and blocks[tag].value != spc_blocks[tag].value for tag in wanted), "returned-tag-altered"),
    )
    if any(blocks[tag].padding != spc_blocks[tag].padding for tag in wanted):
        raise AssertionError("a returned block has another padding than in the SPC")
    extra = [tag for tag in facts.pop("reserved-blocks", "-").split() if tag not in wanted and tag != "-"]
    refuse_by_device(facts, list(blocks.values()), spc_facts, wanted, extra)
    if "encrypted-content-key" in facts:
        encrypted_key = bytes.fromhex(facts["encrypted-content-key"])
        decrypted = Cipher(algorithms.AES(sk), modes.ECB()).decryptor().update(encrypted_key)
        facts["content-key"] = decrypted.hex()
    return facts | {"tags-returned": listed(wanted)}


PLAYING, HALTED = "a5d6739e", "5991bf20"
BASELINE, MAIN, AUDIO = "32f0004966a5c4f8", "4e7fd92421d588b4", "17d99d574eed567d"
HDCP_LEVELS = ("ef72894ca7895b78", "40791ac78bd5c571", "285a0863bba8e1d3")
KEY_TYPES = ("1a4bde7e", "3dfe45a0", "27b59bde", "3df2d9fb", "18f06048")


def refuse_by_device(
    facts: dict[str, str], blocks: list[TLLV], spc_facts: dict[str, str], wanted: list[str], extra: list[str]
):
    """The rules for a device that receives a CKC which can be read."""
    values = {CKC_TAGS[block.tag]: block.value for block in blocks if block.tag in CKC_TAGS}
    duration, offline = values.get("duration"), values.get("offline-key")
    state, bits = spc_facts.get("playback-state"), spc_facts.get("capability-bits", "").split()
    needed = {"1", "3"} if facts.get("offline-key-version") == "2" else {"1"}
    by_bits = MAIN if "5" in bits else BASELINE if "4" in bits else None
    level = spc_facts.get("security-level", by_bits)
    tags = [block.tag for block in blocks]
    refuse_if(
        "device",
        (spc_facts.get("sync-spc") == "yes", "sync-spc"),
        (state == HALTED, "playback-halted"),
        (state == PLAYING and duration is None, "missing-content-key-duration"),
        (duration is not None and state is None, "unexpected-content-key-duration"),
        (
            (duration is not None and (duration[12:].hex() != "86d34a3a" or duration[8:12].hex() not in KEY_TYPES))
            or (offline is not None and offline[4:8] != bytes(4))
            or facts.get("security-level", AUDIO) not in (AUDIO, BASELINE, MAIN)
            or facts.get("hdcp", HDCP_LEVELS[0]) not in HDCP_LEVELS,
            "invalid-value",
        ),
        (offline is not None and not needed <= set(bits), "offline-key-unsupported"),
        (facts.get("security-level") == MAIN and level == BASELINE, "security-level-violation"),
        (set(tags[len(tags) - len(wanted) :]) != set(wanted), "returned-tags-not-last"),
        (bool(extra), "unknown-block"),
    )
