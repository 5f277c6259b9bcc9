import ByteCoding

/// The bytes of a playlist as they came in, shared by everything that was read from them.
final class PlaylistSource: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether a range refers to variables.
    func hasReference(_ range: Range<Int>) -> Bool {
        let storage = bytes
        return VariableTable.hasReference(storage.span.bytes, range)
    }

    /// The text of a range; what is not UTF-8 is replaced by U+FFFD.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
