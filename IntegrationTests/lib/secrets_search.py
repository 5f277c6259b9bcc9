"""Finds secrets in a program's output and files: raw, in hexadecimal, base64 or decimal, with or without line breaks."""

import base64
import os
import re

# White space, and its escape sequences in quoted text, for example in JSON.
BETWEEN = re.compile(rb"\\[nrt]|[\s\\]")


def base64_forms(secret):
    """Returns the base64 forms of a secret at any offset in the surrounding text, without characters that depend on that text."""
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + secret + bytes(3))
        inner = text[-(-8 * offset // 6) : 8 * (offset + len(secret)) // 6]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def forms(secret):
    """Yields every form of a secret to search for."""
    yield secret
    for digits in (secret.hex(), secret.hex().upper()):
        yield digits.encode()
    yield from base64_forms(secret)
    # The formats in which Swift and Python print lists of bytes, and openssl numbers.
    yield ",".join(map(str, secret)).encode()
    yield ":".join(f"{byte:02x}" for byte in secret).encode()


class Search:
    """The secrets by name, and the content that must not contain them."""

    def __init__(self):
        self.secrets = {}
        self.places = {}

    def secret(self, name, value):
        """Adds a secret. The first 48 bytes are sufficient to identify a long one."""
        if isinstance(value, str):
            value = value.encode()
        assert len(value) >= 12, f"{name} is too short to search for"
        self.secrets[name] = value[:48]

    def place(self, name, content):
        """Adds content to search; content with an existing name is appended."""
        if isinstance(content, str):
            content = content.encode()
        self.places[name] = self.places.get(name, b"") + content + b"\n"

    def findings(self):
        """Returns descriptions of each secret and the content where it was found."""
        looked_for = [(name, form) for name, secret in self.secrets.items() for form in set(forms(secret))]
        found = set()
        for place, content in self.places.items():
            # Line breaks split long forms: a PEM file has one after every 48 bytes.
            joined = BETWEEN.sub(b"", content)
            found |= {f"{name} is in {place}" for name, form in looked_for if form in content or form in joined}
        return sorted(found)

    def names_in(self, content):
        """Returns the names of the secrets that a text contains."""
        scratch = Search()
        scratch.secrets = self.secrets
        scratch.place("it", content)
        return {finding.removesuffix(" is in it") for finding in scratch.findings()}

    def test_itself(self):
        """Checks the search: every secret in every form is found in a scratch log, and nothing is found in a log without secrets."""
        for name, secret in self.secrets.items():
            planted = [secret, secret.hex().encode(), secret.hex().upper().encode(), str(list(secret)).encode()]
            planted.append(" ".join(f"{byte:02x}" for byte in secret).encode())
            for prefix in (b"", b"k", b"ke", b"key"):
                around = prefix + secret + os.urandom(4)
                planted += [base64.b64encode(around), base64.urlsafe_b64encode(around).rstrip(b"=")]
                planted.append(base64.b64encode(around).replace(b"/", b"\\/"))
                # With line breaks, as in PEM files and in mail, and in JSON's quoting.
                lines = base64.encodebytes(os.urandom(40) + prefix + secret + os.urandom(4))
                planted += [lines, lines.replace(b"\n", b"\r\n"), lines.replace(b"\n", b"\\n")]
                planted.append(b"\n".join(re.findall(rb".{1,64}", lines.replace(b"\n", b""))))
            for form in planted:
                scratch = Search()
                scratch.secrets = {name: secret}
                scratch.place("scratch.log", b'{"level":"debug","message":"' + form + b'"}')
                assert scratch.findings() == [f"{name} is in scratch.log"], f"{name} was inserted but not found: {form!r}"
            scratch = Search()
            scratch.secrets = {name: secret}
            scratch.place("scratch.log", os.urandom(len(secret) * 100))
            assert not scratch.findings(), f"{name} was found in content that does not contain it"
