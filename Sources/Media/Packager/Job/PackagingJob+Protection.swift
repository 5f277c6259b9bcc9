package import DRMSignaling
import FPSCrypto
package import MediaFormats
import SampleEncryption

/// Decisions that depend on the tracks of the inputs.
extension PackagingJob {
    /// Returns the class of a track, from its input's policy or from its kind and resolution; nil for subtitles.
    package func trackClass(of track: MediaTrack, from input: Input) -> TrackClass? {
        if track.kind == .subtitles { return nil }
        if case .trackClass(let trackClass) = input.policy { return trackClass }
        return track.kind == .audio ? .audio : TrackClass(width: track.width, height: track.height)
    }

    /// Returns whether a track is encrypted.
    func protects(_ track: MediaTrack, from input: Input) -> Bool {
        scheme != nil && input.policy != .clear && trackClass(of: track, from: input) != nil
    }

    /// Returns how a track is encrypted; nil if it stays clear.
    ///
    /// - Parameter number: The index of the track's rendition in the presentation. With `cenc`, renditions with the
    ///   same key get different counters.
    /// - Throws: ``JobFailure`` if the track's class has no key.
    package func protection(of track: MediaTrack, from input: Input, number: Int = 0) throws -> TrackProtection? {
        guard input.policy != .clear, let trackClass = trackClass(of: track, from: input) else { return nil }
        var protection = try protection(of: trackClass)
        guard protection?.scheme == .cenc, let iv = protection?.iv else { return protection }
        guard let number = UInt16(exactly: number) else {
            throw JobFailure(
                "scheme",
                "cenc has separate counters for at most 65,536 renditions: use fewer renditions, or cbcs"
            )
        }
        protection?.iv = try CipherIV(iv.bytes.prefix(ivSize)).start(ofTrack: number)
        return protection
    }

    /// Returns how the tracks of a class are encrypted; nil if the job does not encrypt.
    ///
    /// - Throws: ``JobFailure`` if the class has no key.
    package func protection(of trackClass: TrackClass) throws -> TrackProtection? {
        guard let scheme else { return nil }
        guard let key = keys[trackClass] else {
            throw JobFailure(
                "keys",
                "a track of class \(trackClass.rawValue) is to be encrypted, but there is no key for this class: "
                    + "give a key for \(trackClass.rawValue), or one for all classes"
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

    /// Returns the `pssh` boxes of an init segment whose samples are encrypted with a key (ISO/IEC 23001-7, 8.1): one
    /// for each system that defines one. FairPlay does not require a box; its box only marks the key as a FairPlay key.
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

    /// Checks that the container supports a track.
    ///
    /// - Throws: ``JobFailure``.
    package func check(_ track: MediaTrack) throws(JobFailure) {
        if container == .ts, case .hevc = track.format {
            throw JobFailure(
                "container",
                "HEVC requires fragmented MP4 (HLS Authoring Specification, 1.5): use fmp4; to encrypt, use the scheme "
                    + "cbcs"
            )
        }
    }

    /// Checks that the clear lead is shorter than the presentation, so that some samples are encrypted.
    ///
    /// - Parameter duration: The duration of the presentation.
    /// - Throws: ``JobFailure``.
    package func checkClearLead(presentation duration: RationalTime) throws(JobFailure) {
        guard let clearLead, clearLead >= duration else { return }
        throw JobFailure(
            "clear-lead",
            "the clear lead of \(Self.formatted(clearLead)) s covers the whole presentation of "
                + "\(Self.formatted(duration)) s, so nothing would be encrypted: shorten the clear lead, or use the "
                + "scheme none"
        )
    }

    /// Checks that a written presentation is encrypted, as its playlists will say. Called before anything is published.
    ///
    /// - Throws: ``JobFailure``.
    func requireEncryption(of renditions: [Rendition]) throws(JobFailure) {
        let wanted = renditions.filter { $0.protection != nil && !$0.segments.isEmpty }
        guard let clearLead, !wanted.isEmpty, !wanted.contains(where: { $0.segments.contains(where: \.isProtected) })
        else { return }
        throw JobFailure(
            "clear-lead",
            "the clear lead of \(Self.formatted(clearLead)) s covers the whole presentation, so nothing is encrypted: "
                + "shorten the clear lead, or use the scheme none"
        )
    }

    static func formatted(_ time: RationalTime) -> String {
        let milliseconds = time.converted(to: 1000)
        let fraction = String(milliseconds.magnitude % 1000 + 1000).dropFirst()
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\(fraction)"
    }
}

extension TrackProtection.Scheme {
    /// The Common Encryption scheme; nil for schemes that do not encrypt samples in fragmented MP4.
    package var commonEncryption: CommonEncryptionScheme? {
        switch self {
        case .cbcs: .cbcs
        case .cenc: .cenc
        case .sampleAES, .aes128: nil
        }
    }

    /// The METHOD attribute of EXT-X-KEY.
    package var method: HLSKeyMethod {
        switch self {
        case .cbcs, .sampleAES: .sampleAES
        case .cenc: .sampleAESCTR
        case .aes128: .aes128
        }
    }
}
