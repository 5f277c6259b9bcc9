/// An error that a log, an error message or a command line contains.
public struct PlatformErrorMention: Hashable, Sendable {
    /// The number and, if the text contains it, the domain; nil if the text contains the name of an error whose number is
    /// not published.
    public let code: PlatformErrorCode?
    /// The explanations, as ``PlatformErrorCatalog/explanations(number:domain:)`` returns them; empty if the number is not
    /// in the catalog.
    public let explanations: [PlatformErrorExplanation]

    /// True if the text contains a domain in which the catalog does not list the number, so that the explanations are those of
    /// other domains.
    public var isFromOtherDomain: Bool {
        guard let domain = code?.domain, !explanations.isEmpty else { return false }
        return !explanations.contains { $0.domains.contains(domain) }
    }

    init(_ code: PlatformErrorCode) {
        self.code = code
        explanations = PlatformErrorCatalog.explanations(number: code.number, domain: code.domain)
    }

    init(_ explanation: PlatformErrorExplanation) {
        (code, explanations) = (explanation.code, [explanation])
    }
}

extension PlatformErrorCatalog {
    /// Returns the errors that a text contains, in the order of the text: for an `NSError`, the outermost one first, followed
    /// by its underlying errors.
    ///
    /// These forms are recognized, with any text around them:
    ///
    /// | Form | Where it occurs |
    /// |---|---|
    /// | `Error Domain=CoreMediaErrorDomain Code=-12642 "…" UserInfo={…}` | an `NSError` in a log |
    /// | `CoreMediaErrorDomain error -12642`, `CoreMediaErrorDomain:-12642` | messages, error logs of players |
    /// | `-42668`, `-- -42668`, `(-42668)` | messages; a hyphen may be a minus sign or an en dash |
    /// | `4294924628` | Safari's `systemCode`, and other unsigned 32-bit numbers |
    /// | `42668`, `0xffff5954` | the whole text, or after a word such as `code` |
    /// | `'fmt?'` | four characters |
    /// | `AVErrorContentKeyInvalid`, `content-key-invalid` | the name of Apple's constant, or Keyway's |
    ///
    /// A number without a domain in the middle of other text counts if it is in the catalog. Small ones, such as -1, count
    /// only if the text contains no other error, because many numbers in logs are small.
    ///
    /// - Parameter text: The text, of which the first 65536 bytes are read.
    /// - Returns: At most 32 errors. Errors that are not in the catalog have no explanations; they are returned if the text
    ///   contains their domain, or if it contains no other error.
    public static func mentions(in text: String) -> [PlatformErrorMention] {
        PlatformErrorText(text).mentions
    }
}
