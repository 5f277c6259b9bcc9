"""FairPlay Streaming messages as bytes: TLLV framing, cryptography and the two containers.

Written from the FairPlay Streaming Programming Guide (2025-05-05) and the project's errata, and from nothing else; what
goes into the single TLLVs is in blocks.py.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from .seeded import Seeded
from .vectorfile import Facts

KEYS = Path(__file__).resolve().parent.parent / "keys"


# TLLV block (Table 2-2)
#    0   8  tag
#    8   4  block length: value and padding, a multiple of 16
#   12   4  value length: any number up to the block length
#   16   n  value
#   16+n …  padding: random, not all 0x00, not all 0xFF, may be extended by multiples of 16


def header(tag: int, block_length: int, value_length: int) -> bytes:
    return tag.to_bytes(8, "big") + block_length.to_bytes(4, "big") + value_length.to_bytes(4, "big")


@dataclass
class Block:
    """A TLLV to be written, and the facts that a reader finds in its value."""

    tag: int
    value: bytes
    facts: Facts = field(default_factory=dict)
    kind: str = "known"  # known | reserved (a tag the guide does not list) | ignored (a version it does not know)
    fill: int | None = None  # padding made of this byte instead of random ones
    extension: int | None = None  # padding beyond the next multiple of 16, in units of 16; None: drawn, mostly 0

    def encode(self, random: Seeded) -> bytes:
        label = f"{self.tag:016x}"
        extension = self.extension
        if extension is None:
            extension = 0 if self.fill is not None else max(0, random.below(f"{label} extension", 6) - 3)
        count = -len(self.value) % 16 + 16 * extension
        padding = random.padding(label, count) if self.fill is None else bytes([self.fill]) * count
        return header(self.tag, len(self.value) + count, len(self.value)) + self.value + padding


def encode_blocks(blocks: list[Block], random: Seeded) -> bytes:
    return b"".join(block.encode(random) for block in blocks)


def has_uniform_padding(block: Block) -> bool:
    return block.fill in (0x00, 0xFF) and -len(block.value) % 16 + 16 * (block.extension or 0) > 0


# Cryptography


def aes_ecb_encrypt(block: bytes, key: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def aes_cbc_encrypt(data: bytes, key: bytes, iv: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(data)


def aes_cbc_decrypt(data: bytes, key: bytes, iv: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor().update(data)


def mgf1(seed: bytes, count: int, digest) -> bytes:
    mask = b""
    while len(mask) < count:
        mask += digest(seed + (len(mask) // digest().digest_size).to_bytes(4, "big")).digest()
    return mask[:count]


def oaep_encode(
    message: bytes, size: int, seed: bytes, label: bytes = b"", digest=hashlib.sha1, first: int = 0
) -> bytes:
    """EME-OAEP (RFC 8017, 7.1.1) with a given seed. `first` is 0 in every correct encoding."""
    hash_size = digest().digest_size
    data = digest(label).digest() + bytes(size - len(message) - 2 * hash_size - 2) + b"\x01" + message
    masked_data = xor(data, mgf1(seed[:hash_size], len(data), digest))
    masked_seed = xor(seed[:hash_size], mgf1(masked_data, hash_size, digest))
    return bytes([first]) + masked_seed + masked_data


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


class Key:
    """A pair of keys/: the public numbers and the certificate's hash, which is all that a device knows."""

    def __init__(self, name: str):
        self.file = f"../keys/{name}.pem"
        self.certificate = (KEYS / f"{name}.der").read_bytes()
        self.certificate_hash = hashlib.sha1(self.certificate).digest()
        public = load_pem_private_key((KEYS / f"{name}.pem").read_bytes(), None).public_key()
        self.size = public.key_size // 8
        self.n, self.e = public.public_numbers().n, public.public_numbers().e

    def raw(self, encoded: bytes) -> bytes:
        """The bare RSA public operation."""
        return pow(int.from_bytes(encoded, "big"), self.e, self.n).to_bytes(self.size, "big")

    def encrypt(self, message: bytes, seed: bytes, **oaep) -> bytes:
        return self.raw(oaep_encode(message, self.size, seed, **oaep))


RSA_1024 = Key("test-rsa-1024")
RSA_2048 = Key("test-rsa-2048")
RSA_2048_OTHER = Key("test-rsa-2048-other")
ASK = bytes.fromhex((KEYS / "test-ask.hex").read_text())


def development_dask(r2: bytes, ask: bytes = ASK) -> bytes:
    """This project's own development rule for the DASk; it has nothing to do with Apple's."""
    return hmac.new(ask, r2, hashlib.sha256).digest()[:16]


# SPC container (Table 2-3)         CKC container (Table 2-10)
#   version 1   version 2               0   4  CKC version, 1
#    0   4       0   4  SPC version     4   4  reserved
#    4   4       4   4  reserved        8  16  CKC data IV
#    8  16       8  16  SPC data IV    24   4  payload length
#   24 128      24 256  [SPCK]         28   n  payload, AES-CBC under [AR]
#  152  20     280  20  certificate hash: SHA-1 of the DER
#  172   4     300   4  payload length
#  176   n     304   n  payload, AES-CBC under SPCK


def spc_container(
    version: int,
    iv: bytes,
    spck_block: bytes,
    certificate_hash: bytes,
    payload: bytes,
    length: int | None = None,
    reserved: bytes = bytes(4),
) -> bytes:
    count = len(payload) if length is None else length
    return (
        version.to_bytes(4, "big") + reserved + iv + spck_block + certificate_hash + count.to_bytes(4, "big") + payload
    )


def ckc_container(
    iv: bytes, payload: bytes, version: int = 1, length: int | None = None, reserved: bytes = bytes(4)
) -> bytes:
    count = len(payload) if length is None else length
    return version.to_bytes(4, "big") + reserved + iv + count.to_bytes(4, "big") + payload


def ckc_payload_key(r1: bytes, ar_seed: bytes) -> bytes:
    """[AR]: the AR seed, encrypted under the first half of SHA-1 over R1."""
    return aes_ecb_encrypt(ar_seed, hashlib.sha1(r1).digest()[:16])
