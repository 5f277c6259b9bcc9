package import DRMSignaling
import FPSCrypto
package import MediaFormats
import SampleEncryption

/// What is asked once the tracks are known.
extension PackagingJob {
    /// The class of a track: by its input's policy, or by its kind and size. Nil for what has none: subtitles.
    package func trackClass(of track: MediaTrack, from input: Input) -> TrackClass? {
        if track.kind == .subtitles { return nil }
        if case .trackClass(let trackClass) = input.policy { return trackClass }
        return track.kind == .audio ? .audio : TrackClass(width: track.width, height: track.height)
    }

    /// Whether a track is to be encrypted.
    func protects(_ track: MediaTrack, from input: Input) -> Bool {
        scheme != nil && input.policy != .clear && trackClass(of: track, from: input) != nil
    }

    /// How a track is encrypted; nil: it stays clear.
    ///
    /// - Parameter number: Which of the presentation's renditions it becomes. With `cenc` those that have one key must not
    ///   have one counter.
    /// - Throws: ``JobFailure`` when its class has no key.
    package func protection(of track: MediaTrack, from input: Input, number: Int = 0) throws -> TrackProtection? {
        guard input.policy != .clear, let trackClass = trackClass(of: track, from: input) else { return nil }
        var protection = try protection(of: trackClass)
        guard protection?.scheme == .cenc, let iv = protection?.iv else { return protection }
        guard let number = UInt16(exactly: number) else {
            throw JobFailure("scheme", "cenc keeps the counters of at most 65,536 renditions apart: use fewer, or cbcs")
        }
        protection?.iv = try CipherIV(iv.bytes.prefix(ivSize)).start(ofTrack: number)
        return protection
    }

    /// How tracks of a class are encrypted; nil: nothing is.
    ///
    /// - Throws: ``JobFailure`` when the class has no key.
    package func protection(of trackClass: TrackClass) throws -> TrackProtection? {
        guard let scheme else { return nil }
        guard let key = keys[trackClass] else {
            throw JobFailure(
                "keys",
                "there is \(trackClass.rawValue) to encrypt, and no key for it: give one for \(trackClass.rawValue), or one "
                    + "for all"
            )
        }
        var protection = TrackProtection(
            scheme: scheme,
            keyID: key.keyID.bytes,
            key: key.key,
            iv: try key.iv.map { try $0.withUnsafeBytes { try CipherIV($0) } }
        )
        protection.systemData = keys.systemData
        return protection
    }

    /// The `pssh` boxes of an init segment whose samples are encrypted with a key (ISO/IEC 23001-7, 8.1). One for each
    /// system that has any; FairPlay needs none, but its box says that the key is FairPlay's.
    ///
    /// - Throws: `SignalingError`.
    package func protectionHeaders(
        of protection: TrackProtection
    ) throws(SignalingError) -> [ProtectionSystemHeaderBox] {
        guard let scheme = scheme?.commonEncryption, let keyID = ContentKeyID(protection.keyID) else { return [] }
        var boxes: [ProtectionSystemHeaderBox] = []
        for system in systems {
            let given = protection.systemData.box(for: keyID, system)
            let made = try ProtectionSystemSpecificHeader(announcing: [keyID], to: system, scheme: scheme)
            guard let header = given ?? made else { continue }
            boxes.append(
                ProtectionSystemHeaderBox(
                    systemID: header.systemID.bytes,
                    keyIDs: header.keyIDs?.map(\.bytes),
                    data: header.data
                )
            )
        }
        return boxes
    }

    /// Holds that the container has a place for a track.
    ///
    /// - Throws: ``JobFailure``.
    package func check(_ track: MediaTrack) throws(JobFailure) {
        if container == .ts, case .hevc = track.format {
            throw JobFailure(
                "container",
                "HEVC goes into fragmented MP4 alone (Apple's authoring specification, 1.5): use fmp4, with the scheme "
                    + "cbcs if it is to be encrypted"
            )
        }
    }

    /// Holds that something is left to encrypt behind the clear lead.
    ///
    /// - Parameter duration: How long the presentation is.
    /// - Throws: ``JobFailure``.
    package func checkClearLead(presentation duration: MediaTime) throws(JobFailure) {
        guard let clearLead, clearLead >= duration else { return }
        throw JobFailure(
            "clear-lead",
            "the presentation lasts \(Self.shown(duration)) s, so that with a clear lead of \(Self.shown(clearLead)) s nothing "
                + "is encrypted: make it shorter, or use the scheme none"
        )
    }

    static func shown(_ time: MediaTime) -> String {
        let milliseconds = time.converted(to: 1000)
        let fraction = String(milliseconds.magnitude % 1000 + 1000).dropFirst()
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\(fraction)"
    }
}

extension TrackProtection.Scheme {
    /// The scheme of Common Encryption; nil for what does not encrypt samples of fragmented MP4.
    package var commonEncryption: CommonEncryptionScheme? {
        switch self {
        case .cbcs: .cbcs
        case .cenc: .cenc
        case .sampleAES, .aes128: nil
        }
    }

    /// METHOD of EXT-X-KEY.
    package var method: HLSKeyMethod {
        switch self {
        case .cbcs, .sampleAES: .sampleAES
        case .cenc: .sampleAESCTR
        case .aes128: .aes128
        }
    }
}
