public import HLSPlaylist

/// A known violation that does not count: one that the operator suppresses, or one of the baseline.
public struct FindingException: Hashable, Sendable {
    /// The origin of an exception.
    public enum Kind: String, Hashable, Sendable {
        /// An entry of the configuration.
        case suppression
        /// A violation that existed when the baseline was written.
        case baseline
    }

    /// The origin.
    public var kind: Kind
    /// The rule.
    public var rule: RuleID
    /// The places; nil for all.
    public var place: PlacePattern?
    /// The reason, in the words of the operator.
    public var reason: String
    /// The last day on which the exception applies, as YYYY-MM-DD in UTC; nil without an end.
    public var expires: String?
    /// The maximum number of violations at the place; nil without a limit. More of them are new.
    public var maximumCount: Int?

    /// Creates an exception.
    public init(
        _ kind: Kind,
        rule: RuleID,
        place: PlacePattern?,
        reason: String,
        expires: String? = nil,
        maximumCount: Int? = nil
    ) {
        (self.kind, self.rule, self.place) = (kind, rule, place)
        (self.reason, self.expires, self.maximumCount) = (reason, expires, maximumCount)
    }

    /// True after the last day. Both dates are YYYY-MM-DD, whose order is that of the texts.
    func isExpired(on today: String) -> Bool { expires.map { $0 < today } ?? false }

    /// Returns whether a suppression is for a place. The place of a baseline is not a pattern.
    func matches(_ key: String) -> Bool { place?.matches(key) ?? true }
}

/// An exception that applied to no finding.
public struct UnusedException: Hashable, Sendable {
    /// Why an exception did not apply.
    public enum Cause: String, Hashable, Sendable {
        /// Nothing matches it any longer: the problem was corrected, or its place changed.
        case unmatched
        /// Its last day is over; the violations count again.
        case expired
        /// There are more violations at its place than it allows; they count.
        case exceeded
    }

    /// The exception.
    public let exception: FindingException
    /// Why it did not apply.
    public let cause: Cause
}
