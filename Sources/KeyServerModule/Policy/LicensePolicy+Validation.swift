/// What a key is for: its track decides which security levels make sense.
public enum TrackKind: String, Sendable, Hashable, CaseIterable {
    /// An audio track.
    case audio
    /// A video track.
    case video
    /// Not said: anything goes.
    case unspecified
}

extension LicensePolicy {
    /// Refuses what contradicts itself, or could not be carried out on such a track.
    ///
    /// - Throws: ``PolicyError`` with `contradiction` or `invalid-value`.
    public func validate(for track: TrackKind = .unspecified) throws(PolicyError) {
        if let name, !Self.isValidName(name) {
            throw PolicyError(
                .invalidValue,
                field: "name",
                reason: "1 to 64 lower-case letters, digits, '-', '_' and '.' are allowed"
            )
        }
        for (field, duration) in [("lease", lease), ("rental", rental), ("maximumSPCAge", maximumSPCAge)]
        where duration?.rawValue == 0 {
            throw PolicyError(.invalidValue, field: field, reason: "zero would mean no limit: leave the field out")
        }
        switch persist {
        case .none: break
        case .unlimited:
            if rental != nil {
                throw PolicyError(
                    .contradiction,
                    field: "persist",
                    reason: "a key that is kept for ever cannot be a rental; give persist.validity"
                )
            }
        case .limited(let validity):
            if validity.rawValue == 0 {
                throw PolicyError(
                    .invalidValue,
                    field: "persist.validity",
                    reason: "zero would mean no limit: leave it out"
                )
            }
            if let rental, validity > rental {
                throw PolicyError(
                    .contradiction,
                    field: "persist.validity",
                    reason: "the kept key (\(validity)) would outlive the rental (\(rental))"
                )
            }
        case .dual(let storage, let playback, let fallback):
            if lease != nil || rental != nil {
                throw PolicyError(
                    .contradiction,
                    field: "persist",
                    reason: "dual expiry (storage, playback) goes with neither lease nor rental: their TLLVs exclude "
                        + "each other"
                )
            }
            if fallback?.rawValue == 0 {
                throw PolicyError(.invalidValue, field: "persist.fallback", reason: "zero would mean no limit")
            }
            if let fallback, storage.rawValue > 0, playback.rawValue > 0,
                UInt64(fallback.rawValue) > UInt64(storage.rawValue) + UInt64(playback.rawValue)
            {
                throw PolicyError(
                    .contradiction,
                    field: "persist.fallback",
                    reason: "longer than storage and playback together"
                )
            }
        }
        if track == .audio, securityLevel == .baseline || securityLevel == .main {
            throw PolicyError(
                .contradiction,
                field: "securityLevel",
                reason: "baseline and main are for video; an audio track takes audio"
            )
        }
        if track == .video, securityLevel == .audio {
            throw PolicyError(
                .contradiction,
                field: "securityLevel",
                reason: "audio is for audio tracks; a video track takes baseline or main"
            )
        }
    }

    private static func isValidName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            }
    }
}
