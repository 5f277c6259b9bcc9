import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Titles, tracks and key periods over HTTP", .timeLimit(.minutes(10)))
struct AdministrationTitlesTests {
    private let secret = "000102030405060708090a0b0c0d0e0f"

    @Test("A title is created with tracks and key periods, shown, and deleted in reverse order")
    func life() async throws {
        try await LicenseServer.run { server in
            let policy = try await server.admin("PUT", "/policies/uhd", #"{"securityLevel": "main"}"#)
            #expect(policy.status == 201)
            let values = #"{"policy": "uhd", "keyUriTemplate": "skd://{kid}"}"#
            let title = try await server.admin("PUT", "/titles/film", values)
            #expect(title.status == 201)
            #expect(title.json["policy"] == .string("uhd"))
            #expect(try await server.admin("PUT", "/titles/film", "{}").status == 200)
            #expect(try await server.admin("PUT", "/titles/film/tracks/hd", #"{"kind": "hd"}"#).status == 201)
            #expect(try await server.admin("PUT", "/titles/none/tracks/hd", #"{"kind": "hd"}"#).status == 404)
            let audio = #"{"kind": "audio", "policy": "uhd"}"#
            #expect(try await server.admin("PUT", "/titles/film/tracks/sound", audio).status == 409)

            for hour in 0..<3 {
                let keyID = "0\(hour)000000000000000000000000000000"
                let body =
                    #"{"key": "\#(secret)", "iv": "\#(secret)", "keyId": "\#(keyID)", "title": "film", "#
                    + #""titleTrack": "hd", "validFrom": \#(hour * 3_600), "validUntil": \#((hour + 1) * 3_600)}"#
                let period = try await server.admin("PUT", "/content/\(keyID)", body)
                #expect(period.status == 201)
                #expect(period.json["title"] == .string("film"))
                #expect(!period.text.contains(secret))
            }
            let periods = try await server.pages("/titles/film/tracks/hd/periods", limit: 2)
            #expect(periods.map(\.count) == [2, 1])
            let begins = periods.joined().map { $0["validFrom"] }
            #expect(begins == [.integer(0), .integer(3_600), .integer(7_200)])

            #expect(try await server.admin("DELETE", "/titles/film").status == 409)
            #expect(try await server.admin("DELETE", "/titles/film/tracks/hd").status == 409)
            for hour in 0..<3 {
                let path = "/content/0\(hour)000000000000000000000000000000"
                #expect(try await server.admin("DELETE", path).status == 204)
            }
            #expect(try await server.admin("DELETE", "/titles/film/tracks/hd").status == 204)
            #expect(try await server.admin("DELETE", "/titles/film").status == 204)
            #expect(try await server.admin("GET", "/titles/film").status == 404)
            #expect(try await server.admin("GET", "/titles/film/tracks").status == 404)
            let changes = try await server.changes()
            #expect(changes.first == "admin-policy-put by admin-token: policy uhd created")
            #expect(changes.contains("admin-track-put by admin-token: track film/hd created"))
            #expect(changes.last == "admin-title-delete by admin-token: title film deleted")
            #expect(changes.count == 12)
        }
    }

    @Test("Changes that would make every license fail are refused, for every kind of record")
    func policies() async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            let video = #"{"securityLevel": "main"}"#
            #expect(try await server.admin("PUT", "/policies/video", video).status == 201)
            #expect(try await server.admin("PUT", "/policies/free", "{}").status == 201)
            let template = try await server.admin("PUT", "/titles/film", #"{"keyUriTemplate": "nonsense {foo}"}"#)
            #expect(template.status == 400)
            #expect(template.text.contains("key URI"))
            let web = try await server.admin("PUT", "/titles/film", #"{"keyUriTemplate": "https://{kid}"}"#)
            #expect(web.status == 400)

            #expect(try await server.admin("PUT", "/titles/film", "{}").status == 201)
            let sound = #"{"kind": "audio", "policy": "free"}"#
            #expect(try await server.admin("PUT", "/titles/film/tracks/sound", sound).status == 201)
            let title = try await server.admin("PUT", "/titles/film", #"{"policy": "video"}"#)
            #expect(title.status == 409)
            #expect(title.text.contains("track film/sound") && title.text.contains("securityLevel"))
            let stem = #"{"key": "\#(secret)", "iv": "\#(secret)", "keyId": "\#(secret)", "title": "film", "#
            let period = stem + #""titleTrack": "sound""#
            #expect(try await server.admin("PUT", "/content/a2", period + #", "policy": "video"}"#).status == 409)
            #expect(try await server.admin("PUT", "/content/a2", period + "}").status == 201)
            // Records that refer to a policy are checked when the policy changes.
            let changed = try await server.admin("PUT", "/policies/free", video)
            #expect(changed.status == 409)
            #expect(changed.text.contains("film/sound"))
            #expect(try await server.admin("PUT", "/policies/free", #"{"securityLevel": "audio"}"#).status == 200)
            #expect(try await server.admin("PUT", "/titles/film/tracks/sound", #"{"kind": "hd"}"#).status == 200)
            #expect(try await server.changes().count == 7)
        }
    }

    @Test(
        "An invalid key period is refused",
        arguments: [
            #""title": "film""#, #""titleTrack": "hd""#, #""title": "film", "titleTrack": "hd""#,
            #""validFrom": 5, "validUntil": 5"#, #""validFrom": -1"#, #""validFrom": 1.5"#,
        ]
    )
    func mistakes(fields: String) async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            let body = #"{"key": "\#(secret)", "iv": "\#(secret)", \#(fields)}"#
            #expect(try await server.admin("PUT", "/content/a2", body).status == 400)
            #expect(try await server.changes().isEmpty)
        }
    }

    @Test("A reference to a missing record, or another key's ID, is a conflict")
    func conflicts() async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            let stem = #"{"key": "\#(secret)", "iv": "\#(secret)", "keyId": "\#(secret)""#
            let period = stem + #", "title": "film", "titleTrack": "hd"}"#
            #expect(try await server.admin("PUT", "/content/a2", period).status == 409)
            #expect(try await server.admin("PUT", "/titles/film", #"{"policy": "none"}"#).status == 409)
            #expect(try await server.admin("PUT", "/content/a2", stem + "}").status == 201)
            #expect(try await server.admin("PUT", "/content/a3", stem + "}").status == 409)
        }
    }
}
