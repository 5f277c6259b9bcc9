import DRMSignaling
import FPSCrypto
import Testing

@Suite("Keys of tracks")
struct TrackKeysTests {
    private let key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    private let iv = "101112131415161718191a1b1c1d1e1f"

    private func refusal(_ texts: [String]) -> SignalingError? {
        failure { () throws(SignalingError) in _ = try TrackKeys(parsing: texts) }
    }

    @Test("One key for all classes, or separate keys for some")
    func classes() throws {
        let one = try TrackKeys(parsing: ["\(firstID):\(key)"])
        for trackClass in TrackClass.allCases { #expect(try one.key(for: trackClass).keyID == firstID) }
        #expect(one == TrackKeys(try PackagingKey(parsing: "\(firstID):\(key)")))
        let two = try TrackKeys(parsing: ["uhd=\(secondID):\(key):\(iv)", "\(firstID):\(key)"])
        #expect(try two.key(for: .uhd).keyID == secondID)
        #expect(try two.key(for: .uhd).iv?.reveal() == hex(iv))
        for trackClass in [TrackClass.audio, .sd, .hd] { #expect(try two.key(for: trackClass).keyID == firstID) }
        #expect(two.all.map(\.keyID) == [secondID, firstID])
        // Classes may share a key.
        #expect(refusal(["sd=\(firstID):\(key)", "hd=\(firstID):\(key)"]) == nil)
    }

    @Test("The error for a class without a key contains the class")
    func missing() throws {
        let keys = try TrackKeys(parsing: ["audio=\(firstID):\(key)"])
        let error = failure { () throws(SignalingError) in _ = try keys.key(for: .hd) }
        #expect(error?.code == .invalidKey)
        #expect(error?.description.contains("HD=KID:KEY:IV") == true)
        let none = failure { () throws(SignalingError) in _ = try TrackKeys(parsing: []).key(for: .audio) }
        #expect(none?.code == .invalidKey)
    }

    @Test("Ambiguous and unknown classes are rejected, and errors contain no key")
    func refused() {
        let first = "\(firstID):\(key)"
        let cases: [([String], SignalingError.Code)] = [
            ([first, first], .invalidKey), (["hd=\(first)", "HD=\(first)"], .invalidKey),
            (["4k=\(first)"], .invalidKey), (["=\(first)"], .invalidKey), (["hd="], .invalidKey),
            (["\(first)="], .invalidKey), ([""], .invalidKey),
            ([first, "hd=\(firstID):\(iv)"], .duplicateKeyID),
        ]
        for (texts, code) in cases {
            let error = refusal(texts)
            #expect(error?.code == code, "\(texts.count)")
            for secret in [key, iv] { #expect(error?.description.contains(secret.prefix(6)) == false) }
        }
    }

    @Test("Generated keys differ in all parts")
    func random() throws {
        var generator = SecureRandom()
        let keys = TrackKeys(randomFor: [.audio, .hd], from: &generator)
        let (audio, video) = (try keys.key(for: .audio), try keys.key(for: .hd))
        #expect(audio.keyID != video.keyID)
        let secrets = [audio.key, audio.iv, video.key, video.iv].compactMap { $0?.reveal() }
        #expect(Set(secrets).count == 4)
        #expect(secrets.allSatisfy { $0.count == 16 })
        #expect(keys.all == [audio, video])
    }
}
