"""Finds secrets in whatever a program leaves behind: as they are, in hexadecimal, in base64, in decimal, in lines or not."""

import base64
import os
import re

# White space, and what stands for it or before a character where a text is quoted, as in JSON.
BETWEEN = re.compile(rb"\\[nrt]|[\s\\]")


def base64_forms(secret):
    """What base64 makes of a secret wherever it begins in the text around it, without what depends on that text."""
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + secret + bytes(3))
        inner = text[-(-8 * offset // 6) : 8 * (offset + len(secret)) // 6]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def forms(secret):
    """Every form of a secret that is looked for."""
    yield secret
    for digits in (secret.hex(), secret.hex().upper()):
        yield digits.encode()
    yield from base64_forms(secret)
    # As Swift and Python print lists of bytes, and openssl numbers.
    yield ",".join(map(str, secret)).encode()
    yield ":".join(f"{byte:02x}" for byte in secret).encode()


class Search:
    """Secrets by name, and where they must not be."""

    def __init__(self):
        self.secrets = {}
        self.places = {}

    def secret(self, name, value):
        """Adds a secret. Of long ones the first 48 bytes are enough to know them by."""
        if isinstance(value, str):
            value = value.encode()
        assert len(value) >= 12, f"{name} is too short to be looked for"
        self.secrets[name] = value[:48]

    def place(self, name, content):
        """Adds a place; more content under a name that is there already goes behind it."""
        if isinstance(content, str):
            content = content.encode()
        self.places[name] = self.places.get(name, b"") + content + b"\n"

    def findings(self):
        """Each secret in each place where it is."""
        looked_for = [(name, form) for name, secret in self.secrets.items() for form in set(forms(secret))]
        found = set()
        for place, content in self.places.items():
            # Line breaks split what is long: a PEM file has one after every 48 bytes.
            joined = BETWEEN.sub(b"", content)
            found |= {f"{name} is in {place}" for name, form in looked_for if form in content or form in joined}
        return sorted(found)

    def names_in(self, content):
        """The secrets that a text holds."""
        scratch = Search()
        scratch.secrets = self.secrets
        scratch.place("it", content)
        return {finding.removesuffix(" is in it") for finding in scratch.findings()}

    def test_itself(self):
        """Plants every secret in every form in a scratch log and sees that it is found; and nothing where nothing is."""
        for name, secret in self.secrets.items():
            planted = [secret, secret.hex().encode(), secret.hex().upper().encode(), str(list(secret)).encode()]
            planted.append(" ".join(f"{byte:02x}" for byte in secret).encode())
            for prefix in (b"", b"k", b"ke", b"key"):
                around = prefix + secret + os.urandom(4)
                planted += [base64.b64encode(around), base64.urlsafe_b64encode(around).rstrip(b"=")]
                planted.append(base64.b64encode(around).replace(b"/", b"\\/"))
                # In lines, as in PEM files and in mail, and as JSON quotes them.
                lines = base64.encodebytes(os.urandom(40) + prefix + secret + os.urandom(4))
                planted += [lines, lines.replace(b"\n", b"\r\n"), lines.replace(b"\n", b"\\n")]
                planted.append(b"\n".join(re.findall(rb".{1,64}", lines.replace(b"\n", b""))))
            for form in planted:
                scratch = Search()
                scratch.secrets = {name: secret}
                scratch.place("scratch.log", b'{"level":"debug","message":"' + form + b'"}')
                assert scratch.findings() == [f"{name} is in scratch.log"], f"{name} was planted and not found: {form!r}"
            scratch = Search()
            scratch.secrets = {name: secret}
            scratch.place("scratch.log", os.urandom(len(secret) * 100))
            assert not scratch.findings(), f"{name} was found where it is not"
