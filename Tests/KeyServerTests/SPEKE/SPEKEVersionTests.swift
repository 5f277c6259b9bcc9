import DRMSignaling
import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("SPEKE v2.1", .timeLimit(.minutes(10)))
struct SPEKEVersionTests {
    private func document(
        _ keys: [(keyID: ContentKeyID, type: String)] = [(spekeKeyID(1), "HD"), (spekeKeyID(2), "AUDIO")]
    ) -> CPIXDocument {
        var document = spekeDocument(keys: keys)
        document.version = .v2_4
        return document
    }

    @Test("Each version is answered in the same version on both paths, with the same keys")
    func versions() async throws {
        try await LicenseServer.run { server in
            var keys: [[SecretBytes?]] = []
            for (version, document) in [("2.0", spekeDocument()), ("2.1", document())] {
                for path in [SPEKERoutes.path, SPEKERoutes.newerPath] {
                    let answer = try await server.speke(document.xml, version: version, path: path)
                    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
                    #expect(answer.headers["x-speke-version"] == version)
                    let answered = try CPIXDocument(xml: answer.body)
                    #expect(answered.declaredVersion == document.version.rawValue)
                    keys.append(answered.contentKeys.map(\.key))
                    // CPIX 2.4 has no URIExtXKey.
                    #expect(answered.systems.allSatisfy { ($0.keyURI == nil) == (version == "2.1") })
                    #expect(answered.systems.allSatisfy { $0.mediaPlaylistSignaling != nil })
                }
            }
            #expect(keys.count == 4 && keys.allSatisfy { $0 == keys[0] && !$0.contains(nil) })
        }
    }

    @Test("Version 2.1 announces the output protection that the policies require, and 2.0 does not")
    func outputProtection() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/titles/film", "{}").status == 201)
            let policies = [("uhd", #"{"hdcp": "type1", "securityLevel": "main"}"#), ("sd", #"{"hdcp": "none"}"#)]
            for (name, policy) in policies {
                #expect(try await server.admin("PUT", "/policies/\(name)", policy).status == 201)
                let track = #"{"kind": "\#(name)", "policy": "\#(name)"}"#
                #expect(try await server.admin("PUT", "/titles/film/tracks/\(name)", track).status == 201)
            }
            let types = ["UHD", "SD", "HD", "AUDIO"]
            let keys = types.enumerated().map { (spekeKeyID(UInt8($0.offset + 1)), $0.element) }
            let answer = try CPIXDocument(xml: try await server.speke(document(keys)).body)
            #expect(answer.contentKeys.map(\.hdcp?.level) == ["TYPE-1", "NONE", "TYPE-0", nil])
            let versions = try answer.contentKeys.map { try $0.hdcp?.outputProtectionDescriptor()?.value }
            #expect(versions == ["2.2", nil, "1.0", nil])
            let fairPlay = answer.systems.filter { $0.systemID == .fairPlay }
            #expect(
                fairPlay.map(\.allowedCPC) == ["com.apple.streamingkeydelivery:AppleMain/Main", nil, nil, nil]
            )
            #expect(answer.systems.allSatisfy { $0.systemID == .fairPlay || $0.allowedCPC == nil })
            let older = try CPIXDocument(xml: try await server.speke(spekeDocument(keys: keys)).body)
            #expect(older.contentKeys.map(\.hdcp) == [nil, nil, nil, nil])
            #expect(older.systems.allSatisfy { $0.allowedCPC == nil })
        }
    }

    @Test("Encryption methods of HLS are accepted and returned by version 2.1 only")
    func schemes() async throws {
        try await LicenseServer.run { server in
            func answer(_ scheme: String, _ version: CPIXDocument.Version) async throws -> ReceivedResponse {
                let systems: [SystemID] = scheme == "SAMPLE-AES" ? [.fairPlay] : [.widevine]
                var document = spekeDocument(scheme, scheme: scheme, systems: systems)
                document.version = version
                for index in document.contentKeys.indices {
                    let keyID = spekeKeyID(UInt8(scheme.utf8.count * 2 + index))
                    (document.contentKeys[index].keyID, document.usageRules[index].keyID) = (keyID, keyID)
                    document.systems[index].keyID = keyID
                }
                return try await server.speke(document)
            }
            for (scheme, hasIV) in [("SAMPLE-AES", true), ("SAMPLE-AES-CTR", false)] {
                let document = try CPIXDocument(xml: try await answer(scheme, .v2_4).body)
                #expect(document.contentKeys.map(\.scheme) == [scheme, scheme])
                #expect(document.contentKeys.allSatisfy { ($0.explicitIV != nil) == hasIV })
                #expect(document.systems[0].mediaPlaylistSignaling?.contains("METHOD=\(scheme),") == true)
                #expect(try await answer(scheme, .v2_3).json["reason"] == .string("encryption-scheme"))
            }
            for scheme in ["AES-128", "NONE", "cbc1", "cens"] {
                #expect(try await answer(scheme, .v2_4).json["reason"] == .string("encryption-scheme"), "\(scheme)")
            }
        }
    }

    @Test("Key periods by start and end, by duration, by offsets and by index are accepted and returned")
    func periods() async throws {
        try await LicenseServer.run { server in
            let keys = (1...4).map { (spekeKeyID($0), "HD") }
            var question = document(keys)
            question.periods = [
                .init(id: "p1", start: 1_800_000_000, end: 1_800_000_600), .init(id: "p2", start: 1_800_000_600),
                .init(id: "p3"), .init(id: "p4", index: 4),
            ]
            question.periods[1].duration = 600
            (question.periods[2].startOffset, question.periods[2].endOffset) = (0, 6.5)
            for index in 0..<4 { question.usageRules[index].periodIDs = ["p\(index + 1)"] }
            let answer = try CPIXDocument(xml: try await server.speke(question).body)
            #expect(answer.periods == question.periods && answer.usageRules == question.usageRules)
            var times: [[Int64?]] = []
            for (keyID, _) in keys {
                let info = try #require(try await server.store.content(keyID: keyID.bytes)?.info)
                times.append([info.validFrom, info.validUntil])
            }
            #expect(
                times == [[1_800_000_000, 1_800_000_600], [1_800_000_600, 1_800_001_200], [nil, nil], [nil, nil]]
            )
        }
    }

    @Test("Players can preload the key of a coming period as long before its start as the policy specifies")
    func preload() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/policies/live", #"{"preload": "PT1M"}"#).status == 201)
            #expect(try await server.admin("PUT", "/titles/film", #"{"policy": "live"}"#).status == 201)
            var question = document([(spekeKeyID(1), "HD")])
            let start = server.clock.now + 61
            question.periods = [.init(id: "next", index: 2, start: start, end: start + 60)]
            question.usageRules[0].periodIDs = ["next"]
            let answer = try CPIXDocument(xml: try await server.speke(question).body)
            let asset = Array(spekeKeyID(1).hexadecimal.utf8)
            let device = server.device()
            let early = try await server.license(try server.request(device, asset: asset).spc)
            #expect(early.json["reason"] == .string("key-not-valid"))
            server.clock.now += 1
            let request = try server.request(device, asset: asset)
            let license = try await server.license(request.spc)
            #expect(license.status == 200)
            #expect(answer.contentKeys[0].key != nil)
        }
    }

    @Test("One key for all audio and video is accepted in each key period")
    func allTracks() async throws {
        try await LicenseServer.run { server in
            var question = document([(spekeKeyID(1), "ALL"), (spekeKeyID(2), "ALL")])
            question.periods = [.init(id: "a", index: 1), .init(id: "b", index: 2)]
            (question.usageRules[0].periodIDs, question.usageRules[1].periodIDs) = (["a"], ["b"])
            let answer = try await server.speke(question)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    @Test("Attributes and elements that the server does not use are returned in their order")
    func unused() async throws {
        try await LicenseServer.run { server in
            let text = String(decoding: document().xml, as: UTF8.self)
                .replacing("<CPIX ", with: "<CPIX xmlns:x=\"urn:x\" id=\"root\" x:a=\"1\" ")
                .replacing("<ContentKeyList>", with: "<ContentKeyList id=\"list\">")
                .replacing("\"cbcs\"/>", with: "\"cbcs\"><x:b/><x:a>2</x:a></ContentKey>")
                .replacing("<VideoFilter/>", with: "<VideoFilter x:c=\"3\"/>")
                .replacing("</CPIX>", with: "<x:last/></CPIX>")
            let answer = try await server.speke(Array(text.utf8), version: "2.1")
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            let written = String(decoding: answer.body, as: UTF8.self)
            let parts = [
                "id=\"root\" x:a=\"1\"", "<ContentKeyList id=\"list\">", "<VideoFilter x:c=\"3\"/>",
                "<x:last></x:last>",
            ]
            for part in parts { #expect(written.contains(part), "\(part): \(written)") }
            #expect(written.ranges(of: #/<\/Data>\s*<x:b><\/x:b>\s*<x:a>2<\/x:a>\s*<\/ContentKey>/#).count == 2)
            #expect(try CPIXDocument(xml: answer.body).contentKeys.allSatisfy { $0.key != nil })
        }
    }
}
