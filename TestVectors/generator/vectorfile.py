"""The text form of a vector: headers, a blank line, base64."""

import base64
from dataclasses import dataclass, field

Facts = dict[str, str]


@dataclass
class Vector:
    folder: str
    name: str
    description: str
    body: bytes
    inputs: Facts = field(default_factory=dict)  # what the reader must be given besides the message
    facts: Facts = field(default_factory=dict)  # what the reader must find (success only)
    stage: str | None = None  # where it must refuse (failure only)
    error: str | None = None

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}.txt"

    @property
    def succeeds(self) -> bool:
        return self.error is None

    def encode(self) -> bytes:
        headers = {"description": self.description, "expect": "success" if self.succeeds else "failure"}
        if not self.succeeds:
            headers |= {"stage": self.stage or "", "error": self.error or ""}
        headers |= self.inputs
        if self.succeeds:
            headers |= self.facts
        lines = [f"{name}: {value}" for name, value in headers.items()] + [""]
        text = base64.b64encode(self.body).decode()
        lines += [text[start : start + 76] for start in range(0, len(text), 76)]
        return ("\n".join(lines) + "\n").encode()


def decode(data: bytes) -> tuple[Facts, bytes]:
    """Headers and message of a vector file."""
    head, _, text = data.decode().partition("\n\n")
    headers: Facts = {}
    for line in head.splitlines():
        name, _, value = line.partition(": ")
        if name in headers:
            raise ValueError(f"header {name} twice")
        headers[name] = value
    return headers, base64.b64decode("".join(text.split()), validate=True)


def words(items) -> str:
    """A list as a fact: separated by spaces, `-` when it is empty or for an empty item."""
    return " ".join(item or "-" for item in items) or "-"
