"""tllv/: sequences of blocks, framing only (Table 2-2)."""

from collections.abc import Iterator

from .blocks import tag_list
from .fps import Block, encode_blocks, has_uniform_padding, header
from .seeded import Seeded
from .vectorfile import Vector, words

TAG, OTHER, THIRD = 0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x1122334455667788


def success(name: str, description: str, *lengths_or_blocks: Block) -> Vector:
    blocks = list(lengths_or_blocks)
    facts = {"tags": tag_list(block.tag for block in blocks), "values": words(block.value.hex() for block in blocks)}
    uniform = [block.tag for block in blocks if has_uniform_padding(block)]
    if uniform:
        facts["uniform-padding"] = tag_list(uniform)
    return Vector("tllv", name, description, encode_blocks(blocks, Seeded(f"tllv/{name}")), facts=facts)


def failure(name: str, error: str, description: str, body: bytes) -> Vector:
    return Vector("tllv", name, description, body, stage="payload", error=error)


def vectors() -> Iterator[Vector]:
    draw = Seeded("tllv").bytes

    def block(tag: int, length: int, extension: int = 0, fill: int | None = None) -> Block:
        return Block(tag, draw(f"value {tag:x} {length}", length), extension=extension, fill=fill)

    def written(length: int, tag: int = TAG) -> bytes:
        return block(tag, length).encode(Seeded("tllv"))

    yield success("empty", "No block at all.")
    yield success("one-block", "One block whose value fills it: no padding.", block(TAG, 16))
    yield success("three-blocks", "Three blocks, tightly packed.", block(TAG, 16), block(OTHER, 21), block(THIRD, 112))
    yield success("value-empty-block-empty", "Value and block length zero: the block is its header.", block(TAG, 0))
    yield success("value-empty-padded", "An empty value followed by 16 bytes of padding.", block(TAG, 0, extension=1))
    yield success("value-1-byte", "The shortest value that needs padding.", block(TAG, 1))
    yield success("value-15-bytes", "One byte of padding.", block(TAG, 15))
    yield success("value-17-bytes", "A value that just reaches into a second unit of 16.", block(TAG, 17))
    yield success("value-4096-bytes", "A long value.", block(TAG, 4096))
    yield success(
        "padding-extended-by-16",
        "Padding extended though the value already fills the block.",
        block(TAG, 16, extension=1),
        block(OTHER, 4),
    )
    yield success(
        "padding-extended-by-4096", "Padding much longer than the value.", block(TAG, 5, extension=256), block(OTHER, 4)
    )
    yield success(
        "padding-all-zero",
        "Padding of zeros only: to be reported, never refused.",
        block(TAG, 4, fill=0x00),
        block(OTHER, 4),
    )
    yield success(
        "padding-all-ff",
        "Padding of 0xff only: to be reported, never refused.",
        block(TAG, 4, fill=0xFF),
        block(OTHER, 4),
    )
    yield success("tag-zero", "A tag is any eight bytes, zero included.", block(0, 16))
    yield success("tag-all-ff", "A tag with every bit set does not fit a signed number.", block(2**64 - 1, 16))
    yield success(
        "tags-differ-in-last-bit",
        "Two tags that differ in their last bit are two tags.",
        block(TAG, 16),
        block(TAG ^ 1, 16),
    )
    yield success("tags-descending", "Blocks keep the order in which they came.", block(3, 1), block(2, 2), block(1, 3))
    yield success(
        "value-looks-like-a-block",
        "A value that is itself a block with the same tag is not looked into.",
        Block(TAG, written(16), extension=0),
    )

    whole = written(16)
    for count in (1, 8, 12, 15):
        yield failure(
            f"header-truncated-at-{count}", "truncated", f"Only {count} of the 16 bytes of a header.", whole[:count]
        )
    yield failure("value-truncated", "truncated", "The last byte of the value is missing.", whole[:-1])
    yield failure("value-missing", "truncated", "A header that promises 16 bytes, and nothing after it.", whole[:16])
    yield failure(
        "padding-truncated",
        "truncated",
        "The last 16 bytes of an extended padding are missing.",
        block(TAG, 16, extension=1).encode(Seeded("tllv"))[:-16],
    )
    yield failure(
        "second-header-truncated",
        "truncated",
        "A block, then seven bytes that cannot be one.",
        whole + written(16, OTHER)[:7],
    )
    yield failure(
        "second-block-past-the-end",
        "truncated",
        "The second block is 16 bytes longer than what is left.",
        whole + header(OTHER, 32, 4) + draw("rest", 16),
    )
    for name, length in {"2gib-less-16": 0x7FFFFFF0, "2gib": 0x80000000, "4gib": 0xFFFFFFF0}.items():
        yield failure(
            f"tllv-length-{name}",
            "truncated",
            f"A block length of 0x{length:08x} with 16 bytes behind it.",
            header(TAG, length, 16) + draw("rest", 16),
        )
    yield failure(
        "both-lengths-4gib",
        "truncated",
        "Block and value length of 0xfffffff0.",
        header(TAG, 0xFFFFFFF0, 0xFFFFFFF0) + draw("rest", 16),
    )
    for length in (1, 8, 15, 17, 24):
        yield failure(
            f"block-length-{length}",
            "length-not-multiple-of-16",
            f"A block of {length} bytes, all present.",
            header(TAG, length, 1) + draw("rest", length),
        )
    yield failure(
        "value-longer-by-1",
        "value-longer-than-block",
        "A value of 17 bytes in a block of 16.",
        header(TAG, 16, 17) + draw("rest", 16),
    )
    yield failure(
        "value-in-empty-block",
        "value-longer-than-block",
        "A value of 1 byte in a block of none.",
        header(TAG, 0, 1) + whole.replace(TAG.to_bytes(8, "big"), OTHER.to_bytes(8, "big")),
    )
    yield failure(
        "value-reaches-into-next-block",
        "value-longer-than-block",
        "A value that would end where the next block ends.",
        header(TAG, 16, 48) + draw("rest", 16) + written(16, OTHER),
    )
    yield failure(
        "value-length-2gib",
        "value-longer-than-block",
        "A value length of 0x80000000 in a block of 16.",
        header(TAG, 16, 0x80000000) + draw("rest", 16),
    )
    yield failure(
        "value-length-4gib",
        "value-longer-than-block",
        "A value length of 0xffffffff in a block of 16.",
        header(TAG, 16, 0xFFFFFFFF) + draw("rest", 16),
    )
    yield failure("duplicate-tag-adjacent", "duplicate-tag", "The same block twice in a row.", whole + whole)
    yield failure(
        "duplicate-tag-apart",
        "duplicate-tag",
        "A tag comes again after another block, with another value.",
        whole + written(5, OTHER) + written(20),
    )
    yield failure("duplicate-tag-empty", "duplicate-tag", "32 zero bytes: two empty blocks with tag 0.", bytes(32))
