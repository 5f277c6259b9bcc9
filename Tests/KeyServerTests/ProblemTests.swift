import HTTPTypes
import HummingbirdCore
import Testing

@testable import KeyServer

@Suite("Problem documents")
struct ProblemTests {
    @Test("Every type has its own URI, a title and an error status")
    func types() {
        #expect(Set(ProblemType.all.map(\.uri)).count == ProblemType.all.count)
        for type in ProblemType.all {
            #expect(type.name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) })
            #expect(!type.title.isEmpty)
            #expect([.clientError, .serverError].contains(type.status.kind))
        }
    }

    @Test("A document has the fields of RFC 9457 and its media type")
    func document() async throws {
        let problem = ProblemDocument(.overloaded, detail: "Say \"when\".", reason: "queue", retryAfter: 3)
        let response = problem.response(instance: "abc")
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(response.headers[.retryAfter] == "3")
        #expect(response.headers[.cacheControl] == "no-store")
        let expected =
            #"{"detail":"Say \"when\".","instance":"abc","reason":"queue","status":503,"#
            + #""title":"The server is overloaded","type":"urn:keyway:problem:overloaded"}"#
        #expect(try await response.text == expected)
    }

    @Test("Fields without a value are omitted")
    func skipped() async throws {
        let response = ProblemDocument(.unreadableSPC).response(instance: "abc")
        #expect(response.headers[.retryAfter] == nil)
        let text = try await response.text
        #expect(!text.contains("detail") && !text.contains("reason"))
    }
}
