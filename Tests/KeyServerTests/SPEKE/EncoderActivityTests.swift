import DRMSignaling
import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("The key requests of encoders", .timeLimit(.minutes(10)))
struct EncoderActivityTests {
    @Test("Each encoder and title has its requests, its keys, and the last failure with the reason")
    func requests() async throws {
        try await LicenseServer.run { server in
            let encoder = try await server.token(.encoder)
            #expect(try await server.speke(spekeDocument(), token: encoder).status == 200)
            #expect(try await server.speke(spekeDocument(), token: encoder).status == 200)
            #expect(try await server.speke(spekeDocument(systems: []), token: encoder).status == 422)
            #expect(try await server.speke(Array("<CPIX".utf8), token: encoder).status == 400)
            #expect(try await server.speke(spekeDocument("news", keys: [(spekeKeyID(7), "HD")])).status == 200)
            let answer = try await server.admin("GET", "/encoders")
            #expect(answer.status == 200)
            let items = try #require(answer.json["items"]?.items)
            func item(_ encoder: String, _ title: String?) -> JSONValue? {
                items.first { $0["encoder"]?.text == encoder && $0["title"]?.text == title }
            }
            #expect(items.count == 3)
            let film = item("a-encoder", "film")
            #expect(film?["answered"] == .integer(2))
            #expect(film?["keys"] == .integer(4))
            #expect(film?["created"] == .integer(2))
            #expect(film?["failed"] == .integer(1))
            #expect(film?["lastFailure"]?["reason"]?.text?.isEmpty == false)
            #expect(film?["last"] == .integer(Int(LicenseServer.time)))
            let unknown = item("a-encoder", nil)
            #expect(unknown?["answered"] == .integer(0))
            #expect(unknown?["failed"] == .integer(1))
            #expect(unknown?["lastFailure"]?["reason"]?.text?.isEmpty == false)
            #expect(item("admin-token", "news")?["keys"] == .integer(1))
            #expect(try await server.admin("GET", "/encoders?limit=1").status == 400)
        }
    }

    @Test("A failure has the reason of its error, and belongs to the title")
    func failures() {
        let activity = EncoderActivity()
        let subject = EncoderActivity.Subject(encoder: "a", title: "film")
        let errors: [(any Error, String, String?)] = [
            (ProblemDocument(.unacceptableCPIX, detail: "Wrong.", reason: "content-id"), "content-id", "Wrong."),
            (ProblemDocument(.unsupportedMediaType), "unsupported-media-type", nil),
            (WorkPoolError.overloaded, "overloaded", nil),
            (KeyStoreError(.conflict, place: "content", reason: "it exists"), "conflict", "it exists"),
            (KeyStoreError(.unavailable, place: "/data", reason: "disk"), "unavailable", nil),
        ]
        for (number, (error, reason, detail)) in errors.enumerated() {
            activity.failed(subject, error, at: Int64(number))
            let failure = activity.all()[0].requests.lastFailure
            #expect(failure == EncoderActivity.Failure(time: Int64(number), reason: reason, detail: detail))
        }
        #expect(activity.all()[0].requests.failed == errors.count)
    }

    @Test("The latest are first, and a new one replaces the oldest when there is no room")
    func bounded() {
        let activity = EncoderActivity()
        let count = EncoderActivity.capacity + 2
        for number in 0..<count {
            activity.answered(.init(encoder: "a", title: "t\(number)"), keys: 1, created: 1, at: Int64(number))
        }
        let all = activity.all()
        #expect(all.count == EncoderActivity.capacity)
        #expect(all.first?.subject.title == "t\(count - 1)")
        #expect(all.last?.subject.title == "t2")
    }
}
