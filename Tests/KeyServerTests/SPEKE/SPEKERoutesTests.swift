import DRMSignaling
import FPSCrypto
import KeyStore
import ServerCrypto
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Keys for encoders over SPEKE", .timeLimit(.minutes(10)))
struct SPEKERoutesTests {
    @Test("The response has keys, vectors and data of protection systems, and licenses have the same keys")
    func answer() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.speke(spekeDocument())
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            #expect(answer.headers["content-type"] == "application/xml")
            #expect(answer.headers["x-speke-version"] == "2.0")
            #expect(answer.headers["x-speke-user-agent"] == "keyway-server")
            #expect(answer.headers["cache-control"] == "no-store")
            let document = try CPIXDocument(xml: answer.body)
            #expect(document.contentID == "film" && document.declaredVersion == "2.3")
            #expect(document.usageRules.map(\.intendedTrackType) == ["HD", "AUDIO"])
            for (key, track) in zip(document.contentKeys, ["hd", "audio"]) {
                let found = try #require(try await server.store.lookup(keyID: key.keyID.bytes))
                #expect(key.key == found.record.contentKey && key.explicitIV == found.record.iv)
                #expect(found.title?.name == "film" && found.track?.name == track)
                #expect(found.record.info.assetID == Array(key.keyID.hexadecimal.utf8))
            }
            #expect(document.contentKeys[0].key != document.contentKeys[1].key)
            #expect(try await server.store.tracks(title: "film").map(\.kind) == [.audio, .hd])
            let fairPlay = try #require(document.systems.first { $0.systemID == .fairPlay })
            #expect(fairPlay.keyURI == "skd://\(spekeKeyID(1).hexadecimal)")
            #expect(
                fairPlay.mediaPlaylistSignaling
                    == "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(spekeKeyID(1).hexadecimal)\","
                    + "KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
            )
            #expect(fairPlay.multivariantPlaylistSignaling?.hasPrefix("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES") == true)
            let widevine = try #require(document.systems.first { $0.systemID == .widevine })
            let boxes = try ProtectionSystemSpecificHeader.all(in: widevine.pssh ?? [])
            #expect(try WidevineHeader(boxes.first?.data ?? []).keyIDs == [spekeKeyID(1)])
            #expect(widevine.contentProtectionData?.contains(boxes.first?.base64 ?? "-") == true)
            let playReady = try #require(document.systems.first { $0.systemID == .playReady })
            #expect(playReady.contentProtectionData?.contains("<mspr:pro") == true)
            #expect(playReady.smoothStreamingHeader?.isEmpty == false)
        }
    }

    @Test("The same request gets the same keys, also concurrently, and each key is created once")
    func idempotent() async throws {
        try await LicenseServer.run { server in
            let answers = try await withThrowingTaskGroup(of: [SecretBytes?].self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let answer = try await server.speke(spekeDocument())
                        return try CPIXDocument(xml: answer.body).contentKeys.map(\.key)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 20)
            #expect(answers.allSatisfy { $0 == answers[0] && $0.count == 2 })
            let made = try await server.changes().filter { $0.contains("2 created") }
            #expect(made.count == 1)
            #expect(try await server.changes().count == 20)
        }
    }

    @Test("Many keys are stored in batches with an audit record each, and six concurrent encoders get the same keys")
    func batches() async throws {
        let size = SPEKEKeys.batchSize
        let keys = (1...UInt8(2 * size + 3)).map { (spekeKeyID($0), "HD-\($0)") }
        try await LicenseServer.run { server in
            let answers = try await withThrowingTaskGroup(of: [SecretBytes?].self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let question = spekeDocument(keys: keys, systems: [.fairPlay])
                        return try CPIXDocument(xml: try await server.speke(question).body).contentKeys.map(\.key)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == answers[0] && $0.count == keys.count && !$0.contains(nil) })
            let changes = try await server.changes()
            let batches = changes.compactMap { change in
                change.firstMatch(of: /(\d+) keys of title film/).flatMap { Int($0.1) }
            }
            #expect(batches.filter { $0 == keys.count }.count == 6)
            #expect(batches.filter { $0 != keys.count }.sorted() == [3, size, size])
        }
    }

    @Test("A request with a key of another title stores none of its keys, independent of their number")
    func refusedBatch() async throws {
        try await LicenseServer.run { server in
            _ = try await server.speke(spekeDocument(keys: [(spekeKeyID(99), "HD")], systems: [.fairPlay]))
            let newKeys = (1...UInt8(2 * SPEKEKeys.batchSize)).map { (spekeKeyID($0), "HD-\($0)") }
            let keys = newKeys + [(spekeKeyID(99), "HD")]
            let refused = try await server.speke(spekeDocument("other", keys: keys, systems: [.fairPlay]))
            #expect(refused.status == 409 && refused.json["reason"] == .string("key-id-in-use"))
            #expect(try await server.store.contents(keyIDs: keys.dropLast().map(\.0.bytes)).isEmpty)
        }
    }

    @Test("Elements that are not requested are not returned, and the requested vector is used for a new key")
    func asked() async throws {
        try await LicenseServer.run { server in
            var question = spekeDocument(keys: [(spekeKeyID(1), "VIDEO")], systems: [.fairPlay, .widevine])
            question.contentKeys[0].explicitIV = Array(1...16)
            question.systems[0].keyURI = ""
            question.systems[1].mediaPlaylistSignaling = ""
            var document = try CPIXDocument(xml: try await server.speke(question).body)
            #expect(document.contentKeys[0].explicitIV == Array(1...16))
            #expect(document.systems[0].keyURI?.hasPrefix("skd://") == true)
            #expect(document.systems[0].mediaPlaylistSignaling == nil && document.systems[0].pssh == nil)
            #expect(document.systems[1].mediaPlaylistSignaling?.contains("KEYID=0xa0a0") == true)
            #expect(document.systems[1].pssh == nil && document.systems[1].keyURI == nil)
            // The key already has its vector.
            question.contentKeys[0].explicitIV = Array(2...17)
            document = try CPIXDocument(xml: try await server.speke(question).body)
            #expect(document.contentKeys[0].explicitIV == Array(1...16))
        }
    }

    @Test("Keys are encrypted for the certificate in the request")
    func encrypted() async throws {
        try await LicenseServer.run { server in
            let key = try RSAPrivateKey.generate(bits: 2_048)
            let certificate = try X509Certificate.selfSigned(subject: "Encoder", key: key, days: 2)
            // The certificate is valid from now.
            server.clock.now = systemMilliseconds() / 1_000
            var question = spekeDocument()
            question.deliveryData = [.init(id: "encoder", certificate: certificate.der)]
            let answer = try await server.speke(question)
            var document = try CPIXDocument(xml: answer.body)
            #expect(document.contentKeys.map(\.isEncrypted) == [true, true])
            #expect(document.deliveryData.first?.id == "encoder")
            try document.decryptKeys(with: key)
            for key in document.contentKeys {
                #expect(key.key != nil)
                let stored = try await server.store.content(keyID: key.keyID.bytes)?.contentKey
                #expect(key.key == stored)
            }
            #expect(try await server.changes().last?.contains("keys of title film encrypted") == true)
            question.deliveryData = [.init(certificate: [1, 2, 3])]
            let refused = try await server.speke(question)
            #expect(refused.status == 422 && refused.json["reason"] == .string("invalid-delivery-key"))
        }
    }

    @Test("Key periods with times determine the validity of keys, and those with an index do not")
    func periods() async throws {
        try await LicenseServer.run { server in
            var question = spekeDocument(
                "live 1",
                keys: [(spekeKeyID(1), "HD"), (spekeKeyID(2), "HD"), (spekeKeyID(3), "HD")],
                systems: [.fairPlay]
            )
            question.periods = [
                .init(id: "p1", index: 1, start: 1_800_000_000, end: 1_800_000_600), .init(id: "p2", index: 2),
                .init(id: "p3", start: 1_800_000_600),
            ]
            for index in 0..<3 { question.usageRules[index].periodIDs = ["p\(index + 1)"] }
            let document = try CPIXDocument(xml: try await server.speke(question).body)
            #expect(document.periods == question.periods && document.usageRules == question.usageRules)
            let infos = try await question.contentKeys.asyncMap { key in
                try #require(try await server.store.content(keyID: key.keyID.bytes)?.info)
            }
            #expect(infos.map(\.validFrom) == [1_800_000_000, nil, 1_800_000_600])
            #expect(infos.map(\.validUntil) == [1_800_000_600, nil, nil])
            #expect(Set(infos.map(\.titleName)) == [SPEKENames.title(ofContentID: "live 1")])
            question.periods[0].end = 1_800_000_700
            let refused = try await server.speke(question)
            #expect(refused.status == 409 && refused.json["reason"] == .string("key-period"))
        }
    }

    @Test("An imported key is returned, and a key of another title or track is not")
    func imported() async throws {
        try await LicenseServer.run { server in
            let keyID = spekeKeyID(9)
            let record = try ContentRecord(
                assetID: Array("movie-9".utf8),
                keyID: keyID.bytes,
                contentKey: SecretBytes(copying: Array(0..<16)),
                iv: Array(0..<16),
                time: 0
            )
            try await server.store.putContent(record, replacing: false)
            let document = try CPIXDocument(
                xml: try await server.speke(spekeDocument(keys: [(keyID, "UHD")], systems: [.fairPlay])).body
            )
            #expect(document.contentKeys[0].key == record.contentKey && document.contentKeys[0].explicitIV == record.iv)
            #expect(document.systems[0].keyURI == "skd://movie-9")
            _ = try await server.speke(spekeDocument())
            for question in [spekeDocument("other"), spekeDocument(keys: [(spekeKeyID(1), "SD")])] {
                let refused = try await server.speke(question)
                #expect(refused.status == 409 && refused.json["reason"] == .string("key-id-in-use"))
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ change: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await change(element)) }
        return values
    }
}
