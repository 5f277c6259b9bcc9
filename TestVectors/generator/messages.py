"""An SPC and a CKC under construction: complete and correct as made, open to alteration before they are encoded."""

from dataclasses import replace

from . import blocks as b
from . import fps
from .fps import Block
from .seeded import Seeded
from .vectorfile import Facts, words


class BlockList:
    """The TLLVs of a payload, in order."""

    def __init__(self, random: Seeded):
        self.random = random
        self.blocks: list[Block] = []

    def find(self, tag: int) -> Block:
        return next(block for block in self.blocks if block.tag == tag)

    def add(self, *added: Block):
        self.blocks += added
        return self

    def put(self, *blocks: Block):
        """Puts each block where the one with its tag was, or at the end."""
        for block in blocks:
            if any(old.tag == block.tag for old in self.blocks):
                self.blocks = [block if old.tag == block.tag else old for old in self.blocks]
            else:
                self.blocks.append(block)
        return self

    def alter(self, tag: int, **changes):
        """Changes a block but not its facts."""
        return self.put(replace(self.find(tag), **changes))

    def value(self, tag: int, value: bytes):
        return self.alter(tag, value=value)

    def remove(self, *tags: int):
        self.blocks = [block for block in self.blocks if block.tag not in tags]
        return self

    def shuffle(self):
        self.blocks = self.random.shuffled("order", self.blocks)
        return self

    def payload(self) -> bytes:
        return fps.encode_blocks(self.blocks, self.random)

    def payload_facts(self) -> Facts:
        facts: Facts = {"tags": b.tag_list(block.tag for block in self.blocks)}
        for block in sorted(self.blocks, key=lambda block: b.TABLE_ORDER.index(block.tag) if block.facts else 0):
            facts |= block.facts
        for fact, tags in {
            "reserved-blocks": [block.tag for block in self.blocks if block.kind == "reserved"],
            "ignored-blocks": [block.tag for block in self.blocks if block.kind == "ignored"],
            "uniform-padding": [block.tag for block in self.blocks if fps.has_uniform_padding(block)],
        }.items():
            if tags:
                facts[fact] = b.tag_list(tags)
        return facts


# Decrypted [SK...R1] payload (Table 2-7)     [SK...R1] value (Table 2-6)
#    0  16  SK                                   0  16  IV
#   16  20  HU                                  16  96  the payload, AES-CBC under DASk
#   36  44  R1
#   80  16  integrity bytes


class SPC(BlockList):
    """An SPC with the mandatory blocks, in the order of Table 2-4."""

    def __init__(
        self,
        vector: str,
        version: int = 1,
        asset_id: bytes = b"skd://test",
        supported=(1,),
        used: int = 1,
        returned=(),
        fixed_dask: bytes | None = None,
        ask: bytes = fps.ASK,
    ):
        super().__init__(Seeded(vector))
        draw = self.random.bytes
        self.version = version
        self.key = fps.RSA_1024 if version == 1 else fps.RSA_2048
        self.sk, self.hu, self.r1 = draw("SK", 16), draw("HU", 20), draw("R1", 44)
        self.integrity, self.ar_seed, self.r2 = draw("integrity", 16), draw("AR seed", 16), draw("R2", 21)
        self.spck, self.iv = draw("SPCK", 16), draw("SPC data IV", 16)
        self.fixed_dask, self.ask = fixed_dask, ask
        self.certificate_hash = self.key.certificate_hash
        self.server_versions = [1]
        self.add(
            b.plain(b.SK_R1, "sk-r1", self.sealed_sk_r1()),
            b.plain(b.INTEGRITY, "sk-r1-integrity", self.integrity),
            b.plain(b.AR_SEED, "ar-seed", self.ar_seed),
            b.plain(b.R2, "r2", self.r2),
            b.tag_return_request(list(returned)),
            b.plain(b.ASSET_ID, "asset-id", asset_id),
            b.plain(b.TRANSACTION_ID, "transaction-id", draw("transaction ID", 8)),
            b.versions_supported(list(supported)),
            b.version_used(used),
        )

    @property
    def dask(self) -> bytes:
        return self.fixed_dask or fps.development_dask(self.r2, self.ask)

    def sealed_sk_r1(self) -> bytes:
        iv = self.random.bytes("[SK...R1] IV", 16)
        return iv + fps.aes_cbc_encrypt(self.sk + self.hu + self.r1 + self.integrity, self.dask, iv)

    def returned_blocks(self) -> list[Block]:
        """The blocks that the tag return request names, each once, in its order; absent ones are passed over."""
        request = self.find(b.TAG_RETURN_REQUEST).value
        tags = dict.fromkeys(int.from_bytes(request[at : at + 8], "big") for at in range(0, len(request), 8))
        present = {block.tag: block for block in self.blocks}
        return [present[tag] for tag in tags if tag in present]

    def encode(
        self,
        payload: bytes | None = None,
        spck_block: bytes | None = None,
        payload_key: bytes | None = None,
        **container,
    ) -> bytes:
        clear = self.payload() if payload is None else payload
        if spck_block is None:
            spck_block = self.key.encrypt(self.spck, self.random.bytes("OAEP seed", 20))
        encrypted = fps.aes_cbc_encrypt(clear, payload_key or self.spck, self.iv)
        return fps.spc_container(
            container.pop("version", self.version), self.iv, spck_block, self.certificate_hash, encrypted, **container
        )

    def inputs(self) -> Facts:
        rule = "development" if self.fixed_dask is None else f"fixed {self.fixed_dask.hex()}"
        versions = {} if self.server_versions == [1] else {"server-versions": words(map(str, self.server_versions))}
        return {"dask": rule} | versions

    def facts(self) -> Facts:
        container = {
            "spc-version": str(self.version),
            "certificate-hash": self.certificate_hash.hex(),
            "key-file": self.key.file,
        }
        secrets = {"sk": self.sk.hex(), "hu": self.hu.hex(), "r1": self.r1.hex()}
        supported = list(map(int, self.payload_facts()["versions-supported"].split()))
        outdated = max(supported) > max(self.server_versions)
        return (
            container
            | secrets
            | self.payload_facts()
            | {
                "tags-returned": b.tag_list(block.tag for block in self.returned_blocks()),
                "version-decision": "serve-server-outdated" if outdated else "serve",
            }
        )


class CKC(BlockList):
    """A CKC that answers an SPC: the mandatory blocks in random order, then the returned ones."""

    def __init__(self, vector: str, spc: SPC, *restrictions: Block):
        super().__init__(Seeded(vector))
        self.spc = spc
        self.iv = self.random.bytes("CKC data IV", 16)
        self.key = fps.ckc_payload_key(spc.r1, spc.ar_seed)
        self.content_key = self.random.bytes("content key", 16)
        encrypted = fps.aes_ecb_encrypt(self.content_key, spc.sk)
        self.add(
            b.encrypted_ck(self.random.bytes("content IV", 16), encrypted), b.plain(b.R1, "r1", spc.r1), *restrictions
        ).shuffle()
        self.returned = spc.returned_blocks()

    def payload(self) -> bytes:
        # The returned blocks keep the padding that they had in the SPC.
        return super().payload() + fps.encode_blocks(self.returned, self.spc.random)

    def encode(self, payload: bytes | None = None, **container) -> bytes:
        clear = self.payload() if payload is None else payload
        return fps.ckc_container(self.iv, fps.aes_cbc_encrypt(clear, self.key, self.iv), **container)

    def facts(self) -> Facts:
        has_key = any(block.tag == b.ENCRYPTED_CK for block in self.blocks)
        facts = ({"content-key": self.content_key.hex()} if has_key else {}) | self.payload_facts()
        facts["tags"] = b.tag_list(block.tag for block in self.blocks + self.returned)
        return facts | {"tags-returned": b.tag_list(block.tag for block in self.returned)}
