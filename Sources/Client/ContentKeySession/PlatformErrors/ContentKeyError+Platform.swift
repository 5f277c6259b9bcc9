extension ContentKeyError {
    /// Creates an error from an error of Apple's systems and its underlying errors, outermost first.
    ///
    /// The number is the one that describes the problem best. If FairPlay Streaming defines it, the code is the name that the
    /// catalog and other devices have for it, such as ``Code/leaseExpired`` for -42656 and ``Code/persistentKeyExpired`` for
    /// -42800; otherwise it is ``Code/platformError``. The reason contains all domains and numbers, and the meaning.
    ///
    /// Only domains and numbers are used: the text of an error may contain an address, and an address may contain a token.
    package init(platformErrors chain: [PlatformErrorCode], _ component: Component) {
        guard let specific = PlatformErrorCatalog.mostSpecific(of: chain) else {
            self.init(.platformError, component, reason: "the system reports no error number")
            return
        }
        let explanation = PlatformErrorCatalog.explanation(of: specific)
        let numbers = chain.map(\.description).joined(separator: ", ")
        self.init(
            explanation?.contentKeyErrorCode ?? .platformError,
            component,
            reason: numbers + (explanation.map { ": \($0.name): \($0.summary)" } ?? ""),
            number: specific.number,
            domain: specific.domain
        )
    }
}

extension PlatformErrorExplanation {
    /// The code of a session's error with this number; nil if FairPlay Streaming does not define the number.
    var contentKeyErrorCode: ContentKeyError.Code? {
        PlatformErrorCatalog.fairPlayGuide.contains { $0.number == number } ? .init(rawValue: name) : nil
    }
}
