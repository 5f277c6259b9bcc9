import FPSCrypto
import Foundation
import ServerCrypto
import Testing
import TextCoding
import ToolSupport
import VectorFiles

@testable import keyway

/// Tests of the detection of file types.
@Suite("File kinds")
struct FileKindTests {
    private static let spc = vector("spc/v2-iphone")
    private static let spc1 = vector("spc/v1-iphone")
    private static let ckc = vector("ckc/iphone")

    private static func vector(_ name: String) -> [UInt8] { (try? VectorFile(path: "\(name).txt").message) ?? [] }
    private func key(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: Keys.path(name)))) }
    private func kind(_ text: String) -> FileKind { FileKind(Array(text.utf8)) }
    private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    @Test("SPCs of both versions and CKCs, which have the same first bytes")
    func messages() {
        #expect(FileKind(Self.spc) == .spc(version: 2, .complete))
        #expect(FileKind(Self.spc1) == .spc(version: 1, .complete))
        #expect(FileKind(Self.ckc) == .ckc(.complete))
        #expect(FileKind([0, 0, 0, 3] + [UInt8](repeating: 7, count: 900)) == .spc(version: 3, .complete))
    }

    @Test("Every valid vector is detected")
    func vectors() throws {
        for vector in try VectorFile.successes(in: "spc") {
            #expect(FileKind(vector.message) == .spc(version: vector["spc-version"] == "1" ? 1 : 2, .complete))
        }
        for vector in try VectorFile.successes(in: "ckc") { #expect(FileKind(vector.message) == .ckc(.complete)) }
    }

    @Test("Missing and extra bytes are counted")
    func lengths() {
        #expect(FileKind(Self.spc.dropLast(5)) == .spc(version: 2, .truncated(missing: 5)))
        #expect(FileKind(Array(Self.spc.prefix(100))) == .spc(version: 2, .truncated(missing: 204)))
        #expect(FileKind(Array(Self.spc1.prefix(100))) == .spc(version: 1, .truncated(missing: 76)))
        #expect(FileKind(Self.spc + [10]) == .spc(version: 2, .excess(1)))
        #expect(FileKind(Self.ckc.dropLast(16)) == .ckc(.truncated(missing: 16)))
        #expect(FileKind(Self.ckc + [13, 10]) == .ckc(.excess(2)))
        var odd = Self.spc
        odd[303] ^= 1
        #expect(FileKind(odd) == .spc(version: 2, .invalidLength(897)))
    }

    @Test("Credentials in PEM and DER")
    func credentials() throws {
        let subject = "CN=TEST ONLY rsa-2048,O=Keyway test vectors"
        #expect(FileKind(try key("test-rsa-2048.der")) == .certificate(.der, subject: subject))
        let certificate = try X509Certificate(try key("test-rsa-2048.der"))
        #expect(kind(certificate.pem) == .certificate(.pem, subject: subject))
        #expect(FileKind(try key("test-rsa-2048.pem")) == .privateKey(.pem))
        let private2048 = try RSAPrivateKey(try key("test-rsa-2048.pem"))
        #expect(FileKind(try private2048.encodedPKCS8().reveal()) == .privateKey(.der))
        let passphrase = SecretBytes(copying: Array("secret".utf8))
        #expect(FileKind(try private2048.pem(passphrase: passphrase).reveal()) == .privateKey(.pem))
        #expect(
            kind("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n")
                == .pem(label: "CERTIFICATE REQUEST")
        )
    }

    @Test("Base64: standard, URL-safe, without padding, in lines")
    func base64() {
        let text = base64(Self.spc)
        let expected = FileKind.base64(.spc(version: 2, .complete))
        #expect(kind(text) == expected)
        let lines = text.enumerated().map { $0 > 0 && $0 % 76 == 0 ? "\r\n\($1)" : "\($1)" }.joined()
        #expect(kind(lines + "\n") == expected)
        let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_")
        #expect(kind(urlSafe) == expected)
        #expect(kind(String(urlSafe.prefix { $0 != "=" })) == expected)
        #expect(kind("\u{feff}" + text) == expected)
        #expect(kind(base64(Array(text.utf8))) == .base64(expected))
    }

    @Test("Base64 in which a form has replaced + with spaces")
    func lostPlus() {
        let text = base64(Self.spc)
        #expect(text.contains("+"))
        #expect(kind(text.replacing("+", with: " ")) == .base64WithoutPlus(.spc(version: 2, .complete)))
    }

    @Test("Form bodies, hexadecimal, UTF-16")
    func otherTexts() {
        let text = base64(Self.spc)
        let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        let message = FileKind.base64(.spc(version: 2, .complete))
        #expect(kind("spc=\(escaped)") == .form(field: "spc", message))
        #expect(kind("assetId=movie&spc=\(escaped)") == .form(field: "spc", message))
        #expect(kind(Hexadecimal.encode(Self.spc)) == .hexadecimal(.spc(version: 2, .complete)))
        for mark in [[UInt8](), [0xff, 0xfe]] {
            #expect(FileKind(mark + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }) == .utf16(message))
        }
        #expect(FileKind([0xfe, 0xff] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }) == .utf16(message))
    }

    @Test("Error pages of servers and proxies")
    func documents() {
        #expect(FileKind([]) == .empty)
        #expect(kind(" \r\n") == .empty)
        #expect(kind("<!DOCTYPE html><html><body>Sign in</body></html>") == .html)
        #expect(kind("\n<HTML>") == .html)
        #expect(kind("<?xml version=\"1.0\"?><plist/>") == .xml)
        #expect(kind("{\"spc\": \"AAAA\"}") == .json(.message(field: "spc")))
        #expect(kind("{\"fairplay-streaming-response\": {}}") == .json(.message(field: "fairplay-streaming-response")))
        #expect(kind("{\"type\": \"urn:x\", \"title\": \"No\", \"status\": 403}") == .json(.error("No")))
        #expect(kind("{\"error\": \"expired token\"}") == .json(.error("expired token")))
        #expect(kind("[1, 2]") == .json(.other))
        #expect(kind("#EXTM3U\n#EXT-X-VERSION:6\n") == .playlist)
        #expect(kind("skd://movie") == .keyURI)
        #expect(kind("Unauthorized.") == .text)
        #expect(FileKind([0x1f, 0x8b, 8, 0]) == .gzip)
        #expect(FileKind([0, 0, 0, 9, 0x80, 1, 2, 3]) == .binary(version: "00000009"))
        #expect(FileKind([1, 0, 0, 0, 0xff]) == .binary(version: "01000000"))
    }

    @Test("Descriptions do not contain bytes that may be a key")
    func keys() throws {
        let ask = try key("test-ask.hex")
        let text = String(decoding: ask, as: UTF8.self)
        #expect(FileKind(ask).description == "hexadecimal of other data")
        #expect(FileKind(HexArgument.decode(ask) ?? []).description == "data of an unknown type")
        #expect(kind(text + text).description == "hexadecimal of other data")
    }

    @Test("Deeply nested encodings are not decoded without limit")
    func depth() {
        var text = base64(Self.spc)
        for _ in 0..<8 { text = base64(Array(text.utf8)) }
        var kind = kind(text)
        var depth = 0
        while case .base64(let inner) = kind {
            kind = inner
            depth += 1
        }
        #expect(depth == 4)
        #expect(kind == .text)
    }

    @Test("Random bytes and prefixes of all types never trap")
    func anything() throws {
        var random = SeededRandom(seed: 11)
        let seeds = [Self.spc, Self.spc1, Self.ckc, try key("test-rsa-1024.der"), try key("test-rsa-1024.pem")]
        for seed in seeds {
            for count in 0..<min(seed.count, 400) { _ = FileKind(Array(seed.prefix(count))).description }
        }
        for count in 0..<300 {
            let kind = FileKind(random.bytes(count))
            #expect(!kind.description.isEmpty)
            #expect(!kind.advice(expecting: .spc).isEmpty)
        }
    }
}
