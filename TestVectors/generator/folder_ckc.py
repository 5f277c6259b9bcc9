"""ckc/: whole CKCs (Table 2-10), each the answer to an SPC of spc/."""

from collections.abc import Iterator
from itertools import count

from . import blocks as b
from . import fps
from .folder_spc import Answerable, flipped
from .folder_spc_container_failures import is_garbage_past_the_end
from .fps import Block
from .messages import CKC
from .seeded import Seeded
from .vectorfile import Vector

DRAW = Seeded("ckc").bytes
STREAM, TITLE = DRAW("stream ID", 16), DRAW("title ID", 16)
RESERVED = 0x0123456789ABCDEF


def vectors(answerable: Answerable) -> Iterator[Vector]:
    folder = Folder(answerable)
    yield from folder.successes()
    yield from folder.containers()
    yield from folder.payloads()
    yield from folder.answers()
    yield from folder.states()
    yield from folder.devices()


class Folder:
    def __init__(self, answerable: Answerable):
        self.answerable = answerable

    def make(self, name: str, *restrictions: Block, spc: str = "v2-iphone") -> CKC:
        return CKC(f"ckc/{name}", self.answerable[spc], *restrictions)

    def success(self, name: str, description: str, *restrictions: Block, spc: str = "v2-iphone") -> Vector:
        ckc = self.make(name, *restrictions, spc=spc)
        return self.finished(name, description, ckc, spc)

    def finished(
        self, name: str, description: str, ckc: CKC, spc: str = "v2-iphone", body: bytes | None = None
    ) -> Vector:
        return Vector("ckc", name, description, body or ckc.encode(), {"spc-file": f"../spc/{spc}.txt"}, ckc.facts())

    def failure(
        self, name: str, stage: str, error: str, description: str, body: bytes, spc: str = "v2-iphone"
    ) -> Vector:
        return Vector("ckc", name, description, body, {"spc-file": f"../spc/{spc}.txt"}, stage=stage, error=error)

    def successes(self) -> Iterator[Vector]:
        yield self.success("v1-minimal", "The smallest answer to a version 1 SPC.", spc="v1-minimal")
        yield self.success("v2-minimal", "The smallest answer to a version 2 SPC.", spc="v2-minimal")
        yield self.success(
            "iphone", "Streaming with HDCP Type 0; two blocks returned.", b.hdcp(b.HDCP_TYPE_0, DRAW("HDCP 0", 8))
        )
        yield self.success(
            "iphone-v1",
            "Streaming with HDCP Type 0 for a version 1 SPC.",
            b.hdcp(b.HDCP_TYPE_0, DRAW("HDCP 0", 8)),
            spc="v1-iphone",
        )
        yield self.success(
            "main-hdcp-type-1",
            "High-value video: Main, HDCP Type 1, a lease.",
            b.required_security_level(b.LEVEL_MAIN),
            b.hdcp(b.HDCP_TYPE_1, DRAW("HDCP 1", 8)),
            b.duration(600, 0, b.LEASE),
        )
        yield self.success("baseline", "Video for every device.", b.required_security_level(b.LEVEL_BASELINE))
        yield self.success(
            "audio",
            "An audio key: level Audio, HDCP not required.",
            b.required_security_level(b.LEVEL_AUDIO),
            b.hdcp(b.HDCP_NONE, DRAW("HDCP none", 8)),
        )
        yield self.success("rental", "A rental of 48 hours.", b.duration(0, 172_800, b.RENTAL))
        yield self.success("lease-and-rental", "A lease within a rental.", b.duration(600, 172_800, b.LEASE_AND_RENTAL))
        yield self.success(
            "watch-lease", "A lease for an Apple Watch.", b.duration(300, 0, b.LEASE), spc="v1-apple-watch"
        )
        yield self.success(
            "persist-unlimited", "A persistent key without limit.", b.duration(0, 0, b.PERSIST_UNLIMITED)
        )
        yield self.success(
            "persist-limited", "A persistent key for 30 days.", b.duration(0, 2_592_000, b.PERSIST_LIMITED)
        )
        yield self.success(
            "offline-key-v2", "Dual expiry with a title ID.", b.offline_key(STREAM, 2_592_000, 172_800, TITLE)
        )
        yield self.success("offline-key-unlimited", "Dual expiry without limits.", b.offline_key(STREAM, 0, 0, TITLE))
        yield self.success(
            "offline-key-v1",
            "Dual expiry for a device that knows only Offline Key version 1.",
            b.offline_key(STREAM, 2_592_000, 172_800, None),
            spc="v2-iphone-without-offline-key-v2",
        )
        yield self.success(
            "five-returned-tags",
            "Five blocks returned, reserved ones and [SK...R1] among them.",
            spc="v2-tag-return-several",
        )
        yield self.success(
            "absent-tag-passed-over",
            "One of three requested tags is not in the SPC, so two blocks return.",
            spc="v1-tag-return-absent",
        )
        yield self.success("hdcp-8-bytes", "HDCP as a bare 8-byte level.", b.hdcp(b.HDCP_TYPE_1, b""))
        name = "padding-extended"
        ckc = self.make(name, spc="v1-minimal").alter(b.ENCRYPTED_CK, extension=30).alter(b.R1, extension=1)
        yield self.finished(name, "Padding extended by 480 bytes after the content key.", ckc, "v1-minimal")
        name = "padding-all-zero"
        ckc = self.make(name, spc="v1-minimal").alter(b.R1, fill=0)
        yield self.finished(name, "R1's padding is all zeros: reported, not refused.", ckc, "v1-minimal")
        name = "reserved-header-bytes"
        ckc = self.make(name, spc="v1-minimal")
        yield self.finished(
            name,
            "The reserved bytes of the header are not zero.",
            ckc,
            "v1-minimal",
            ckc.encode(reserved=b"\xde\xad\xbe\xef"),
        )

    def containers(self) -> Iterator[Vector]:
        def refused(name: str, error: str, description: str, body: bytes) -> Vector:
            return self.failure(name, "container", error, description, body)

        whole = self.make("container").encode()
        size = len(whole) - 28
        yield refused("empty", "truncated", "No byte at all.", b"")
        yield refused("header-truncated", "truncated", "The header ends one byte early.", whole[:27])
        yield refused("header-only", "truncated", "The header promises a payload that is not there.", whole[:28])
        yield refused("truncated", "truncated", "The last 16 bytes are missing.", whole[:-16])
        yield refused("truncated-by-1", "truncated", "The last byte is missing.", whole[:-1])
        yield refused(
            "payload-length-4gib",
            "truncated",
            "A payload length of 0xfffffff0.",
            whole[:24] + b"\xff\xff\xff\xf0" + whole[28:],
        )
        yield refused("trailing-byte", "trailing-bytes", "One byte after the payload.", whole + b"\x00")
        yield refused("trailing-block", "trailing-bytes", "16 bytes after the payload.", whole + bytes(16))
        yield refused(
            "payload-length-odd",
            "length-not-multiple-of-16",
            "A payload of one byte less than a multiple of 16.",
            whole[:24] + b.u32(size - 1) + whole[28:-1],
        )
        for version in (0, 2):
            yield refused(
                f"version-{version}", "unsupported-version", f"CKC version {version}.", b.u32(version) + whole[4:]
            )

    def payloads(self) -> Iterator[Vector]:
        def refused(name: str, error: str, description: str, ckc: CKC) -> Vector:
            return self.failure(name, "payload", error, description, ckc.encode())

        yield refused(
            "missing-encrypted-ck",
            "missing-encrypted-ck",
            "The encrypted content key is missing.",
            self.make("missing-encrypted-ck").remove(b.ENCRYPTED_CK),
        )
        yield refused("missing-r1", "missing-r1", "R1 is missing.", self.make("missing-r1").remove(b.R1))
        yield self.failure(
            "payload-empty",
            "payload",
            "missing-encrypted-ck",
            "A payload of no bytes.",
            self.make("payload-empty").encode(payload=b""),
        )
        yield refused(
            "content-key-without-iv",
            "invalid-value-length",
            "An encrypted CK of 16 bytes.",
            self.make("content-key-without-iv").value(b.ENCRYPTED_CK, DRAW("key", 16)),
        )
        yield refused(
            "duplicate-tag",
            "duplicate-tag",
            "Two R1 blocks, both right.",
            (ckc := self.make("duplicate-tag")).add(ckc.find(b.R1)),
        )
        ckc = self.make("duplicate-returned-tag")
        ckc.returned.append(ckc.returned[0])
        yield refused("duplicate-returned-tag", "duplicate-tag", "A duplicate returned block.", ckc)
        ckc = self.make("block-past-the-end")
        yield self.failure(
            "block-past-the-end",
            "payload",
            "truncated",
            "A last block whose length is 0xfffffff0.",
            ckc.encode(payload=ckc.payload() + fps.header(RESERVED, 0xFFFFFFF0, 0)),
        )
        yield refused(
            "offline-key-with-duration",
            "conflicting-blocks",
            "Offline Key and content key duration together.",
            self.make(
                "offline-key-with-duration", b.offline_key(STREAM, 600, 600, TITLE), b.duration(600, 0, b.LEASE)
            ),
        )
        yield refused(
            "offline-key-unknown-version",
            "unsupported-block-version",
            "Offline Key of version 3: a limit that the device does not understand.",
            self.make("offline-key-unknown-version", b.offline_key(STREAM, 1, 1, TITLE, version=3)),
        )
        yield refused(
            "security-level-unknown-version",
            "unsupported-block-version",
            "Required Security Level of version 2: a limit that the device does not understand.",
            self.make("security-level-unknown-version", b.required_security_level(b.LEVEL_MAIN, version=2)),
        )
        yield self.garbage(
            "ar-key-from-other-r1",
            "Encrypted under a key from another R1: the payload decrypts to garbage.",
            lambda ckc: fps.ckc_payload_key(ckc.random.bytes("other R1", 44), ckc.spc.ar_seed),
        )
        yield self.garbage(
            "ar-seed-as-key",
            "Encrypted under the AR seed itself: the payload decrypts to garbage.",
            lambda ckc: ckc.spc.ar_seed,
        )

    def garbage(self, name: str, description: str, key) -> Vector:
        for attempt in count():
            ckc = self.make(f"{name} {attempt}")
            right, ckc.key = ckc.key, key(ckc)
            body = ckc.encode()
            if is_garbage_past_the_end(fps.aes_cbc_decrypt(body[28:], right, ckc.iv)):
                return self.failure(name, "payload", "truncated", description, body)
        raise AssertionError

    def answers(self) -> Iterator[Vector]:
        def refused(name: str, error: str, description: str, ckc: CKC) -> Vector:
            return self.failure(name, "integrity", error, description, ckc.encode())

        ckc = self.make("r1-altered")
        yield refused(
            "r1-altered", "r1-mismatch", "The last bit of R1 is wrong.", ckc.value(b.R1, flipped(ckc.spc.r1, 43))
        )
        ckc = self.make("r1-of-other-session")
        yield refused(
            "r1-of-other-session",
            "r1-mismatch",
            "R1 of another SPC.",
            ckc.value(b.R1, self.answerable["v2-minimal"].r1),
        )
        ckc = self.make("returned-tag-missing")
        ckc.returned.pop()
        yield refused(
            "returned-tag-missing", "returned-tag-missing", "One of the two requested blocks is not returned.", ckc
        )
        ckc = self.make("no-returned-tags")
        ckc.returned = []
        yield refused("no-returned-tags", "returned-tag-missing", "None of the requested blocks is returned.", ckc)
        for name, value, description in (
            ("returned-tag-altered", lambda old: flipped(old, 0), "One bit of a returned value is wrong."),
            ("returned-tag-shortened", lambda old: old[:-1], "A returned value lost its last byte."),
            ("returned-tag-lengthened", lambda old: old + b"\x00", "A returned value got a zero byte more."),
        ):
            ckc = self.make(name)
            ckc.returned = [
                block
                if block.tag != b.TRANSACTION_ID
                else Block(block.tag, value(block.value), extension=block.extension)
                for block in ckc.returned
            ]
            yield refused(name, "returned-tag-altered", description, ckc)

    def states(self) -> Iterator[Vector]:
        """What each playback state requires of the CKC (Table 4-2)."""
        playing, renewing, halted = ("v2-iphone-" + name for name in ("playing", "lease-about-to-expire", "halted"))
        lease, rental = b.duration(600, 0, b.LEASE), b.duration(0, 172_800, b.RENTAL)
        offline = b.offline_key(STREAM, 2_592_000, 172_800, TITLE)
        yield self.success("state-2-lease", "State 2: a lease and a content key.", lease, spc=playing)
        yield self.success("state-2-rental", "State 2: a rental and a content key.", rental, spc=playing)
        yield self.success(
            "state-2-persist-limited", "State 2: a persistent key.", b.duration(0, 60, b.PERSIST_LIMITED), spc=playing
        )
        name = "state-2-lease-without-key"
        ckc = self.make(name, lease, spc=playing).remove(b.ENCRYPTED_CK)
        yield self.finished(name, "State 2: a lease, and no content key, which is not required.", ckc, playing)
        yield self.success("state-3-lease", "State 3: a new lease and a content key.", lease, spc=renewing)
        yield self.success(
            "state-3-without-lease", "State 3: a content key without a limit.", spc=renewing
        )
        yield self.success("state-unknown", "A state that no table lists.", lease, spc="v2-iphone-unknown-state")
        yield self.refused(
            "state-2-without-duration", "missing-content-key-duration", "State 2: no duration.", spc=playing
        )
        yield self.refused(
            "state-2-offline-key",
            "missing-content-key-duration",
            "State 2: an Offline Key does not replace the duration.",
            offline,
            spc=playing,
        )
        name = "state-2-empty"
        yield self.refused(
            name,
            "missing-content-key-duration",
            "State 2: neither a content key nor a duration.",
            spc=playing,
            ckc=self.make(name, spc=playing).remove(b.ENCRYPTED_CK),
        )
        name = "state-3-without-key"
        yield self.failure(
            name,
            "payload",
            "missing-encrypted-ck",
            "State 3: a lease without a content key.",
            self.make(name, lease, spc=renewing).remove(b.ENCRYPTED_CK).encode(),
            renewing,
        )
        yield self.refused("halted", "playback-halted", "Playback has halted: no key.", spc=halted)
        yield self.refused("halted-lease", "playback-halted", "Playback has halted: no lease.", lease, spc=halted)
        yield self.refused(
            "duration-without-state",
            "unexpected-content-key-duration",
            "A lease for an SPC without a playback state (Table 2-11).",
            lease,
            spc="v2-minimal",
        )
        yield self.refused("sync-spc", "sync-spc", "A key for a Sync SPC.", spc="v2-sync-v1")

    def devices(self) -> Iterator[Vector]:
        """What a device refuses in a CKC that can be read."""
        report, bits = "v2-iphone-baseline-report", "v2-iphone-without-security-report"
        main = b.required_security_level(b.LEVEL_MAIN)
        for name, spc in (("report", report), ("capability-bits", bits)):
            yield self.refused(
                f"main-of-baseline-by-{name}",
                "security-level-violation",
                f"Main for a device that is Baseline by its {name.replace('-', ' ')}.",
                main,
                spc=spc,
                number=-42811,
            )
        for level, value in (("audio", b.LEVEL_AUDIO), ("baseline", b.LEVEL_BASELINE)):
            yield self.success(
                f"{level}-of-baseline", f"Level {level} for a Baseline device.", b.required_security_level(value), spc=bits
            )
        yield self.success(
            "main-of-unknown-level",
            "Main for a device that reports no level.",
            main,
            spc="v2-iphone-without-security-level",
        )
        yield self.success(
            "security-level-reserved-1",
            "The reserved field of the Required Security Level is 1; it should be 0.",
            b.required_security_level(b.LEVEL_MAIN, reserved=1),
        )
        yield self.refused(
            "security-level-unknown",
            "invalid-value",
            "A required level that Table 3-10 does not list.",
            b.required_security_level(0x0102030405060708),
        )
        yield self.refused(
            "hdcp-unknown", "invalid-value", "An HDCP level that Table 3-13 does not list.", b.hdcp(1, DRAW("HDCP", 8))
        )
        yield self.success(
            "hdcp-type-1-not-declared",
            "HDCP Type 1 for a device without capability bit 0.",
            b.hdcp(b.HDCP_TYPE_1, DRAW("HDCP 1", 8)),
            spc="v1-apple-watch",
        )
        yield self.refused(
            "duration-reserved-0",
            "invalid-value",
            "The reserved field of the duration is not 0x86d34a3a.",
            b.duration(600, 0, b.LEASE, reserved=0),
        )
        yield self.refused(
            "duration-unknown-type", "invalid-value", "A key type that no table lists.", b.duration(600, 0, 0x01020304)
        )
        yield self.refused(
            "offline-key-reserved-1",
            "invalid-value",
            "The reserved field of the Offline Key is not 0.",
            b.offline_key(STREAM, 600, 600, TITLE, reserved=1),
        )
        yield self.refused(
            "offline-key-v2-unsupported",
            "offline-key-unsupported",
            "Offline Key version 2 for a device without capability bit 3.",
            b.offline_key(STREAM, 600, 600, TITLE),
            spc="v2-iphone-without-offline-key-v2",
        )
        yield self.refused(
            "offline-key-unsupported",
            "offline-key-unsupported",
            "An Offline Key for a device without capability bits.",
            b.offline_key(STREAM, 600, 600, None),
            spc="v2-minimal",
        )
        yield self.refused(
            "reserved-block",
            "unknown-block",
            "A block that the SPC did not ask for and no table lists.",
            b.reserved(RESERVED, DRAW("reserved", 20)),
        )
        ckc = self.make("returned-tags-first")
        payload = fps.encode_blocks(ckc.returned, ckc.spc.random) + fps.encode_blocks(ckc.blocks, ckc.random)
        yield self.refused(
            "returned-tags-first",
            "returned-tags-not-last",
            "The returned blocks come first, instead of at the end.",
            body=ckc.encode(payload=payload),
        )

    def refused(
        self,
        name: str,
        error: str,
        description: str,
        *restrictions: Block,
        spc: str = "v2-iphone",
        ckc: CKC | None = None,
        body: bytes | None = None,
        number: int = -42668,
    ) -> Vector:
        """A CKC that can be read, and that a device refuses with the number of an error."""
        body = body or (ckc or self.make(name, *restrictions, spc=spc)).encode()
        vector = self.failure(name, "device", error, description, body, spc)
        vector.inputs["device-error"] = str(number)
        return vector
