package import DRMSignalling
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

    /// How a track is encrypted; nil: it stays clear.
    ///
    /// - Throws: ``JobFailure`` when its class has no key.
    package func protection(of track: MediaTrack, from input: Input) throws -> TrackProtection? {
        guard input.policy != .clear, let trackClass = trackClass(of: track, from: input) else { return nil }
        return try protection(of: trackClass)
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
        return TrackProtection(
            scheme: scheme,
            keyID: key.keyID.bytes,
            key: key.key,
            iv: try key.iv.map { try $0.withUnsafeBytes { try InitializationVector($0) } }
        )
    }

    /// The `pssh` boxes of an init segment whose samples are encrypted with a key (ISO/IEC 23001-7, 8.1). One for each
    /// system that has any; FairPlay needs none, but its box says that the key is FairPlay's.
    package func protectionHeaders(keyID: [UInt8]) -> [ProtectionSystemHeaderBox] {
        guard scheme == .cbcs, let keyID = ContentKeyID(keyID) else { return [] }
        return systems.compactMap { ProtectionSystemSpecificHeader(listing: [keyID], for: $0) }.map { header in
            ProtectionSystemHeaderBox(
                systemID: header.systemID.bytes,
                keyIDs: header.keyIDs?.map(\.bytes),
                data: header.data
            )
        }
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
