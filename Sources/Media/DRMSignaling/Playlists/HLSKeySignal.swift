import TextCoding

/// The values of an EXT-X-KEY or EXT-X-SESSION-KEY tag for one protection system and one key (RFC 8216bis, 4.4.4.4 and
/// 4.4.6.5).
///
///     system     METHOD                       URI                             IV
///     fairplay   SAMPLE-AES                   skd://…                         never: the key server returns it
///     widevine   SAMPLE-AES, SAMPLE-AES-CTR   data: with the pssh box         never: it is in `tenc` or `senc`
///     playready  SAMPLE-AES, SAMPLE-AES-CTR   data: with the PlayReady Object likewise
///     common     SAMPLE-AES, SAMPLE-AES-CTR   data: with the key ID           likewise
///     identity   all three                    location of the 16-byte key     as given
///
/// Widevine's tag also has a KEYID attribute, which players read without parsing the box.
///
/// Equal signals are for the same key: a Multivariant Playlist lists each of them once.
public struct HLSKeySignal: Hashable, Sendable {
    /// The protection system.
    public let system: ProtectionSystem
    /// The METHOD attribute.
    public let method: HLSKeyMethod
    /// The URI attribute.
    public let uri: String
    /// The IV attribute of 16 bytes; nil if the tag has none.
    public let iv: [UInt8]?

    /// The KEYFORMAT attribute; nil for `identity`, which is the default and is omitted for compatibility with old
    /// clients.
    public var keyFormat: String? { system == .identity ? nil : system.keyFormat }

    /// The KEYFORMATVERSIONS attribute; nil for `identity`.
    public var keyFormatVersions: String? { system == .identity ? nil : system.keyFormatVersions }

    /// The KEYID attribute: `0x` and the key ID in hexadecimal; nil except for Widevine.
    public let keyIDAttribute: String?

    /// Creates a signal.
    ///
    /// - Parameter keyID: The key ID, for systems whose tag has a KEYID attribute.
    /// - Throws: `method-not-allowed`; `invalid-iv` if there is an IV for a system other than `identity`, or it does
    ///   not have 16 bytes; `invalid-key-uri`.
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
                    "\(system.name) does not use an IV in the playlist; the IV is delivered with the key or the media: "
                        + "remove it"
                )
            }
            guard iv.count == 16 else {
                throw SignalingError(.invalidIV, "IV of EXT-X-KEY", "must have 16 bytes, but has \(iv.count)")
            }
        }
        try KeyURITemplate.check(uri, for: system)
        self.system = system
        self.method = method
        self.uri = uri
        self.iv = iv
        keyIDAttribute = system == .widevine ? keyID.map { "0x" + $0.hexadecimal } : nil
    }

    /// Returns a signal for Clear Key in the format of hls.js: the first 16 bytes of a `data:` URI are the key ID.
    ///
    /// - Throws: `method-not-allowed`.
    public static func clearKey(
        keyID: ContentKeyID,
        method: HLSKeyMethod = .sampleAES
    ) throws(SignalingError) -> HLSKeySignal {
        let uri = "data:text/plain;base64," + Base64.encode(keyID.bytes)
        return try HLSKeySignal(system: .common, method: method, uri: uri)
    }

    /// Returns a signal for Widevine with the `pssh` box.
    ///
    /// - Throws: `method-not-allowed`.
    public static func widevine(keyID: ContentKeyID, method: HLSKeyMethod) throws(SignalingError) -> HLSKeySignal {
        let box = try ProtectionSystemSpecificHeader(announcing: [keyID], to: .widevine, scheme: method.scheme)
        let uri = "data:text/plain;base64," + (box?.base64 ?? "")
        return try HLSKeySignal(system: .widevine, method: method, uri: uri, keyID: keyID)
    }

    /// Returns a signal for PlayReady with the PlayReady Object, without a box.
    ///
    /// - Throws: `method-not-allowed`.
    public static func playReady(keyID: ContentKeyID, method: HLSKeyMethod) throws(SignalingError) -> HLSKeySignal {
        let object = try PlayReadyObject(PlayReadyHeader(keyIDs: [keyID], scheme: method.scheme))
        let uri = "data:text/plain;charset=UTF-16;base64," + Base64.encode(object.bytes)
        return try HLSKeySignal(system: .playReady, method: method, uri: uri)
    }

    /// Returns the signals of a key, one for each system, in the order of the systems.
    ///
    /// - Parameters:
    ///   - systems: The systems for which the key is signaled.
    ///   - keyID: The key ID.
    ///   - method: The encryption method.
    ///   - template: The template of key URIs for `fairplay` and `identity`; the other systems define their URIs.
    ///   - track: The value of `{track}` in the template.
    ///   - title: The value of `{title}` in the template.
    ///   - iv: The IV for `identity`; the other systems have none.
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
            "\(system.name) does not support METHOD=\(method.rawValue): encrypt with "
                + system.methods.map(\.rawValue).joined(separator: " or ")
                + ", or use \(others.joined(separator: " or ")) instead of \(system.name)"
        )
    }
}
