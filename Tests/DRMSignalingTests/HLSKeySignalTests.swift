import DRMSignaling
import Testing

@Suite("Values of EXT-X-KEY")
struct HLSKeySignalTests {
    private func refusal(
        _ system: ProtectionSystem,
        _ method: HLSKeyMethod,
        _ uri: String,
        iv: [UInt8]? = nil
    ) -> SignalingError? {
        failure { () throws(SignalingError) in
            _ = try HLSKeySignal(system: system, method: method, uri: uri, iv: iv)
        }
    }

    @Test("FairPlay and Clear Key for the same key")
    func pair() throws {
        let signals = try HLSKeySignal.signals(
            to: [.fairPlay, .common],
            keyID: firstID,
            method: .sampleAES,
            iv: [UInt8](repeating: 1, count: 16)
        )
        try #require(signals.count == 2)
        #expect(signals[0].method == .sampleAES)
        #expect(signals[0].uri == "skd://00112233445566778899aabbccddeeff")
        #expect(signals[0].keyFormat == "com.apple.streamingkeydelivery")
        #expect(signals[0].keyFormatVersions == "1")
        // Apple's HLS Authoring Specification, 13.4.
        #expect(signals[0].iv == nil)
        #expect(signals[1].method == .sampleAES)
        // hls.js uses the first 16 bytes of the content as the key ID.
        #expect(signals[1].uri == "data:text/plain;base64,ABEiM0RVZneImaq7zN3u/w==")
        #expect(signals[1].keyFormat == "org.w3.clearkey")
        #expect(signals[1].keyFormatVersions == "1")
        #expect(signals[1].iv == nil)
    }

    /// The URIs are those of Shaka Packager 3.8.0 for this key ID.
    @Test("Widevine and PlayReady have a data URI with their initialization data, and no IV")
    func dataURIs() throws {
        let keyID = try ContentKeyID(parsing: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        let signals = try HLSKeySignal.signals(to: [.widevine, .playReady], keyID: keyID, method: .sampleAES)
        try #require(signals.count == 2)
        let box = "AAAAOHBzc2gAAAAA7e+LqXnWSs6jyCfc1R0h7QAAABgSEKChoqOkpaanqKmqq6ytrq9I88aJmwY="
        #expect(signals[0].uri == "data:text/plain;base64," + box)
        #expect(signals[0].keyFormat == "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed")
        #expect(signals[0].keyIDAttribute == "0xa0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        #expect(signals[1].uri.hasPrefix("data:text/plain;charset=UTF-16;base64,vgEAAAEAAQC0ATwAVwBSAE0A"))
        #expect(signals[1].keyFormat == "com.microsoft.playready")
        #expect(signals[1].keyIDAttribute == nil)
        for signal in signals { #expect(signal.iv == nil && signal.keyFormatVersions == "1") }
        let counted = try HLSKeySignal.signals(to: [.widevine], keyID: keyID, method: .sampleAESCTR)
        #expect(counted.first?.method == .sampleAESCTR)
        #expect(counted.first?.uri.hasSuffix("I49yVmwY=") == true)
    }

    @Test("An identity key has an IV, and no KEYFORMAT, for compatibility with old clients")
    func identity() throws {
        let iv = [UInt8](0..<16)
        let signals = try HLSKeySignal.signals(
            to: [.identity],
            keyID: firstID,
            method: .aes128,
            template: KeyURITemplate("https://keys.example/{kid}"),
            iv: iv
        )
        try #require(signals.count == 1)
        #expect(signals[0].uri == "https://keys.example/00112233445566778899aabbccddeeff")
        #expect(signals[0].iv == iv)
        #expect(signals[0].keyFormat == nil)
        #expect(signals[0].keyFormatVersions == nil)
    }

    @Test("Signals for the same key are equal, for different keys different")
    func identityOfSignals() throws {
        let systems: [ProtectionSystem] = [.fairPlay, .common]
        let first = try HLSKeySignal.signals(to: systems, keyID: firstID, method: .sampleAES)
        let second = try HLSKeySignal.signals(to: systems, keyID: secondID, method: .sampleAES)
        #expect(try first == HLSKeySignal.signals(to: systems, keyID: firstID, method: .sampleAES))
        #expect(Set(first + second + first).count == 4)
    }

    @Test("Each system supports only its methods")
    func methods() {
        let allowed: [ProtectionSystem: Set<HLSKeyMethod>] = [
            .fairPlay: [.sampleAES], .common: [.sampleAES, .sampleAESCTR], .identity: Set(HLSKeyMethod.allCases),
            .widevine: [.sampleAES, .sampleAESCTR], .playReady: [.sampleAES, .sampleAESCTR],
        ]
        let uris: [ProtectionSystem: String] = [
            .fairPlay: "skd://a", .common: "data:,a", .identity: "key.bin", .widevine: "data:,a", .playReady: "data:,a",
        ]
        for system in ProtectionSystem.known {
            for method in HLSKeyMethod.allCases {
                let code = refusal(system, method, uris[system]!)?.code
                #expect((code == nil) == allowed[system]!.contains(method), "\(system) \(method)")
                #expect(code == nil || code == .methodNotAllowed)
            }
        }
        let error = refusal(.fairPlay, .aes128, "skd://a")
        #expect(error?.reason.contains("SAMPLE-AES") == true)
        #expect(error?.reason.contains("identity") == true)
    }

    @Test("Only identity has an IV, which must have 16 bytes")
    func vectors() {
        let iv = [UInt8](repeating: 1, count: 16)
        #expect(refusal(.fairPlay, .sampleAES, "skd://a", iv: iv)?.code == .invalidIV)
        #expect(refusal(.common, .sampleAES, "data:,a", iv: iv)?.code == .invalidIV)
        #expect(refusal(.identity, .aes128, "a", iv: iv) == nil)
        #expect(refusal(.identity, .aes128, "a", iv: Array(iv.dropLast()))?.code == .invalidIV)
    }

    @Test("URIs must have the scheme that the system's players expect")
    func uris() {
        for uri in ["", "skd://", "skd:a", "SKD://a", "https://a/b", "a", "skd://a b", "skd://a\"", "skd://a\nb"] {
            #expect(refusal(.fairPlay, .sampleAES, uri)?.code == .invalidKeyURI, "\(uri)")
        }
        #expect(refusal(.fairPlay, .sampleAES, "skd://a?b=c&d=%20") == nil)
        for uri in ["", "skd://a", "SKD://a", "a%2", "a%", "a%g0", "ä", "a{kid}", "a\u{7f}"] {
            #expect(refusal(.identity, .aes128, uri)?.code == .invalidKeyURI, "\(uri)")
        }
        #expect(refusal(.identity, .aes128, "../keys/1.bin") == nil)
    }

    @Test("identity cannot be combined with a DRM system")
    func conflict() {
        let error = failure { () throws(SignalingError) in
            _ = try HLSKeySignal.signals(to: [.identity, .common], keyID: firstID, method: .sampleAES)
        }
        #expect(error?.code == .conflictingSystems)
    }
}
