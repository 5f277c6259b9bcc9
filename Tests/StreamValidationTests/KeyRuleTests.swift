import FPSCrypto
import HLSPlaylist
import MediaFormats
import SampleEncryption
import Synchronization
import Testing

@testable import StreamValidation

@Suite("Keys and licenses are judged")
struct KeyRuleTests {
    /// Keys by URI and device class.
    struct Source: ValidationKeySource {
        var deviceClasses: [String] = ["iphone", "vm"]
        var requestsPersistentKeys = false
        var answer: @Sendable (ValidationKeyRequest) -> ValidationLicense

        func supports(_ tag: KeyTag) -> Bool { tag.keyFormat == .fairPlay || tag.keyFormat == .identity }
        func license(for request: ValidationKeyRequest) async -> ValidationLicense { answer(request) }
    }

    private static let key =
        "METHOD=SAMPLE-AES,KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\",URI="
    private static let folder = "https://films.example/"

    /// A presentation of packed AC-3, with a variant that declares what `attributes` do.
    private static func files(_ attributes: String = "", keys: [String] = ["skd://a"], other: String = "") throws
        -> [String: [UInt8]]
    {
        var media = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for (index, uri) in keys.enumerated() {
            if index == 0 || uri != keys[index - 1] { media += "#EXT-X-KEY:\(key)\"\(uri)\"\n" }
            media += "#EXTINF:0.5,\n\(index).ac3\n"
        }
        let main = """
            #EXTM3U
            \(other)#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="ac-3"\(attributes)
            media.m3u8

            """
        let segment = try DecryptionVerdictTests.clip("sample-aes-packed-1.ac3")
        var files = [
            folder + "main.m3u8": Array(main.utf8), folder + "media.m3u8": Array((media + "#EXT-X-ENDLIST\n").utf8),
        ]
        for index in keys.indices { files[folder + "\(index).ac3"] = segment }
        return files
    }

    private static func license(_ facts: LicenseFacts = .init(), key: SecretBytes = DecryptionVerdictTests.audioKey)
        -> ValidationLicense
    {
        ValidationLicense(key: key, iv: DecryptionVerdictTests.vector, facts: facts)
    }

    /// Returns the violated rules about keys and licenses, with their levels.
    private static func findings(_ files: [String: [UInt8]], _ source: Source) async throws -> [ValidationFinding] {
        var validator = StreamValidator(resources: StreamValidatorTests.Resources(files: files))
        validator.keySource = source
        let report = try await validator.validate(folder + "main.m3u8")
        return report.findings.filter { $0.rule.rawValue.hasPrefix("key-") || $0.rule.rawValue.hasPrefix("lic-") }
            // The keys of the clips are published test keys.
            .filter { $0.rule != "key-weak" || $0.level == .critical }
    }

    private static func rules(_ files: [String: [UInt8]], _ source: Source) async throws -> [String] {
        try await findings(files, source).map { "\($0.level.rawValue) \($0.rule)" }
    }

    @Test("without a finding, if the key opens everything")
    func clean() async throws {
        #expect(try await Self.findings(try Self.files(), Source { _ in Self.license() }).isEmpty)
    }

    @Test("Each segment is loaded once if memory allows, and otherwise twice, with the same report")
    func loading() async throws {
        let files = try Self.files()
        let (url, source) = (Self.folder + "main.m3u8", Source { _ in Self.license() })
        var reports: [String] = []
        for (memory, count) in [(32 << 20, 1), (0, 2)] {
            let resources = CountingResources(files: files)
            var settings = StreamValidator.Settings()
            settings.memoryLimit = memory
            var validator = StreamValidator(resources: resources, settings: settings)
            validator.keySource = source
            let report = try await validator.validate(url)
            #expect(report.presentation.renditions.flatMap(\.segments).allSatisfy { !$0.decryptions.isEmpty })
            let loaded = resources.counts.filter { $0.key.hasSuffix(".ac3") }
            #expect(!loaded.isEmpty && loaded.values.allSatisfy { $0 == count }, "\(loaded)")
            reports.append("\(report.findings)")
        }
        #expect(reports[0] == reports[1])
    }

    @Test("Keys have the order in which segments use them, in each run")
    func order() async throws {
        struct Licenses: ValidationKeySource {
            let deviceClasses: [String] = []
            let requestsPersistentKeys = false

            func supports(_ tag: KeyTag) -> Bool { true }
            func license(for request: ValidationKeyRequest) async -> ValidationLicense { KeyRuleTests.license() }
        }
        // A URI of Widevine does not identify one key.
        let widevine = "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
        let files = try Self.files().mapValues { bytes in
            Array(
                String(decoding: bytes, as: UTF8.self).replacing("com.apple.streamingkeydelivery", with: widevine).utf8
            )
        }
        let validator = StreamValidator(resources: StreamValidatorTests.Resources(files: files))
        var presentation = try await validator.load(Self.folder + "main.m3u8")
        var track = TrackMeasurement(id: 1, format: .init(kind: .audio, container: .mp4, sampleEntry: "mp4a"))
        track.keyIDs = (0..<12).compactMap { KeyID([UInt8](repeating: 255 - $0, count: 16)) }
        var measurement = SegmentMeasurement(container: .mp4, byteCount: 1)
        measurement.tracks = [track]
        presentation.renditions[0].segments[0].outcome = .measured(measurement)
        let keys = await PresentationKeys(Licenses(), presentation).requested(concurrency: 4)
        #expect(keys.map(\.id.keyID) == track.keyIDs)
    }

    /// Resources that count how often each is loaded.
    private final class CountingResources: ValidationResources {
        private let resources: StreamValidatorTests.Resources
        private let loaded = Mutex<[String: Int]>([:])

        var counts: [String: Int] { loaded.withLock { $0 } }

        init(files: [String: [UInt8]]) { resources = .init(files: files) }

        func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
            loaded.withLock { $0[request.url, default: 0] += 1 }
            return try await resources.load(request)
        }
    }

    @Test("A wrong key and a wrong vector have a rule each")
    func wrong() async throws {
        let other = SecretBytes(copying: Array("another key here".utf8))
        let wrongKey = Source { _ in Self.license(key: other) }
        // The key of the clip is a published test key, which is tried too.
        #expect(try await Self.rules(try Self.files(), wrongKey) == ["critical key-weak"])
        let wrongIV = Source { _ in
            ValidationLicense(key: DecryptionVerdictTests.audioKey, iv: [UInt8](repeating: 9, count: 16))
        }
        #expect(try await Self.rules(try Self.files(), wrongIV) == ["critical key-iv-wrong"])
    }

    @Test("No output contains a key or a vector")
    func secrets() async throws {
        let other = Array("another key here".utf8)
        let findings = try await Self.findings(
            try Self.files(keys: ["skd://user:password@a?token=secret"]),
            Source { _ in ValidationLicense(key: SecretBytes(copying: other), iv: other) }
        )
        let text = "\(findings)"
        #expect(findings.count == 1 && text.contains("skd://a"))
        for secret in ["secret", "password", "another key", "616e6f74"] { #expect(!text.lowercased().contains(secret)) }
    }

    @Test("A change of keys at the wrong segment is told with its direction")
    func boundary() async throws {
        let other = SecretBytes(copying: Array("another key here".utf8))
        // All segments have the key of a.
        let source = Source { request in
            Self.license(key: request.tag.uri == "skd://a" ? DecryptionVerdictTests.audioKey : other)
        }
        let late = try await Self.findings(try Self.files(keys: ["skd://b", "skd://b", "skd://a"]), source)
        #expect(late.map(\.rule) == ["key-boundary"] && late[0].message.contains("2 segments too late"))
        let early = try await Self.findings(try Self.files(keys: ["skd://a", "skd://b"]), source)
        #expect(early.map(\.rule) == ["key-boundary"] && early[0].message.contains("1 segment too early"))
        // The key is that of no neighbor.
        let swapped = try await Self.rules(try Self.files(keys: ["skd://b", "skd://c", "skd://a"]), source)
        #expect(swapped == ["critical key-boundary", "critical key-swapped"])
    }

    @Test("A refused key names the device classes")
    func refused() async throws {
        let source = Source { request in
            request.deviceClass == "vm"
                ? ValidationLicense(failure: "virtual machines are not allowed") : Self.license()
        }
        let findings = try await Self.findings(try Self.files(), source)
        #expect(findings.map(\.rule) == ["key-get"])
        #expect(findings[0].message == "The key skd://a is not available for vm: virtual machines are not allowed.")
    }

    @Test(
        "The HDCP level of the license is compared with the playlist",
        arguments: [
            (nil, "", []), (nil, "TYPE-0", []), (nil, "TYPE-1", ["should lic-hdcp"]), (nil, "NONE", ["must lic-hdcp"]),
            ("TYPE-1", "TYPE-1", []), ("TYPE-1", "TYPE-0", ["must lic-hdcp"]), ("TYPE-1", "", ["must lic-hdcp"]),
            ("TYPE-0", "TYPE-1", ["should lic-hdcp"]), ("NONE", "TYPE-0", ["should lic-hdcp"]), ("NONE", "NONE", []),
            ("NONE", "", []),
        ] as [(String?, String, [String])]
    )
    func hdcp(level: String?, declared: String, expected: [String]) async throws {
        var facts = LicenseFacts()
        facts.hdcp = level.map { HDCPLevel(rawValue: $0) }
        let source = Source { [facts] _ in Self.license(facts) }
        let attributes = declared.isEmpty ? "" : ",HDCP-LEVEL=\(declared)"
        #expect(try await Self.rules(try Self.files(attributes), source) == expected)
    }

    @Test("The HDCP level of the license is compared with I-frame variants", arguments: ["", "TYPE-0", "TYPE-1"])
    func iFrameLevel(declared: String) async throws {
        var facts = LicenseFacts()
        facts.hdcp = .type1
        let source = Source { [facts] _ in Self.license(facts) }
        let level = declared.isEmpty ? "" : ",HDCP-LEVEL=\(declared)"
        let tag = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,CODECS=\"ac-3\",URI=\"i.m3u8\"\(level)\n"
        var files = try Self.files(",HDCP-LEVEL=TYPE-1", other: tag)
        files[Self.folder + "i.m3u8"] = files[Self.folder + "media.m3u8"]
        let found = try await Self.findings(files, source).filter { $0.rule == "lic-hdcp" }
        #expect(found.map(\.level) == (declared == "TYPE-1" ? [] : [.must]))
        #expect(found.allSatisfy { $0.place.line == 2 })
    }

    @Test(
        "The security level of the license is compared with the playlist",
        arguments: [
            (nil, "", []), ("Main", "", ["must lic-cpc"]), ("Main", "AppleMain/Main", []),
            ("Main", "AppleMain/AppleBaseline", ["must lic-cpc"]), ("Baseline", "AppleMain", ["should lic-cpc"]),
            (nil, "AppleMain", ["should lic-cpc"]), ("Baseline", "AppleBaseline/AppleMain", []),
        ] as [(String?, String, [String])]
    )
    func security(level: String?, labels: String, expected: [String]) async throws {
        var facts = LicenseFacts()
        facts.securityLevel = level
        let source = Source { [facts] _ in Self.license(facts) }
        let attributes = labels.isEmpty ? "" : ",ALLOWED-CPC=\"com.apple.streamingkeydelivery:\(labels)\""
        #expect(try await Self.rules(try Self.files(attributes), source) == expected)
    }

    @Test("A refusal because of the security level is critical only if the playlist allows the device")
    func refusedLevel() async throws {
        let source = Source { request in
            var facts = LicenseFacts()
            facts.securityLevel = "Main"
            guard request.deviceClass == "vm" else { return Self.license(facts) }
            var refusal = ValidationLicense(failure: "the security level is too low")
            refusal.facts = facts
            return refusal
        }
        #expect(try await Self.rules(try Self.files(), source) == ["critical lic-cpc"])
        let main = ",ALLOWED-CPC=\"com.apple.streamingkeydelivery:AppleMain\""
        #expect(try await Self.rules(try Self.files(main), source).isEmpty)
    }

    @Test("Short leases, persistent keys and announced keys are judged")
    func durations() async throws {
        func rules(_ change: (inout LicenseFacts) -> Void) async throws -> [String] {
            var facts = LicenseFacts()
            change(&facts)
            let source = Source { [facts] _ in Self.license(facts) }
            return try await Self.rules(try Self.files(keys: Array(repeating: "skd://a", count: 20)), source)
        }
        #expect(try await rules { $0.lease = 600 }.isEmpty)
        #expect(try await rules { $0.lease = 2 } == ["must lic-lease"])
        #expect(try await rules { $0.rental = 2 } == ["must lic-lease"])
        #expect(try await rules { ($0.lease, $0.isRenewable) = (5, false) } == ["critical lic-lease"])
        #expect(try await rules { ($0.lease, $0.isRenewable) = (5, true) }.isEmpty)

        let offline = Source(requestsPersistentKeys: true) { request in
            guard request.isPersistent else { return Self.license() }
            return ValidationLicense(failure: "persistence is not allowed", isUnsupported: request.deviceClass == "vm")
        }
        let refused = try await Self.findings(try Self.files(), offline)
        #expect(refused.map(\.rule) == ["lic-offline"] && refused[0].message.contains("for iphone:"))

        let ahead = try Self.files(other: "#EXT-X-SESSION-KEY:\(Self.key)\"skd://next\"\n")
        let source = Source { request in
            request.tag.uri == "skd://next" ? ValidationLicense(failure: "it does not exist") : Self.license()
        }
        #expect(try await Self.rules(ahead, source) == ["must lic-lead"])
    }

    @Test("One key with licenses that require different protection is reported")
    func sameKey() async throws {
        let files = try Self.files(keys: ["skd://a", "skd://b"])
        func found(_ change: @escaping @Sendable (inout LicenseFacts) -> Void) async throws -> [ValidationFinding] {
            let source = Source { request in
                var facts = LicenseFacts()
                if request.tag.uri == "skd://b" { change(&facts) }
                return Self.license(facts)
            }
            return try await Self.findings(files, source).filter { $0.rule == "key-same" }
        }
        #expect(try await found { _ in }.isEmpty)
        #expect(try await found { $0.lease = 600 }.isEmpty)
        for findings in [try await found { $0.hdcp = .type1 }, try await found { $0.securityLevel = "Main" }] {
            #expect(findings.map(\.level) == [.should])
            #expect(findings.first?.message.hasPrefix("The keys skd://b and skd://a are the same key") == true)
        }
        // Other keys may require anything.
        let other = SecretBytes(copying: Array("another key here".utf8))
        let different = Source { request in
            var facts = LicenseFacts()
            guard request.tag.uri == "skd://b" else { return Self.license(facts) }
            facts.hdcp = .type1
            return Self.license(facts, key: other)
        }
        #expect(try await !Self.findings(files, different).contains { $0.rule == "key-same" })
    }

    @Test("Keys that anyone can guess are found", arguments: [0x00, 0x55] as [UInt8])
    func weak(byte: UInt8) async throws {
        let weak = SecretBytes(copying: [UInt8](repeating: byte, count: 16))
        let id = MeasuredKey.ID(.fairPlay(uri: "skd://a"), playlist: "", keyID: nil)
        var key = MeasuredKey(
            id: id,
            tag: .fairPlay(uri: "skd://a"),
            place: .init(""),
            isAhead: false,
            keyIDs: [],
            grants: []
        )
        key.grants = [.init(deviceClass: nil, license: ValidationLicense(key: weak))]
        #expect(key.weakness == "all of its bytes are equal")
        // The content has a published test key, and the server has another one.
        let other = SecretBytes(copying: Array("another key here".utf8))
        let files = try Self.files()
        let published = (0..<16).map { UInt8(0xFF - 0x11 * $0) }
        #expect(WeakKeys.description(of: SecretBytes(copying: published), keyIDs: []) == "it is a published test key")
        let found = try await Self.rules(files, Source { _ in Self.license(key: other) })
        #expect(found == ["critical key-weak"])
    }
}
