/// Why an answer of a key server cannot be used. It names key IDs and elements, and never holds a key.
package struct KeyExchangeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found, and what was expected.
    package let description: String

    /// Describes a failure.
    package init(_ description: String) { self.description = description }
}
