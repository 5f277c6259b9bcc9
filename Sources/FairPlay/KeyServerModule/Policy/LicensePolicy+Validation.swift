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
    /// Validates the policy before it is stored: fields must not contradict each other, and must apply to this type of
    /// track.
    ///
    /// - Throws: ``PolicyError`` with `contradiction` or `invalid-value`.
    public func validate(for track: TrackKind = .unspecified) throws(PolicyError) {
        for field in PolicyField.all {
            if let problem = field.findDocumentProblem(in: self) { throw field.error(problem) }
        }
        try requireCoherent(for: track)
    }

    /// Checks that licenses can be issued under the policy. A merged or capped policy must pass only this check: such a
    /// policy can have both a lease, for online keys, and dual expiry, for persistent keys, and it can have a field
    /// without the field that it refers to.
    package func requireCoherent(for track: TrackKind) throws(PolicyError) {
        for field in PolicyField.checkedForLicenses {
            if let problem = field.findProblem(in: self, for: track) { throw field.error(problem) }
        }
    }

    static func isValidName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            }
    }
}

extension PolicyField {
    /// The fields that can make a policy unfit for licenses: only these are checked for each license.
    fileprivate static let checkedForLicenses = all.filter { $0.check != nil || $0.problem != nil }

    fileprivate func findProblem(in policy: LicensePolicy, for track: TrackKind) -> PolicyProblem? {
        if let reason = check?(policy) { return .invalid(reason) }
        return problem?(policy, track)
    }

    fileprivate func findDocumentProblem(in policy: LicensePolicy) -> PolicyProblem? {
        if let reason = checkInDocument?(policy) { return .invalid(reason) }
        if let report, policy.requiredReports.contains(report.rule), !report.canRefuse(policy) {
            return .contradiction(
                "requireReport requires a rule that can refuse a request: set \(report.setting)"
            )
        }
        return documentProblem?(policy)
    }

    fileprivate func error(_ problem: PolicyProblem) -> PolicyError {
        let place = problem.member.map { "\(name).\($0)" } ?? name
        return PolicyError(problem.code, field: place, reason: problem.reason)
    }
}

// Contradictions between fields, for the rows of the fields that report them.

extension LicensePolicy {
    private static let dualExpiryExcludes = PolicyProblem.contradiction(
        "dual expiry (storage, playback) cannot be combined with lease or rental: their TLLVs exclude each other"
    )

    var documentPersistenceProblem: PolicyProblem? {
        guard case .dual = persist, lease != nil else { return nil }
        return Self.dualExpiryExcludes
    }

    var persistenceProblem: PolicyProblem? {
        let noLimit = "zero would mean no limit: remove the field"
        switch persist {
        case .unlimited where rental != nil:
            return .contradiction("a persistent key that never expires cannot be a rental: set persist.validity")
        case .none, .unlimited:
            return nil
        case .limited(let validity):
            if validity.rawValue == 0 { return .invalid(noLimit, in: "validity") }
            guard let rental, validity > rental else { return nil }
            return .contradiction(
                "the persistent key (\(validity)) would outlast the rental (\(rental))",
                in: "validity"
            )
        case .dual(let storage, let playback, let fallback):
            if rental != nil { return Self.dualExpiryExcludes }
            guard let fallback else { return nil }
            if fallback.rawValue == 0 { return .invalid(noLimit, in: "fallback") }
            let isLonger = UInt64(fallback.rawValue) > UInt64(storage.rawValue) + UInt64(playback.rawValue)
            guard storage.rawValue > 0, playback.rawValue > 0, isLonger else { return nil }
            return .contradiction(
                "the fallback must not be longer than storage and playback together",
                in: "fallback"
            )
        }
    }

    /// A problem if the policy defines no rental that ends.
    var missingRental: PolicyProblem? {
        guard rentalLength == nil else { return nil }
        return .contradiction(
            persist == nil
                ? "this field requires a rental: set rental, or persist with a duration"
                : "a key that never expires cannot be a rental: set rental, persist.validity, or storage and playback"
        )
    }

    var slotProblem: PolicyProblem? {
        guard streams != nil, lease == nil else { return nil }
        return .contradiction("this field requires a lease: a stream slot without an expiry could never be released")
    }

    func levelProblem(for track: TrackKind) -> PolicyProblem? {
        switch (track, securityLevel) {
        case (.audio, .baseline), (.audio, .main):
            .contradiction("baseline and main apply to video; use audio for an audio track")
        case (.video, .audio):
            .contradiction("audio applies to audio tracks; use baseline or main for a video track")
        default: nil
        }
    }
}
