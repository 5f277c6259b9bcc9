import TextCoding

/// The values of an EXT-X-KEY or EXT-X-SESSION-KEY tag for one protection system and one key (RFC 8216bis, 4.4.4.4 and
/// 4.4.6.5).
///
///     system     METHOD                       URI                             IV
///     fairplay   SAMPLE-AES                   skd://…                         never: it comes with the key
///     widevine   SAMPLE-AES, SAMPLE-AES-CTR   data: with the pssh box         never: `tenc` and `senc` have it
///     playready  SAMPLE-AES, SAMPLE-AES-CTR   data: with the PlayReady Object likewise
///     common     SAMPLE-AES, SAMPLE-AES-CTR   data: with the key ID           likewise
///     identity   all three                    where the 16 bytes lie          as given
///
/// Widevine's tag has a KEYID beside these, which its players look for before they take the box apart.
///
/// Equal signals are one key: a Multivariant Playlist lists each once.
public struct HLSKeySignal: Hashable, Sendable {
    /// Who hands out the key.
    public let system: ProtectionSystem
    /// METHOD.
    public let method: HLSKeyMethod
    /// URI.
    public let uri: String
    /// IV: 16 bytes; nil when the tag has none.
    public let iv: [UInt8]?

    /// KEYFORMAT; nil for `identity`, which is what a tag without the attribute means, so that old clients read it.
    public var keyFormat: String? { system == .identity ? nil : system.keyFormat }

    /// KEYFORMATVERSIONS; nil for `identity`.
    public var keyFormatVersions: String? { system == .identity ? nil : system.keyFormatVersions }

    /// KEYID: `0x` and the key ID in hexadecimal; nil for all but Widevine.
    public let keyIDAttribute: String?

    /// Makes a signal.
    ///
    /// - Parameter keyID: Which key it is, where the tag has an attribute for that.
    /// - Throws: `method-not-allowed`; `invalid-iv` when a system other than `identity` gets one, or it is not 16 bytes;
    ///   `invalid-key-uri`.
    public init(
        system: ProtectionSystem,
        method: HLSKeyMethod,
        uri: String,
        iv: [UInt8]? = nil,
        keyID: ContentKeyID? = nil
    ) throws(SignalingError) {
        guard system.methods.contains(method) else { throw Self.refusal(of: method, for: system) }
        if let iv {
            guard system == .identity else {
                throw SignalingError(
                    .invalidIV,
                    "IV of EXT-X-KEY",
                    "a key of \(system.name) has none in the playlist, since it comes with the key or the media: leave it out"
                )
            }
            guard iv.count == 16 else {
                throw SignalingError(.invalidIV, "IV of EXT-X-KEY", "it has 16 bytes, not \(iv.count)")
            }
        }
        try KeyURITemplate.check(uri, for: system)
        self.system = system
        self.method = method
        self.uri = uri
        self.iv = iv
        keyIDAttribute = system == .widevine ? keyID.map { "0x" + $0.hexadecimal } : nil
    }

    /// Clear Key as hls.js has it: the first 16 bytes of a `data:` URI are the key ID.
    ///
    /// - Throws: `method-not-allowed`.
    public static func clearKey(
        keyID: ContentKeyID,
        method: HLSKeyMethod = .sampleAES
    ) throws(SignalingError) -> HLSKeySignal {
        let uri = "data:text/plain;base64," + Base64.encode(keyID.bytes)
        return try HLSKeySignal(system: .common, method: method, uri: uri)
    }

    /// Widevine: the `pssh` box.
    ///
    /// - Throws: `method-not-allowed`.
    public static func widevine(keyID: ContentKeyID, method: HLSKeyMethod) throws(SignalingError) -> HLSKeySignal {
        let box = try ProtectionSystemSpecificHeader(announcing: [keyID], to: .widevine, scheme: method.scheme)
        let uri = "data:text/plain;base64," + (box?.base64 ?? "")
        return try HLSKeySignal(system: .widevine, method: method, uri: uri, keyID: keyID)
    }

    /// PlayReady: the PlayReady Object, without a box around it.
    ///
    /// - Throws: `method-not-allowed`.
    public static func playReady(keyID: ContentKeyID, method: HLSKeyMethod) throws(SignalingError) -> HLSKeySignal {
        let object = try PlayReadyObject(PlayReadyHeader(keyIDs: [keyID], scheme: method.scheme))
        let uri = "data:text/plain;charset=UTF-16;base64," + Base64.encode(object.bytes)
        return try HLSKeySignal(system: .playReady, method: method, uri: uri)
    }

    /// The signals of one key, one for each system, in the order of the systems.
    ///
    /// - Parameters:
    ///   - systems: Whom to signal the key to.
    ///   - keyID: Which key.
    ///   - method: How segments are encrypted.
    ///   - template: Where the key of `fairplay` and of `identity` is; the others have a URI of their own.
    ///   - track: What `{track}` of the template stands for.
    ///   - title: What `{title}` of the template stands for.
    ///   - iv: What `identity` has as its IV; the other systems do not get it.
    /// - Throws: `conflicting-systems`, `method-not-allowed`, `invalid-iv`, `invalid-key-uri`.
    public static func signals(
        to systems: [ProtectionSystem],
        keyID: ContentKeyID,
        method: HLSKeyMethod,
        template: KeyURITemplate = .fairPlay,
        track: String? = nil,
        title: String? = nil,
        period: Int64? = nil,
        iv: [UInt8]? = nil
    ) throws(SignalingError) -> [HLSKeySignal] {
        try ProtectionSystem.check(systems)
        var signals: [HLSKeySignal] = []
        for system in systems {
            switch system {
            case .common:
                signals.append(try clearKey(keyID: keyID, method: method))
                continue
            case .widevine:
                signals.append(try widevine(keyID: keyID, method: method))
                continue
            case .playReady:
                signals.append(try playReady(keyID: keyID, method: method))
                continue
            default: break
            }
            let uri = try template.uri(keyID: keyID, track: track, title: title, period: period)
            let ownIV = system == .identity ? iv : nil
            signals.append(try HLSKeySignal(system: system, method: method, uri: uri, iv: ownIV))
        }
        return signals
    }

    private static func refusal(of method: HLSKeyMethod, for system: ProtectionSystem) -> SignalingError {
        let others = ProtectionSystem.known.filter { $0.methods.contains(method) }.map(\.name)
        return SignalingError(
            .methodNotAllowed,
            "METHOD of EXT-X-KEY",
            "\(system.name) does not decrypt \(method.rawValue): encrypt with "
                + system.methods.map(\.rawValue).joined(separator: " or ")
                + ", or ask for \(others.joined(separator: " or ")) instead of \(system.name)"
        )
    }
}
