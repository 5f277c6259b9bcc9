/// How sure the meaning of an error number is.
public enum PlatformErrorCertainty: String, Sendable, Hashable, CaseIterable {
    /// Apple's documentation, headers or the FairPlay Streaming Programming Guide contain the meaning.
    case documented
    /// Apple publishes a name for the error, but no text.
    case nameOnly = "name-only"
    /// Apple publishes nothing; several developers report the same meaning.
    case severalReports = "several-reports"
    /// Apple publishes nothing; one developer reports the meaning.
    case oneReport = "one-report"
    /// Developers report the number, but its meaning is not public.
    case unknown

    /// The certainty in words for a developer.
    public var text: String {
        switch self {
        case .documented: "documented by Apple"
        case .nameOnly: "Apple publishes only the name"
        case .severalReports: "not documented by Apple; several developers report it"
        case .oneReport: "not documented by Apple; one developer reports it"
        case .unknown: "not documented by Apple; the number is reported, its meaning is unknown"
        }
    }
}

/// An error number of Apple's systems: its meaning, the certainty of the meaning, causes, and remedies.
///
/// The texts contain no data of an app, so they can be logged and shown.
public struct PlatformErrorExplanation: Sendable, Hashable {
    /// The number; nil if Apple publishes the error's name but not its number.
    public let number: Int32?
    /// The domains in which the number is reported; never empty.
    public let domains: [PlatformErrorDomain]
    /// Keyway's short name, in kebab case. The numbers of FairPlay Streaming have the name of their
    /// ``ContentKeyError/Code``.
    public let name: String
    /// The name of Apple's constant, such as `AVErrorContentIsNotAuthorized`, if any.
    public let constant: String?
    /// The certainty of the meaning. A cause that is only reported by developers begins with those words.
    public let certainty: PlatformErrorCertainty
    /// The meaning.
    public let meaning: String
    /// The causes, the most likely first. An ambiguous number has all of its reported causes here.
    public let causes: [String]
    /// The remedies, in the order in which to try them.
    public let remedies: [String]
    /// The document or the reports that the explanation is based on.
    public let source: String

    init(
        _ number: Int32?,
        _ domains: PlatformErrorDomain...,
        name: String,
        constant: String? = nil,
        certainty: PlatformErrorCertainty,
        meaning: String,
        causes: [String] = [],
        remedies: [String],
        source: String
    ) {
        (self.number, self.domains, self.name, self.constant) = (number, domains, name, constant)
        (self.certainty, self.meaning, self.causes) = (certainty, meaning, causes)
        (self.remedies, self.source) = (remedies, source)
    }

    /// The meaning; if it is unknown, followed by the circumstances in which developers see the error.
    public var summary: String {
        guard certainty == .unknown, !causes.isEmpty else { return meaning }
        return ([meaning] + causes).joined(separator: " ")
    }

    /// The number with its first domain; nil if the number is not published.
    public var code: PlatformErrorCode? { number.map { PlatformErrorCode(domain: domains.first, number: $0) } }
}
