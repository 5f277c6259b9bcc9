import FPSCrypto
import KeyStore
import KeyStoreTestSupport
import Testing

@testable import KeyServer

@Suite("Policies and the tracks and keys that use them")
struct ContentCheckTests {
    private let store = InMemoryKeyStore()

    private func policy(_ name: String, _ json: String) throws -> PolicyRecord {
        try ContentDefaults.policy(name: name, json: Array(json.utf8))
    }

    private func key(
        _ asset: String,
        kind: ContentTrack = .unspecified,
        policy: String? = nil,
        of track: TrackRecord? = nil
    ) throws -> ContentRecord {
        try ContentRecord(
            assetID: Array(asset.utf8),
            keyID: Array(SHA256.hash(Array(asset.utf8)).prefix(16)),
            contentKey: SecretBytes(copying: Array(0..<16)),
            iv: Array(0..<16),
            track: kind,
            policyName: policy,
            titleName: track?.title,
            trackName: track?.name,
            time: 0
        )
    }

    /// A title with an audio and a video track, and the policies `main` for video, `audio` for audio, `plain` for both.
    private func fill(title policyName: String? = nil) async throws -> (title: TitleRecord, audio: TrackRecord) {
        try await store.putPolicy(policy("main", #"{"securityLevel": "main"}"#), replacing: false)
        try await store.putPolicy(policy("audio", #"{"securityLevel": "audio"}"#), replacing: false)
        try await store.putPolicy(policy("plain", "{}"), replacing: false)
        let title = try TitleRecord(name: "film", policyName: policyName, time: 0)
        try await store.putTitle(title, replacing: false)
        let audio = try TrackRecord(title: "film", name: "audio", kind: .audio)
        try await store.putTrack(audio, replacing: false)
        try await store.putTrack(try TrackRecord(title: "film", name: "hd", kind: .hd), replacing: false)
        return (title, audio)
    }

    @Test(
        "A title's policy must fit all of its tracks",
        arguments: [("main", true), ("audio", true), ("plain", false)]
    )
    func titles(name: String, isRefused: Bool) async throws {
        _ = try await fill()
        let error = await failure {
            try await ContentDefaults.check(title: TitleRecord(name: "film", policyName: name, time: 0), in: store)
        }
        #expect(error?.code == (isRefused ? .conflict : nil))
        let unknown = await failure {
            try await ContentDefaults.check(title: TitleRecord(name: "new", policyName: "none", time: 0), in: store)
        }
        #expect(unknown?.code == .missingReference)
    }

    @Test("A track's kind must fit the policies of its title and of its keys")
    func tracks() async throws {
        let (_, audio) = try await fill()
        let hd = try TrackRecord(title: "film", name: "hd", kind: .hd)
        try await store.putContent(key("period", policy: "main", of: hd), replacing: false)
        let asAudio = try TrackRecord(title: "film", name: "hd", kind: .audio)
        let error = await failure { try await ContentDefaults.check(track: asAudio, in: store) }
        #expect(error?.code == .conflict)
        #expect(error?.reason?.contains("content period") == true)
        try await ContentDefaults.check(track: hd, in: store)
        try await ContentDefaults.check(track: audio, in: store)
    }

    @Test("A key must fit its policies, or the default policy if it has none")
    func keys() async throws {
        let (_, audio) = try await fill()
        for record in [try key("one", kind: .audio, policy: "main"), try key("two", policy: "main", of: audio)] {
            let error = await failure { try await ContentDefaults.check(content: record, in: store) }
            #expect(error?.code == .conflict, "\(record.info.place)")
        }
        let plain = try key("three", kind: .audio)
        try await ContentDefaults.check(content: plain, in: store)
        try await store.putPolicy(policy("default", #"{"securityLevel": "main"}"#), replacing: false)
        let error = await failure { try await ContentDefaults.check(content: plain, in: store) }
        #expect(error?.code == .conflict)
    }

    @Test("A changed policy must fit everything that refers to it, by title, track, key or by default")
    func policies() async throws {
        let (_, audio) = try await fill(title: "plain")
        let strict = #"{"securityLevel": "main"}"#
        func refuses(_ name: String, _ json: String) async throws -> Bool {
            let record = try policy(name, json)
            return await failure { try await ContentDefaults.check(policy: record, in: store) }?.code == .conflict
        }
        #expect(try await refuses("plain", strict))
        #expect(try await !refuses("plain", #"{"hdcp": "type1"}"#))
        #expect(try await !refuses("unknown", strict))

        #expect(try await !refuses("default", strict))
        try await store.putContent(key("alone", kind: .audio), replacing: false)
        #expect(try await refuses("default", strict))

        try await store.putPolicy(policy("own", "{}"), replacing: false)
        #expect(try await !refuses("own", strict))
        try await store.putContent(key("period", policy: "own", of: audio), replacing: false)
        #expect(try await refuses("own", strict))
        // If there are more keys than are read at once, the last one is checked too.
        try await store.putPolicy(policy("last", "{}"), replacing: false)
        for number in 0..<ContentCheck.pageSize {
            try await store.putContent(key("\(100_000 + number)", kind: .hd, policy: "last"), replacing: false)
        }
        #expect(try await !refuses("last", strict))
        try await store.putContent(key("zz", kind: .audio, policy: "last"), replacing: false)
        #expect(try await refuses("last", strict))
    }

    private func failure(_ work: () async throws -> Void) async -> KeyStoreError? {
        do { try await work() } catch { return error as? KeyStoreError }
        return nil
    }
}
