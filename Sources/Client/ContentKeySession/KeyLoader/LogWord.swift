/// A word that may stand in a log: 1 to 60 lower-case letters, digits and hyphens. What a server says passes through it,
/// so that no token, key or name can ride along.
public struct LogWord: Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let description: String

    /// Takes a word; nil for anything else.
    public init?(_ text: String) {
        guard (1...60).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d })
        else { return nil }
        description = text
    }
}
