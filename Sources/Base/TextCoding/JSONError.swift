/// An error in a JSON text: a reason for people, and the location. The error contains no part of the text.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// The location of the error.
    package enum Place: Hashable, Sendable, CustomStringConvertible {
        /// An offset in bytes from the start of the text.
        case byte(Int)
        /// A path of names and indices, such as `/create-ckc/0`; empty for the whole text.
        case path(String)

        package var description: String {
            switch self {
            case .byte(let offset): "byte \(offset)"
            case .path(""): "the whole text"
            case .path(let path): path
            }
        }
    }

    package let reason: String
    package let place: Place

    package init(reason: String, place: Place) {
        self.reason = reason
        self.place = place
    }

    package var description: String { "\(reason) (\(place))" }
}
