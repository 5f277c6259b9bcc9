import DRMSignaling
import FPSCrypto
import KeyStore
import NIOSSL
import Testing
import TextCoding

@testable import KeyServer

@Suite("Refusals of SPEKE requests", .timeLimit(.minutes(10)))
struct SPEKERefusalTests {
    /// An invalid document, and the reason in the response.
    private static let refusals: [(reason: String, change: @Sendable (inout CPIXDocument) -> Void)] = [
        ("content-id", { $0.contentID = nil }), ("content-id", { $0.contentID = "" }),
        ("content-keys", { $0.contentKeys = [] }),
        ("content-keys", { $0.contentKeys[0].value = .plain(SecretBytes(copying: Array(0..<16))) }),
        (
            "content-keys",
            { document in
                document.contentKeys = (0..<501).map { number in
                    let bytes = [UInt8](repeating: 1, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
                    return .init(keyID: ContentKeyID(bytes)!, key: nil, scheme: "cbcs")
                }
            }
        ),
        ("encryption-scheme", { $0.contentKeys[1].scheme = nil }),
        ("encryption-scheme", { $0.contentKeys[1].scheme = "cenc" }),
        (
            "encryption-scheme",
            { document in
                for index in document.contentKeys.indices { document.contentKeys[index].scheme = "cens" }
            }
        ),
        ("intended-track-type", { $0.usageRules[0].intendedTrackType = nil }),
        ("intended-track-type", { $0.usageRules.removeFirst() }),
        ("intended-track-type", { $0.usageRules.append(spekeRule(spekeKeyID(1), "SD")) }),
        ("intended-track-type", { $0.usageRules[0] = spekeRule(spekeKeyID(1), "ALL") }),
        ("intended-track-type", { $0.usageRules[0] = spekeRule(spekeKeyID(1), "AUDIO") }),
        ("intended-track-type", { $0.usageRules.append($0.usageRules[0]) }),
        ("usage-rule", { $0.usageRules[0].videoFilters.append(.init(minPixels: 1)) }),
        ("usage-rule", { $0.usageRules[0].intendedTrackType = "SD+HD" }),
        (
            "usage-rule",
            { document in
                document.usageRules = [spekeRule(spekeKeyID(1), "ALL")]
                document.contentKeys.removeLast()
                document.usageRules[0].audioFilters.append(.init())
            }
        ),
        ("usage-rule", { $0.usageRules.append(spekeRule(spekeKeyID(8), "SD")) }),
        ("usage-rule", { $0.usageRules[0].videoFilters = [] }),
        ("usage-rule", { $0.usageRules[1].audioFilters = [] }),
        (
            "usage-rule",
            { document in
                document.usageRules = [spekeRule(spekeKeyID(1), "ALL")]
                document.contentKeys.removeLast()
                document.usageRules[0].audioFilters = []
            }
        ),
        (
            "usage-rule",
            { document in
                document.usageRules = [spekeRule(spekeKeyID(1), "ALL")]
                document.contentKeys.removeLast()
                document.usageRules[0].videoFilters = [.init(maxPixels: 100)]
            }
        ),
        ("drm-system", { $0.systems = [] }),
        ("drm-system", { $0.systems[0].keyID = spekeKeyID(8) }),
        ("drm-system", { $0.systems.append($0.systems[0]) }),
        ("unknown-system", { $0.systems[0].systemID = "5e629af5-38da-4063-8977-97ffbd9902d4" }),
        (
            "method-not-allowed",
            { document in
                for index in document.contentKeys.indices { document.contentKeys[index].scheme = "cenc" }
            }
        ),
        ("key-period", { $0.usageRules[0].periodIDs = ["p"] }),
        (
            "key-period",
            { document in
                document.periods = [.init(id: "p"), .init(id: "q", index: 1)]
                document.usageRules[0].periodIDs = ["p"]
            }
        ),
        (
            "key-period",
            { document in
                document.periods = [.init(id: "p", index: 1), .init(id: "q", index: 2)]
                document.usageRules[0].periodIDs = ["p", "q"]
            }
        ),
        (
            "key-period",
            { document in
                document.periods = [.init(id: "p", start: 9, end: 9)]
                document.usageRules[0].periodIDs = ["p"]
            }
        ),
        ("key-period", { $0.periods = [.init(id: "p", index: 1)] }),
        ("key-period", { Self.use(&$0, .init(id: "p", index: 1, end: 9)) }),
        ("key-period", { Self.use(&$0, .init(id: "p", start: 9, end: 10)) { $0.duration = 1 } }),
        ("key-period", { Self.use(&$0, .init(id: "p", start: 9)) { $0.duration = 0 } }),
        ("key-period", { Self.use(&$0, .init(id: "p")) { $0.startOffset = 1 } }),
        ("key-period", { Self.use(&$0, .init(id: "p", index: 1)) { $0.endOffset = 1 } }),
        ("key-period", { Self.use(&$0, .init(id: "p")) { ($0.startOffset, $0.endOffset) = (2, 2) } }),
    ]

    /// Uses a period for all keys of a document.
    private static func use(
        _ document: inout CPIXDocument,
        _ period: CPIXDocument.KeyPeriod,
        _ change: (inout CPIXDocument.KeyPeriod) -> Void = { _ in }
    ) {
        document.periods = [period]
        change(&document.periods[0])
        for index in document.usageRules.indices { document.usageRules[index].periodIDs = ["p"] }
    }

    @Test("A document that violates a rule is refused with the rule, and no key is created")
    func rules() async throws {
        try await LicenseServer.run { server in
            for (index, refusal) in Self.refusals.enumerated() {
                var question = spekeDocument()
                refusal.change(&question)
                let answer = try await server.speke(question)
                #expect(answer.status == 422, "\(index)")
                #expect(answer.json["type"] == .string(ProblemType.unacceptableCPIX.uri), "\(index)")
                #expect(answer.json["reason"] == .string(refusal.reason), "\(index)")
            }
            #expect(try await server.store.titles(after: nil, limit: 10).isEmpty)
            #expect(try await server.changes().isEmpty)
        }
    }

    @Test("Everything except CPIX of the SPEKE version is refused, a document type before parsing")
    func forms() async throws {
        try await LicenseServer.run { server in
            let xml = spekeDocument().xml
            #expect(try await server.speke(xml, version: nil).status == 422)
            for version in ["", "1.0", "2", "2.2", "2.0, 2.1"] {
                let other = try await server.speke(xml, version: version)
                #expect(other.status == 422 && other.json["reason"] == .string("speke-version"), "\(version)")
            }
            let newer = try await server.speke(xml, version: "2.1")
            #expect(newer.status == 422 && newer.json["reason"] == .string("cpix-version"))
            #expect(try await server.speke(xml, type: "application/json").status == 415)
            #expect(try await server.speke(xml, type: nil).status == 415)
            #expect(try await server.speke(xml, type: "text/xml; charset=utf-8").status == 200)
            let text = String(decoding: xml, as: UTF8.self)
            let older = text.replacing("version=\"2.3\"", with: "version=\"2.2\"")
            #expect(try await server.speke(Array(older.utf8)).json["reason"] == .string("cpix-version"))
            let entity = "<!DOCTYPE CPIX [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" + text
            let refused = try await server.speke(Array(entity.utf8))
            #expect(refused.status == 400 && refused.json["reason"] == .string("invalid-cpix"))
            #expect(try await server.speke(Array(xml.dropLast(9))).status == 400)
            let large = text + String(repeating: " ", count: 1 << 20)
            #expect(try await server.speke(Array(large.utf8)).status == 413)
        }
    }

    @Test("A title whose key URI cannot be completed gets no keys")
    func keyURI() async throws {
        try await LicenseServer.run { server in
            let template = #"{"keyUriTemplate": "skd://{title}/{period}"}"#
            #expect(try await server.admin("PUT", "/titles/film", template).status == 201)
            let refused = try await server.speke(spekeDocument())
            #expect(refused.status == 409 && refused.json["reason"] == .string("key-uri"))
            #expect(try await server.pages("/content", limit: 9).joined().map { $0["assetId"] } == [.string("movie")])
        }
    }

    @Test("Only the roles encoder and admin are permitted, and the encoder is permitted nothing else")
    func roles() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.speke(spekeDocument(), token: nil).status == 401)
            for role in AdminRole.allCases {
                let token = try await server.token(role)
                let answer = try await server.speke(spekeDocument(), token: token)
                #expect(answer.status == ([.encoder, .admin].contains(role) ? 200 : 403), "\(role)")
            }
            let made = try await server.changes().first
            #expect(made?.hasPrefix("admin-speke by a-encoder: 2 keys of title film in the clear, 2 created") == true)
            #expect(AdminPermission.allCases.filter { AdminRole.encoder.allows($0) } == [.encode])
        }
    }

    @Test("Logs, audit log and refusals contain no key")
    func secrecy() async throws {
        try await LicenseServer.run { server in
            var question = spekeDocument()
            let document = try CPIXDocument(xml: try await server.speke(question).body)
            question.contentKeys[0].value = document.contentKeys[0].value
            let refused = try await server.speke(question)
            let audit = try await server.changes().joined()
            for key in document.contentKeys.compactMap(\.key) {
                for form in [Base64.encode(key.reveal()), Hexadecimal.encode(key.reveal())] {
                    #expect(!server.log.text.contains(form) && !audit.contains(form))
                    #expect(!String(decoding: refused.body, as: UTF8.self).contains(form))
                }
            }
        }
    }

    @Test("Content IDs and track types are converted to names")
    func names() {
        #expect(SPEKENames.title(ofContentID: "film_1.a-b") == "film_1.a-b")
        let mapped = ["a b", "a/b", "ä", String(repeating: "x", count: 101)].map(SPEKENames.title(ofContentID:))
        #expect(Set(mapped).count == 4)
        #expect(mapped[0].hasPrefix("a_b-") && mapped[0].utf8.count == 20)
        #expect(mapped.allSatisfy { (try? TitleRecord(name: $0, time: 0)) != nil })
        let types = [
            ("HD", "hd", ContentTrack.hd), ("sd+HD1", "sd_hd1", .hd), ("UHD2", "uhd2", .uhd),
            ("ALL", "all", .unspecified),
            ("STEREO_AUDIO", "stereo_audio", .audio), ("VIDEO", "video", .video),
            ("AUDIO+SD", "audio_sd", .unspecified),
        ]
        for (type, track, kind) in types {
            #expect(SPEKENames.track(ofType: type) == track && SPEKENames.kind(ofType: type) == kind, "\(type)")
        }
        #expect(SPEKENames.track(ofType: "Camera1") == "Camera1" && SPEKENames.kind(ofType: "Camera1") == nil)
        #expect(SPEKENames.trackType(ofTrack: "hd") == "HD" && SPEKENames.trackType(ofTrack: "Hd") == "Hd")
    }
}
