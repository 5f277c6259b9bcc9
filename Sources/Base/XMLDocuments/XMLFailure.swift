/// Why bytes are not a document that is read: where, and what is wrong. It repeats no text of the document.
package struct XMLFailure: Error, Hashable, Sendable {
    /// `document`, or `line` and its number from 1.
    package let place: String
    /// What was found and what was expected.
    package let reason: String

    /// Describes a failure.
    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

extension XMLFailure: CustomStringConvertible {
    /// One line: the place and the reason.
    package var description: String { "\(place): \(reason)" }
}
