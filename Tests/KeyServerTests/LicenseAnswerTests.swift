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

    @Test("Text and forms are answered with base64", arguments: [LicenseBodyFormat.text, .form])
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

    @Test("Licenses are not cached", arguments: LicenseBodyFormat.allCases)
    func noStore(_ format: LicenseBodyFormat) {
        #expect(answer.response(in: format).headers[.cacheControl] == "no-store")
    }
}
