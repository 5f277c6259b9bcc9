/// Why a JSON text was refused: what is wrong, for a person, and where. It repeats nothing of the text.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// Where it is wrong.
    package enum Place: Hashable, Sendable, CustomStringConvertible {
        /// So many bytes from the start of the text.
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
