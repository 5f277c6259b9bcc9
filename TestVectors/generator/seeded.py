"""Bytes that look random and are the same every time.

Every value is drawn by the name of its vector and a label of its own, so a new vector, or a new field in a vector,
changes nothing else.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Seeded:
    """The source of one vector: SHA-256 over vector name, label and a counter."""

    def __init__(self, vector: str):
        self.vector = vector

    def bytes(self, label: str, count: int) -> bytes:
        drawn = b""
        while len(drawn) < count:
            drawn += hashlib.sha256(f"{self.vector}|{label}|{len(drawn) // 32}".encode()).digest()
        return drawn[:count]

    def below(self, label: str, limit: int) -> int:
        return int.from_bytes(self.bytes(label, 8), "big") % limit

    def shuffled(self, label: str, items: Sequence[Item]) -> list[Item]:
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(f"{label} {last}", last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def padding(self, label: str, count: int) -> bytes:
        """Bytes that are never all 0x00 or all 0xFF (Table 2-2)."""
        attempt = 0
        while True:
            drawn = self.bytes(f"{label} padding {attempt}", count)
            if count == 0 or set(drawn) not in ({0x00}, {0xFF}):
                return drawn
            attempt += 1
