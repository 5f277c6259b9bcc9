import ByteCoding

/// The original bytes of a playlist, shared by all values that were parsed from them.
final class PlaylistSource: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns whether a range contains variable references.
    func hasReference(_ range: Range<Int>) -> Bool {
        let storage = bytes
        return VariableTable.hasReference(storage.span.bytes, range)
    }

    /// Returns the text of a range. Invalid UTF-8 is replaced with U+FFFD.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
