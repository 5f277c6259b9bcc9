#!/usr/bin/env python3
"""Records what keyway package and AWS's SPEKE reference server say to each other. README.md says how.

    record.py serve SOURCE FOLDER       the server at SOURCE/key_server.py; exchanges go to FOLDER; prints its address
    record.py facts FOLDER [--key PEM]  what Python reads in the answers of FOLDER, as lines of session.txt

AWS's services are those of moto, in memory; the settings of the server are in configuration.txt.
"""

import argparse
import base64
import hmac
import http.server
import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CPIX = "{urn:dashif:org:cpix}"
PSKC = "{urn:ietf:params:xml:ns:keyprov:pskc}"
ENC = "{http://www.w3.org/2001/04/xmlenc#}"
SYSTEMS = {
    "94ce86fb-07ff-4f43-adb8-93d2fa968ca2": "fairplay",
    "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed": "widevine",
    "9a04f079-9840-4286-ab92-e65be0885f95": "playready",
}


class Handler(http.server.BaseHTTPRequestHandler):
    """What API Gateway is to the server: a request becomes an event, its result an answer."""

    handle_event = None
    folder = None
    count = 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = {
            "body": base64.b64encode(body).decode(),
            "isBase64Encoded": True,
            "headers": dict(self.headers.items()),
        }
        result = Handler.handle_event(event, None)
        content = result["body"].encode()
        fields = {**result["headers"], "Content-Length": len(content)}
        status = f"HTTP/1.1 {result['statusCode']} {'OK' if result['statusCode'] == 200 else 'Error'}"
        answer = self.message(status, fields) + content
        number, Handler.count = Handler.count, Handler.count + 1
        (Handler.folder / f"{number}.request").write_bytes(self.message(self.requestline, self.headers) + body)
        (Handler.folder / f"{number}.answer").write_bytes(answer)
        self.wfile.write(answer)
        self.close_connection = True

    @staticmethod
    def message(first: str, fields) -> bytes:
        return "\r\n".join([first, *(f"{name}: {value}" for name, value in fields.items()), "", ""]).encode()

    def log_message(self, *_) -> None:
        pass


def serve(source: str, folder: str) -> None:
    for line in Path(__file__).with_name("configuration.txt").read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            os.environ[name] = value
    os.environ.update(AWS_DEFAULT_REGION="us-east-1", AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none")
    import boto3
    import moto

    moto.mock_aws().start()
    boto3.client("s3").create_bucket(Bucket=os.environ["KEYSTORE_BUCKET"])
    sys.path.insert(0, source)
    import key_server

    Handler.handle_event, Handler.folder = staticmethod(key_server.server_handler), Path(folder)
    Handler.folder.mkdir(parents=True, exist_ok=True)
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/EkeStage/copyProtection", file=sys.stderr, flush=True)
    server.serve_forever()


def opener(root: ElementTree.Element, private_key: str | None):
    """What makes a key of a pskc:Secret."""
    if private_key is None:
        return lambda secret: base64.b64decode(secret.find(PSKC + "PlainValue").text)
    from cryptography.hazmat.primitives import hashes, padding, serialization
    from cryptography.hazmat.primitives.asymmetric import padding as rsa
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key = serialization.load_pem_private_key(Path(private_key).read_bytes(), None)
    oaep = rsa.OAEP(mgf=rsa.MGF1(hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
    value = f"{PSKC}EncryptedValue/{ENC}CipherData/{ENC}CipherValue"
    delivery = root.find(f"{CPIX}DeliveryDataList/{CPIX}DeliveryData")
    document_key, mac_key = (
        key.decrypt(base64.b64decode(delivery.find(f"{place}/{value}").text), oaep)
        for place in (f"{CPIX}DocumentKey/{CPIX}Data/{PSKC}Secret", f"{CPIX}MACMethod/{CPIX}Key")
    )

    def opened(secret: ElementTree.Element) -> bytes:
        data = base64.b64decode(secret.find(value).text)
        assert hmac.digest(mac_key, data, "sha512") == base64.b64decode(secret.find(PSKC + "ValueMAC").text)
        decryptor = Cipher(algorithms.AES(document_key), modes.CBC(data[:16])).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(data[16:]) + decryptor.finalize()) + unpadder.finalize()

    return opened


def facts(folder: str, private_key: str | None) -> None:
    signals, keys = {}, []
    for path in sorted(Path(folder).glob("*.answer"), key=lambda path: int(path.stem)):
        root = ElementTree.fromstring(path.read_bytes().partition(b"\r\n\r\n")[2])
        opened = opener(root, private_key)
        for key in root.iter(CPIX + "ContentKey"):
            secret = opened(key.find(f"{CPIX}Data/{PSKC}Secret"))
            iv = base64.b64decode(key.get("explicitIV"))
            keys.append(f"key: {key.get('kid').replace('-', '')}:{secret.hex()}:{iv.hex()}")
        for system in root.iter(CPIX + "DRMSystem"):
            name = SYSTEMS[system.get("systemId")]
            for element in system:
                kind = element.get("playlist") or element.tag.removeprefix(CPIX)
                text = element.text if kind == "PSSH" else base64.b64decode(element.text).decode()
                # The server has one for all keys.
                assert signals.setdefault(f"{name}-{kind}", text) == text
    print("\n".join([f"{name}: {text}" for name, text in signals.items()] + keys))


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("serve")
    command.add_argument("source")
    command.add_argument("folder")
    command = commands.add_parser("facts")
    command.add_argument("folder")
    command.add_argument("--key")
    arguments = parser.parse_args()
    if arguments.command == "serve":
        serve(arguments.source, arguments.folder)
    else:
        facts(arguments.folder, arguments.key)


main()
