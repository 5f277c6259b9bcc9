/// An error in the response of a key server. It contains key IDs and element names, and never a key.
package struct KeyExchangeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the expected value.
    package let description: String

    /// Creates a failure.
    package init(_ description: String) { self.description = description }
}
