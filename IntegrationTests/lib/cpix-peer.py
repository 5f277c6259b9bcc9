"""CPIX with pycpix, for test-speke: documents created and read by another implementation.

    cpix-peer.py make KEYS [--to CERTIFICATE]       prints a document with keys, in the clear or encrypted
    cpix-peer.py ask KIDS CONTENT-ID [--to CERT] [--version 2.4]
                                                    prints a key request as an encoder sends it; with 2.4 it has a key
                                                    period with a start and an end, and elements that no server uses
    cpix-peer.py open DOCUMENT [--key PRIVATE-KEY]  prints the keys of a document as lines KID:KEY:IV:TYPE, sorted
    cpix-peer.py serve                              runs a key server that answers SPEKE requests; prints its port
    cpix-peer.py check DOCUMENT                     checks the parts with pycpix's readers, and its schema if possible

pycpix transports encrypted values; this script encrypts them with pycryptodome, according to the CPIX specification only.
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import socketserver
import os
import sys
import warnings

warnings.filterwarnings("ignore")
import cpix  # noqa: E402
from cpix.drm import widevine  # noqa: E402
from Crypto.Cipher import AES, PKCS1_OAEP  # noqa: E402
from Crypto.PublicKey import RSA  # noqa: E402
from lxml import etree  # noqa: E402

FAIRPLAY = "94ce86fb-07ff-4f43-adb8-93d2fa968ca2"
WIDEVINE = "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
PLAYREADY = "9a04f079-9840-4286-ab92-e65be0885f95"


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def certificate_der(path: str) -> bytes:
    pem = open(path, encoding="ascii").read()
    return base64.b64decode("".join(pem.split("-----")[2].split()))


class Recipient:
    """A document key and a MAC key, encrypted to a certificate."""

    def __init__(self, der: bytes):
        self.document_key, self.mac_key = os.urandom(32), os.urandom(64)
        oaep = PKCS1_OAEP.new(RSA.import_key(der))
        self.data = cpix.DeliveryData(
            cpix.DeliveryKey(text(der)),
            cpix.DocumentKey(text(oaep.encrypt(self.document_key))),
            cpix.MACMethod(text(oaep.encrypt(self.mac_key))),
        )

    def seal(self, key: bytes) -> tuple[str, str]:
        iv = os.urandom(16)
        # XML Encryption's padding: only the last byte is significant.
        padded = key + os.urandom(15) + b"\x10"
        value = iv + AES.new(self.document_key, AES.MODE_CBC, iv).encrypt(padded)
        return text(value), text(hmac.digest(self.mac_key, value, "sha512"))


def document(content_id: str) -> cpix.CPIX:
    made = cpix.CPIX()
    made.content_id = content_id
    made.version = "2.3"
    made.content_keys = cpix.ContentKeyList()
    made.usage_rules = cpix.UsageRuleList()
    return made


def make(arguments: argparse.Namespace) -> bytes:
    """Creates a document. KEYS has lines KID:KEY:IV:TYPE in hexadecimal."""
    made = document("pycpix-film")
    recipient = Recipient(certificate_der(arguments.to)) if arguments.to else None
    if recipient:
        made.delivery_datas = cpix.DeliveryDataList()
        made.delivery_datas.append(recipient.data)
    for line in open(arguments.keys, encoding="ascii").read().split():
        kid, key, iv, kind = line.split(":")
        value, mac = recipient.seal(bytes.fromhex(key)) if recipient else (text(bytes.fromhex(key)), None)
        made.content_keys.append(cpix.ContentKey(kid, value, "cbcs", text(bytes.fromhex(iv)), mac))
        made.usage_rules.append(cpix.UsageRule(kid, intended_track_type=kind))
    return made.pretty_print()


def ask(arguments: argparse.Namespace) -> bytes:
    made = document(arguments.content_id)
    made.version = arguments.version
    made.drm_systems = cpix.DRMSystemList()
    period = []
    if arguments.version == "2.4":
        made.periods = cpix.PeriodList()
        made.periods.append(cpix.Period("period", start="2026-01-01T00:00:00Z", end="2026-01-01T01:00:00Z"))
        period = [cpix.KeyPeriodFilter("period")]
    for line in arguments.kids.split(","):
        kid, kind = line.split(":")
        made.content_keys.append(cpix.ContentKey(kid, common_encryption_scheme="cbcs"))
        filters = period + [cpix.AudioFilter() if kind == "AUDIO" else cpix.VideoFilter()]
        made.usage_rules.append(cpix.UsageRule(kid, filters, intended_track_type=kind))
        for system in (FAIRPLAY, WIDEVINE, PLAYREADY):
            made.drm_systems.append(cpix.DRMSystem(kid, system))
    tree = etree.fromstring(made.pretty_print())
    if arguments.version == "2.4":
        for key in tree.iter("{*}ContentKey"):
            key.append(etree.fromstring('<other xmlns="urn:example" a="1"><inner>text</inner></other>'))
            key.set("{urn:example}mark", key.get("kid"))
    if arguments.to:
        # pycpix cannot create a request for encrypted keys, which is a certificate without keys.
        space = "urn:dashif:org:cpix"
        signature = "http://www.w3.org/2000/09/xmldsig#"
        data = etree.fromstring(
            f'<DeliveryDataList xmlns="{space}" xmlns:ds="{signature}"><DeliveryData id="peer"><DeliveryKey>'
            f"<ds:X509Data><ds:X509Certificate>{text(certificate_der(arguments.to))}</ds:X509Certificate></ds:X509Data>"
            "</DeliveryKey></DeliveryData></DeliveryDataList>"
        )
        tree.insert(0, data)
    return etree.tostring(tree)


def open_document(arguments: argparse.Namespace) -> bytes:
    read = cpix.parse(open(arguments.document, "rb").read())
    keys = {}
    if arguments.key:
        oaep = PKCS1_OAEP.new(RSA.import_key(open(arguments.key, "rb").read()))
        delivery = read.delivery_datas[0]
        document_key = oaep.decrypt(base64.b64decode(delivery.document_key.cipher_value))
        mac_key = oaep.decrypt(base64.b64decode(delivery.mac_method.cipher_value))
        assert len(document_key) == 32 and len(mac_key) == 64
    types = {rule.kid: rule.intended_track_type for rule in read.usage_rules}
    for key in read.content_keys:
        value = base64.b64decode(key.cek)
        if arguments.key:
            assert hmac.compare_digest(hmac.digest(mac_key, value, "sha512"), base64.b64decode(key.value_mac))
            padded = AES.new(document_key, AES.MODE_CBC, value[:16]).decrypt(value[16:])
            value = padded[: -padded[-1]]
        else:
            assert key.value_mac is None
        assert len(value) == 16
        iv = base64.b64decode(key.explicit_iv).hex() if key.explicit_iv else ""
        keys[key.kid.hex] = f"{key.kid.hex}:{value.hex()}:{iv}:{types.get(key.kid) or ''}"
    return ("\n".join(keys[kid] for kid in sorted(keys)) + "\n").encode()


def check(arguments: argparse.Namespace) -> bytes:
    content = open(arguments.document, "rb").read()
    read = cpix.parse(content)
    assert len(read.content_keys) > 0 and read.version == arguments.version
    tree = etree.fromstring(content)
    if arguments.version == "2.4":
        assert [(period.id, period.index) for period in read.periods] == [("period", None)]
        assert read.periods[0].end.isoformat().startswith("2026-01-01T01:00:00")
        for key in tree.iter("{*}ContentKey"):
            assert key.get("{urn:example}mark") == key.get("kid")
            other = key.find("{urn:example}other")
            assert other.get("a") == "1" and other.findtext("{urn:example}inner") == "text"
            key.remove(other)
            del key.attrib["{urn:example}mark"]
        levels = {data.get("HLSHDCPLevel") for data in tree.iter("{*}HDCPData")}
        assert levels == {"TYPE-0"}, levels
    # The schema in pycpix is older than commonEncryptionScheme, DRMSystem's name and HDCPData. It has MACKey where other
    # implementations write Key, and declares periodId as the ID of an element, not as a reference.
    for element in list(tree.iter()):
        element.attrib.pop("commonEncryptionScheme", None)
        if etree.QName(element).localname in ("MACMethod", "HDCPData", "KeyPeriodFilter"):
            element.getparent().remove(element)
    ok = cpix.CPIX_SCHEMA.validate(tree)
    assert ok, cpix.CPIX_SCHEMA.error_log
    return b"%d keys, %d rules\n" % (len(read.content_keys), len(read.usage_rules))


def answer(question: bytes, version: str) -> bytes:
    """Returns a SPEKE response by pycpix. Keys are derived from key IDs, so that equal requests get equal responses. With v2.1
    the keys require HDCP type 1, which pycpix cannot write."""
    tree = etree.fromstring(question)
    space = "{urn:dashif:org:cpix}"
    assert tree.get("version") == {"2.0": "2.3", "2.1": "2.4"}[version]
    made = document(tree.get("contentId"))
    made.version = tree.get("version")
    recipient = None
    for element in tree.iter("{http://www.w3.org/2000/09/xmldsig#}X509Certificate"):
        recipient = Recipient(base64.b64decode(element.text))
        made.delivery_datas = cpix.DeliveryDataList()
        made.delivery_datas.append(recipient.data)
    for element in tree.iter(space + "ContentKey"):
        kid, scheme = element.get("kid"), element.get("commonEncryptionScheme")
        key, iv = (hashlib.sha256((what + kid).encode()).digest()[:16] for what in ("key", "iv"))
        value, mac = recipient.seal(key) if recipient else (text(key), None)
        made.content_keys.append(cpix.ContentKey(kid, value, scheme, text(iv), mac))
    for element in tree.iter(space + "ContentKeyUsageRule"):
        made.usage_rules.append(cpix.UsageRule(element.get("kid"), intended_track_type=element.get("intendedTrackType")))
    made.drm_systems = cpix.DRMSystemList()
    for element in tree.iter(space + "DRMSystem"):
        kid, system = element.get("kid"), element.get("systemId")
        if system == WIDEVINE:
            box = widevine.generate_pssh([kid], provider="peer", content_id="given", version=0)
            made.drm_systems.append(cpix.DRMSystem(kid, system, pssh=text(box)))
        elif system == FAIRPLAY:
            tag = f'METHOD=SAMPLE-AES,URI="skd://peer/{kid}",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"'
            lines = [text(f"#EXT-X-{name}:{tag}".encode()) for name in ("KEY", "SESSION-KEY")]
            made.drm_systems.append(
                cpix.DRMSystem(kid, system, hls_signaling_data=lines[0], hls_signaling_data_master=lines[1])
            )
    if version == "2.0":
        return made.pretty_print()
    tree = etree.fromstring(made.pretty_print())
    for key in tree.iter("{*}ContentKey"):
        key.insert(0, etree.Element(etree.QName(tree, "HDCPData"), HLSHDCPLevel="TYPE-1"))
    for system in tree.iter("{*}DRMSystem"):
        if system.get("systemId") == FAIRPLAY:
            system.set("HLSAllowedCPC", "com.apple.streamingkeydelivery:AppleMain/Main")
    return etree.tostring(tree)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        version = self.headers["X-Speke-Version"]
        assert version in ("2.0", "2.1") and self.headers["Content-Type"] == "application/xml"
        content = answer(body, version)
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("X-Speke-Version", version)
        self.send_header("X-Speke-User-Agent", "pycpix")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def serve(_: argparse.Namespace) -> bytes:
    server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    return b""


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    for name, action, words in (
        ("make", make, ("keys",)),
        ("ask", ask, ("kids", "content_id")),
        ("open", open_document, ("document",)),
        ("serve", serve, ()),
        ("check", check, ("document",)),
    ):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        for word in words:
            command.add_argument(word)
        command.add_argument("--to")
        command.add_argument("--key")
        command.add_argument("--version", default="2.3")
    arguments = parser.parse_args()
    sys.stdout.buffer.write(arguments.action(arguments))


main()
