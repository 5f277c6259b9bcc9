/// A word that is safe to log: 1 to 60 lowercase letters, digits and hyphens. Values from a server are restricted to
/// this form, so that a log cannot contain a token, a key or a name.
public struct LogSafeWord: Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let description: String

    /// Creates a word; nil if the text contains anything else.
    public init?(_ text: String) {
        guard (1...60).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d })
        else { return nil }
        description = text
    }
}

extension LogSafeWord: Codable {
    /// Decodes a word from a string.
    ///
    /// - Throws: `DecodingError` if the string contains anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let word = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected 1 to 60 lowercase letters, digits and hyphens"
            )
        }
        self = word
    }

    /// Encodes the word as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
