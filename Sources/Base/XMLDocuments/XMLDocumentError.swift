/// An error in an XML document: the location and the reason. The error contains no text of the document.
package struct XMLDocumentError: Error, Hashable, Sendable {
    /// The location: `document`, or `line` and the line number, starting at 1.
    package let place: String
    /// The description of the error.
    package let reason: String

    /// Creates an error.
    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

extension XMLDocumentError: CustomStringConvertible {
    /// The location and the reason, on one line.
    package var description: String { "\(place): \(reason)" }
}
