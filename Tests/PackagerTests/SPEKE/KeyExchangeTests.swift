import DASHManifest
import DRMSignaling
import FPSCrypto
import HLSPlaylist
import MediaFormats
import ServerCrypto
import Testing

@testable import Packager

@Suite("Keys from a key server")
struct KeyExchangeTests {
    private let classes: [TrackClass] = [.hd, .audio]

    private func exchange(
        _ contentID: String = "film",
        _ method: HLSKeyMethod = .sampleAES,
        recipient: KeyExchange.Recipient? = nil
    ) throws -> KeyExchange {
        let systems: [ProtectionSystem] = method == .sampleAES ? [.fairPlay, .widevine] : [.widevine]
        return try KeyExchange(contentID: contentID, method: method, systems: systems, recipient: recipient)
    }

    /// The response of a server: keys and IVs, and its data for the systems.
    private func answer(_ question: CPIXDocument) -> CPIXDocument {
        var answer = question
        for index in answer.contentKeys.indices {
            let bytes = [UInt8](repeating: UInt8(index + 1), count: 16)
            answer.contentKeys[index].value = .plain(SecretBytes(copying: bytes))
            answer.contentKeys[index].explicitIV = bytes.map { $0 ^ 0xFF }
        }
        for (index, system) in answer.systems.enumerated() {
            answer.systems[index].multivariantPlaylistSignaling = nil
            let box = ProtectionSystemSpecificHeader(systemID: system.systemID, data: Array("given".utf8))
            if system.systemID == .fairPlay {
                answer.systems[index].keyURI = nil
                answer.systems[index].mediaPlaylistSignaling = """
                    #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://given/\(system.keyID)",\
                    KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
                    """
            } else {
                answer.systems[index].pssh = box.bytes
                answer.systems[index].mediaPlaylistSignaling = nil
                answer.systems[index].contentProtectionData = nil
            }
        }
        return answer
    }

    @Test("A request has a key for each class, whose ID is derived from content, type and period")
    func question() throws {
        let exchange = try exchange()
        let question = exchange.question(for: classes)
        #expect(question.contentID == "film" && question.periods.isEmpty && question.deliveryData.isEmpty)
        #expect(question.contentKeys.map(\.scheme) == ["cbcs", "cbcs"])
        #expect(question.usageRules.map(\.intendedTrackType) == ["HD", "AUDIO"])
        #expect(question.systems.map(\.systemID) == [.fairPlay, .widevine, .fairPlay, .widevine])
        #expect(question.systems.map(\.keyURI) == [nil, nil, nil, nil])
        #expect(question.systems[0].mediaPlaylistSignaling == "" && question.systems[0].pssh == nil)
        #expect(question.systems[1].pssh == [] && question.systems[1].mediaPlaylistSignaling == "")
        // Computed with Python's hashlib: packaging again must yield the same keys.
        #expect(exchange.keyID(of: .hd)?.uuid == "09f527c0-d2f4-899e-90ea-2e78b7b6b3aa")
        let proposed: [UInt8] = [
            0xC4, 0x0F, 0xB1, 0x68, 0xF6, 0x9F, 0xFB, 0xC6, 0xB3, 0x7C, 0xF5, 0x39, 0x89, 0x38, 0xB6, 0x65,
        ]
        #expect(question.contentKeys[0].explicitIV == proposed)
        #expect(question.contentKeys[1].explicitIV != proposed)
        let period = KeyExchange.Period(number: 3, times: 1_800_000_000..<1_800_000_600)
        let others = [
            try self.exchange("other").keyID(of: .hd), exchange.keyID(of: .audio), exchange.keyID(of: .hd, in: period),
            exchange.keyID(of: .hd, in: .init(number: 4)),
        ]
        #expect(Set(others + [exchange.keyID(of: .hd)]).count == 5)
        let live = exchange.question(for: [.hd], in: period)
        #expect(live.periods == [.init(id: "period-3", index: 3, start: 1_800_000_000, end: 1_800_000_600)])
        #expect(live.usageRules.map(\.periodIDs) == [["period-3"]])
        #expect(live.contentKeys[0].explicitIV != proposed)
        let cenc = try self.exchange("film", .sampleAESCTR).question(for: [.sd]).contentKeys
        #expect(cenc.map(\.scheme) == ["cenc"] && cenc.map(\.explicitIV) == [nil])
    }

    @Test("Keys and IVs are used, and the server's system data is used unchanged")
    func given() throws {
        let exchange = try exchange()
        let xml = answer(exchange.question(for: classes)).xml
        let keys = try exchange.keys(in: xml, for: classes)
        #expect(keys.shared == nil && Set(keys.classes.keys) == [.hd, .audio])
        let hd = try #require(keys[.hd])
        #expect(hd.key == SecretBytes(copying: [UInt8](repeating: 1, count: 16)))
        #expect(hd.iv == SecretBytes(copying: [UInt8](repeating: 0xFE, count: 16)))
        var job = PackagingJob(inputs: [], output: "")
        (job.scheme, job.systems, job.keys) = (.cbcs, [.fairPlay, .widevine], keys)
        let boxes = try job.protectionHeaders(of: try #require(try job.protection(of: .hd)))
        #expect(boxes.map(\.data) == [[], Array("given".utf8)])
        let tag = keys.systemData.tag(for: hd.keyID, .fairPlay)
        #expect(tag?.uri == "skd://given/\(hd.keyID)" && tag?.method == .sampleAES)
        #expect(keys.systemData.tag(for: hd.keyID, .widevine) == nil)
    }

    @Test("With version 2.1, a period is identified by its times too, and documents have CPIX 2.4")
    func newerVersion() throws {
        let exchange = try KeyExchange(contentID: "film", method: .sampleAES, systems: [.fairPlay], version: .v2_4)
        #expect(exchange.keyID(of: .hd) == (try self.exchange()).keyID(of: .hd))
        let periods: [KeyExchange.Period] = [
            .init(number: 3), .init(number: 3, times: 60..<120), .init(number: 3, times: 60..<121),
            .init(number: 3, times: 61..<120),
        ]
        #expect(Set(periods.map { exchange.keyID(of: .hd, in: $0) }).count == 4)
        #expect(exchange.keyID(of: .hd, in: periods[0]) == (try self.exchange()).keyID(of: .hd, in: periods[1]))
        let question = exchange.question(for: [.hd], in: periods[1])
        #expect(question.periods == [.init(id: "period-3", index: 3, start: 60, end: 120)])
        #expect(try CPIXDocument(xml: question.xml).declaredVersion == "2.4")
        let other = exchange.question(for: [.hd], in: periods[0])
        #expect(question.contentKeys[0].explicitIV != other.contentKeys[0].explicitIV)
    }

    @Test("The output protection and the robustness of the response are used")
    func outputProtection() throws {
        let exchange = try exchange()
        var answer = answer(exchange.question(for: classes))
        answer.version = .v2_4
        answer.contentKeys[0].hdcp = .init(level: .type1)
        answer.systems[0].allowedCPC = "com.apple.streamingkeydelivery:AppleMain/Main"
        (answer.systems[1].contentProtectionData, answer.systems[1].robustness) = ("<a/>", "HW_SECURE_ALL")
        let keys = try exchange.keys(in: answer.xml, for: classes)
        #expect(
            keys.outputProtection == [.hd: .init(hdcp: .type1, labels: [.fairPlay: [.appleMain, .main]])]
        )
        let keyID = try #require(keys[.hd]?.keyID)
        #expect(keys.systemData.robustness(for: keyID, .widevine) == "HW_SECURE_ALL")
        #expect(keys.systemData.robustness(for: keyID, .fairPlay) == nil)
        #expect(keys.systemData.outputProtection(for: keyID)?.scheme == "urn:mpeg:dash:output-protection:hdcp:2020")
        #expect(keys.systemData.outputProtection(for: keyID)?.value == "2.2")
        for text in ["", "<a/>", "<OutputProtection/>", "<OutputProtection schemeIdUri='a'/><b/>"] {
            answer.contentKeys[0].hdcp?.outputProtection = text
            #expect(throws: SignalingError.self) { try exchange.keys(in: answer.xml, for: classes) }
        }
        var job = PackagingJob(inputs: [], output: "")
        (job.scheme, job.systems, job.keys) = (.cbcs, [.fairPlay, .widevine], keys)
        let protections = try ContentProtection.all(try #require(try job.protection(of: .hd)), job.systems)
        #expect(protections.map(\.robustness) == [nil, nil, "HW_SECURE_ALL"])
        var rules = OutputProtectionRules.standard
        rules.require(.init(hdcp: .type1, labels: [.fairPlay: [.appleMain]]), of: .hd)
        #expect(rules.protection(of: .hd) == .init(hdcp: .type1, labels: [.fairPlay: [.appleMain]]))
        rules.require(.init(hdcp: HDCPRequirement.none, labels: [.fairPlay: [.baseline]]), of: .hd)
        #expect(rules.protection(of: .hd) == .init(hdcp: .type1, labels: [.fairPlay: [.appleMain]]))
    }

    @Test("FairPlay keys with the same URI cause a warning, because players cannot distinguish them")
    func sharedURI() throws {
        let exchange = try exchange()
        var answer = answer(exchange.question(for: classes))
        let keyIDs = Set(answer.contentKeys.map(\.keyID))
        #expect(try exchange.keys(in: answer.xml, for: classes).systemData.warnings == [])
        for index in answer.systems.indices where answer.systems[index].systemID == .fairPlay {
            answer.systems[index].mediaPlaylistSignaling = answer.systems[0].mediaPlaylistSignaling
        }
        let warnings = try exchange.keys(in: answer.xml, for: classes).systemData.warnings
        #expect(warnings.count == 1 && keyIDs.allSatisfy { warnings[0].contains($0.description) })
    }

    @Test("Encrypted keys are decrypted, and clear keys are then rejected")
    func encrypted() throws {
        let privateKey = try RSAPrivateKey.generate(bits: 2_048)
        let certificate = try X509Certificate.selfSigned(subject: "Packager", key: privateKey, days: 2)
        let recipient = try KeyExchange.Recipient(certificate: certificate, privateKey: privateKey)
        let exchange = try exchange(recipient: recipient)
        let question = exchange.question(for: classes)
        #expect(question.deliveryData.map(\.certificate) == [certificate.der])
        var answer = answer(question)
        #expect(throws: KeyExchangeFailure.self) { try exchange.keys(in: answer.xml, for: classes) }
        try answer.encryptKeys(at: certificate.notBefore + 1)
        let keys = try exchange.keys(in: answer.xml, for: classes)
        #expect(keys[.audio]?.key == SecretBytes(copying: [UInt8](repeating: 2, count: 16)))
        let other = try RSAPrivateKey.generate(bits: 2_048)
        #expect(throws: KeyExchangeFailure.self) {
            try KeyExchange.Recipient(certificate: certificate, privateKey: other)
        }
    }

    private static let changes: [@Sendable (inout CPIXDocument) -> Void] = [
        { $0.contentID = "other" }, { $0.contentKeys.removeLast() }, { $0.contentKeys[0].value = nil },
        { $0.contentKeys = [] }, { $0.contentKeys[1].keyID = ContentKeyID([UInt8](repeating: 9, count: 16))! },
        { $0.systems = [] }, { $0.systems.removeFirst() }, { $0.systems.append($0.systems[0]) },
        { $0.systems[0].mediaPlaylistSignaling = nil }, { $0.systems[0].mediaPlaylistSignaling = "" },
        {
            $0.contentKeys[0].hdcp = .init(level: HDCPRequirement.none)
            $0.contentKeys[0].hdcp?.level = "TYPE-9"
        },
        { $0.systems[0].allowedCPC = "AppleMain" }, { $0.systems[0].allowedCPC = "com.apple.streamingkeydelivery:a b" },
        { $0.systems[0].allowedCPC = "com.microsoft.playready:SL3000" },
        { $0.contentKeys[0].explicitIV = nil }, { $0.contentKeys[0].scheme = "cenc" },
        { $0.systems[0].mediaPlaylistSignaling = "#EXT-X-KEY:METHOD=NONE" },
        { $0.systems[0].mediaPlaylistSignaling = "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"skd://a\"" },
        {
            $0.systems[0].mediaPlaylistSignaling =
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.microsoft.playready\""
        },
        { $0.systems[0].mediaPlaylistSignaling = "#EXT-X-KEY:nonsense" },
        { ($0.systems[0].mediaPlaylistSignaling, $0.systems[0].keyURI) = (nil, "https://a") },
        { $0.systems[1].pssh = [1, 2, 3] },
        { $0.systems[1].pssh = ProtectionSystemSpecificHeader(systemID: .common).bytes },
    ]

    @Test("A response that does not match the request is rejected, and the error contains no key")
    func refusals() throws {
        let exchange = try exchange()
        for (index, change) in Self.changes.enumerated() {
            var answer = answer(exchange.question(for: classes))
            change(&answer)
            #expect(throws: KeyExchangeFailure.self, "\(index)") { try exchange.keys(in: answer.xml, for: classes) }
        }
        #expect(throws: SignalingError.self) { try exchange.keys(in: Array("<a/>".utf8), for: classes) }
        #expect(throws: KeyExchangeFailure.self) { try self.exchange("") }
        #expect(throws: KeyExchangeFailure.self) {
            try KeyExchange(contentID: "film", method: .aes128, systems: [.fairPlay])
        }
        #expect(throws: KeyExchangeFailure.self) {
            try KeyExchange(contentID: "film", method: .sampleAES, systems: [.identity])
        }
    }
}
