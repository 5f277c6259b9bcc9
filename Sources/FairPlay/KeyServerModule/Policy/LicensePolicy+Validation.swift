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
    /// What `streams` and `devices` may be.
    static let counts = 1...1000
    /// How many networks and how many origins a document may list.
    static let maximumListCount = 100

    /// Refuses what contradicts itself, or could not be carried out on such a track: what a document must pass before
    /// it is stored.
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
        for (field, count) in [("networks", networks?.count ?? 0), ("origins", origins?.count ?? 0)]
        where count > Self.maximumListCount {
            throw PolicyError(.invalidValue, field: field, reason: "at most \(Self.maximumListCount) are allowed")
        }
        for rule in ReportedRule.allCases where requiredReports.contains(rule) && !refuses(by: rule) {
            throw PolicyError(
                .contradiction,
                field: rule.rawValue,
                reason: "requireReport needs a rule that can refuse: \(Self.refusing(rule))"
            )
        }
        if case .dual = persist, lease != nil {
            throw PolicyError(
                .contradiction,
                field: "persist",
                reason: "dual expiry (storage, playback) goes with neither lease nor rental: their TLLVs exclude "
                    + "each other"
            )
        }
        for (field, isSet) in [("rentalStart", rentalStart != nil), ("bindRentalToDevice", bindRentalToDevice == true)]
        where isSet && rentalLength == nil {
            throw PolicyError(
                .contradiction,
                field: field,
                reason: persist == nil
                    ? "there is neither rental nor persist that could be a rental"
                    : "a key without an end is no rental: give rental, persist.validity, or storage and playback above zero"
            )
        }
        try requireCoherent(for: track)
    }

    /// Whether a rule can refuse a key because of what an SPC reports.
    private func refuses(by rule: ReportedRule) -> Bool {
        switch rule {
        case .virtualMachines: virtualMachines != .allow
        case .airplay: airplay == .deny
        case .adapter: adapter == .deny
        case .osVersions: !osVersions.isEmpty
        case .securityLevel: securityLevel == .main
        }
    }

    /// The value with which a rule refuses.
    private static func refusing(_ rule: ReportedRule) -> String {
        switch rule {
        case .virtualMachines, .airplay, .adapter: "\(rule.rawValue) of deny"
        case .osVersions: "an oldest version in osVersions"
        case .securityLevel: "securityLevel of main"
        }
    }

    /// Refuses what no license can be made of. A merged or capped policy is held to this alone: in it a lease may stand
    /// beside dual expiry, where the one binds online keys and the other kept ones, and a field may have lost what it
    /// was about.
    package func requireCoherent(for track: TrackKind) throws(PolicyError) {
        for (field, count) in [("streams", streams), ("devices", devices)] {
            if let count, !Self.counts.contains(count) {
                throw PolicyError(.invalidValue, field: field, reason: "a number from 1 to 1000 is expected")
            }
        }
        if streams != nil, lease == nil {
            throw PolicyError(
                .contradiction,
                field: "streams",
                reason: "needs a lease: a slot without an end could never be freed"
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
            if rental != nil {
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
