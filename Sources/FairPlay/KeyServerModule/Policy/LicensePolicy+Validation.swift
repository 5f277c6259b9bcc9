/// The type of track that a key encrypts, which determines the valid security levels.
public enum TrackKind: String, Sendable, Hashable, CaseIterable {
    /// An audio track.
    case audio
    /// A video track.
    case video
    /// An unspecified track: all security levels are valid.
    case unspecified
}

extension LicensePolicy {
    /// The valid values of `streams` and `devices`.
    static let counts = 1...1000
    /// The maximum number of networks, and of origins, that a document can list.
    static let maximumListCount = 100

    /// Validates the policy before it is stored: fields must not contradict each other, and must apply to this type of
    /// track.
    ///
    /// - Throws: ``PolicyError`` with `contradiction` or `invalid-value`.
    public func validate(for track: TrackKind = .unspecified) throws(PolicyError) {
        if let name, !Self.isValidName(name) {
            throw PolicyError(
                .invalidValue,
                field: "name",
                reason: "expected 1 to 64 lowercase letters, digits, '-', '_' or '.'"
            )
        }
        for (field, count) in [("networks", networks?.count ?? 0), ("origins", origins?.count ?? 0)]
        where count > Self.maximumListCount {
            throw PolicyError(.invalidValue, field: field, reason: "expected at most \(Self.maximumListCount) entries")
        }
        for rule in ReportedRule.allCases where requiredReports.contains(rule) && !refuses(by: rule) {
            throw PolicyError(
                .contradiction,
                field: rule.rawValue,
                reason: "requireReport requires a rule that can refuse a request: set \(Self.refusing(rule))"
            )
        }
        if case .dual = persist, lease != nil {
            throw PolicyError(
                .contradiction,
                field: "persist",
                reason: "dual expiry (storage, playback) cannot be combined with lease or rental: their TLLVs "
                    + "exclude each other"
            )
        }
        for (field, isSet) in [("rentalStart", rentalStart != nil), ("bindRentalToDevice", bindRentalToDevice == true)]
        where isSet && rentalLength == nil {
            throw PolicyError(
                .contradiction,
                field: field,
                reason: persist == nil
                    ? "this field requires a rental: set rental, or persist with a duration"
                    : "a key that never expires cannot be a rental: set rental, persist.validity, or storage and playback"
            )
        }
        try requireCoherent(for: track)
    }

    /// Returns whether a rule can refuse a request because of a report in the SPC.
    private func refuses(by rule: ReportedRule) -> Bool {
        switch rule {
        case .virtualMachines: virtualMachines != .allow
        case .airplay: airplay == .deny
        case .adapter: adapter == .deny
        case .osVersions: !osVersions.isEmpty
        case .securityLevel: securityLevel == .main
        }
    }

    /// Returns the setting with which a rule can refuse a request, as text for an error.
    private static func refusing(_ rule: ReportedRule) -> String {
        switch rule {
        case .virtualMachines, .airplay, .adapter: "\(rule.rawValue) to deny"
        case .osVersions: "a minimum version in osVersions"
        case .securityLevel: "securityLevel to main"
        }
    }

    /// Checks that licenses can be issued under the policy. A merged or capped policy must pass only this check: such a
    /// policy can have both a lease, for online keys, and dual expiry, for persistent keys, and it can have a field
    /// without the field that it refers to.
    package func requireCoherent(for track: TrackKind) throws(PolicyError) {
        for (field, count) in [("streams", streams), ("devices", devices)] {
            if let count, !Self.counts.contains(count) {
                throw PolicyError(.invalidValue, field: field, reason: "expected a number from 1 to 1000")
            }
        }
        if streams != nil, lease == nil {
            throw PolicyError(
                .contradiction,
                field: "streams",
                reason: "this field requires a lease: a stream slot without an expiry could never be released"
            )
        }
        for (field, duration) in [("lease", lease), ("rental", rental), ("maximumSPCAge", maximumSPCAge)]
        where duration?.rawValue == 0 {
            throw PolicyError(.invalidValue, field: field, reason: "zero would mean no limit: remove the field")
        }
        switch persist {
        case .none: break
        case .unlimited:
            if rental != nil {
                throw PolicyError(
                    .contradiction,
                    field: "persist",
                    reason: "a persistent key that never expires cannot be a rental: set persist.validity"
                )
            }
        case .limited(let validity):
            if validity.rawValue == 0 {
                throw PolicyError(
                    .invalidValue,
                    field: "persist.validity",
                    reason: "zero would mean no limit: remove the field"
                )
            }
            if let rental, validity > rental {
                throw PolicyError(
                    .contradiction,
                    field: "persist.validity",
                    reason: "the persistent key (\(validity)) would outlast the rental (\(rental))"
                )
            }
        case .dual(let storage, let playback, let fallback):
            if rental != nil {
                throw PolicyError(
                    .contradiction,
                    field: "persist",
                    reason: "dual expiry (storage, playback) cannot be combined with lease or rental: their TLLVs "
                        + "exclude each other"
                )
            }
            if fallback?.rawValue == 0 {
                throw PolicyError(
                    .invalidValue,
                    field: "persist.fallback",
                    reason: "zero would mean no limit: remove the field"
                )
            }
            if let fallback, storage.rawValue > 0, playback.rawValue > 0,
                UInt64(fallback.rawValue) > UInt64(storage.rawValue) + UInt64(playback.rawValue)
            {
                throw PolicyError(
                    .contradiction,
                    field: "persist.fallback",
                    reason: "the fallback must not be longer than storage and playback together"
                )
            }
        }
        if track == .audio, securityLevel == .baseline || securityLevel == .main {
            throw PolicyError(
                .contradiction,
                field: "securityLevel",
                reason: "baseline and main apply to video; use audio for an audio track"
            )
        }
        if track == .video, securityLevel == .audio {
            throw PolicyError(
                .contradiction,
                field: "securityLevel",
                reason: "audio applies to audio tracks; use baseline or main for a video track"
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
