/// The Content-Range of a partial PUT (RFC 9110, section 14.4).
///
///     Content-Range = "bytes " first-pos "-" last-pos "/" ( complete-length / "*" )
struct ContentRange: Hashable, Sendable {
    /// The position of the first byte.
    let first: Int
    /// The position of the last byte.
    let last: Int
    /// The length of the complete file; nil if more will follow.
    let total: Int?

    /// Parses a field; nil if it is malformed.
    init?(_ field: String) {
        guard field.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.integer(ends[0]), let last = Self.integer(ends[1]), first <= last
        else { return nil }
        self.first = first
        self.last = last
        if parts[1] == "*" {
            total = nil
        } else {
            // The request that names the length completes the file.
            guard let total = Self.integer(parts[1]), total == last + 1 else { return nil }
            self.total = total
        }
    }

    private static func integer(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 15, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
