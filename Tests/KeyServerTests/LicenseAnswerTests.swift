import HTTPTypes
import HummingbirdCore
import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("The response has the format of the request")
struct LicenseAnswerTests {
    private let answer = IssuedLicense(ckc: [0xFB, 0xFF, 0x01, 0x02], isPersistable: true, hasDualExpiry: false)

    @Test("Octets are answered with octets, and headers describe the key")
    func octets() async throws {
        let response = answer.response(in: .octets)
        #expect(try await response.bytes == [0xFB, 0xFF, 0x01, 0x02])
        #expect(response.headers[.contentType] == "application/octet-stream")
        #expect(response.headers[.persistable] == "true")
        #expect(response.headers[.dualExpiry] == "false")
    }

    @Test("Text and forms are answered with base64", arguments: [LicenseBodyFormat.text, .form, .multipart])
    func text(_ format: LicenseBodyFormat) async throws {
        let response = answer.response(in: format)
        #expect(try await response.text == "+/8BAg==")
        #expect(response.headers[.contentType] == "text/plain; charset=us-ascii")
        #expect(response.headers[.persistable] == "true")
        #expect(response.headers[.dualExpiry] == "false")
    }

    @Test("JSON is answered with JSON, whose fields describe the key")
    func json() async throws {
        let response = answer.response(in: .json)
        #expect(try await response.text == #"{"ckc":"+/8BAg==","dualExpiry":false,"persistable":true}"#)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.persistable] == nil)
    }

    @Test("XML is answered with an element, and headers describe the key")
    func xml() async throws {
        let response = answer.response(in: .xml)
        #expect(try await response.text.contains("<ckc>+/8BAg==</ckc>"))
        #expect(response.headers[.contentType] == "application/xml")
        #expect(response.headers[.persistable] == "true")
    }

    @Test(
        "Accept selects another format only if it excludes that of the request",
        arguments: [
            (nil, .octets, .octets), ("*/*", .octets, .octets), ("", .octets, .octets), ("nonsense", .octets, .octets),
            ("application/json, text/plain, */*", .octets, .octets), ("application/json", .octets, .json),
            ("text/plain", .octets, .text), ("application/octet-stream", .json, .octets), ("text/xml", .text, .xml),
            ("application/json;q=0.5, text/plain;q=0.9", .octets, .text),
            ("application/*, application/octet-stream;q=0", .octets, .json),
            ("APPLICATION / JSON ; Q=1", .form, .json), ("image/png", .octets, .octets), ("text/*", .json, .text),
        ] as [(String?, LicenseBodyFormat, LicenseBodyFormat)]
    )
    func accept(header: String?, asked: LicenseBodyFormat, answered: LicenseBodyFormat) {
        #expect((AcceptedTypes(header)?.format(instead: asked) ?? asked) == answered)
    }

    @Test("Licenses are not cached", arguments: LicenseBodyFormat.allCases)
    func noStore(_ format: LicenseBodyFormat) {
        #expect(answer.response(in: format).headers[.cacheControl] == "no-store")
    }
}
