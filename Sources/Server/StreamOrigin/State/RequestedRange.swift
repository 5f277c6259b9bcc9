/// A single range of a Range field (RFC 9110, section 14.1.2).
///
///     Range = "bytes=" ( first-pos "-" [ last-pos ] / "-" suffix-length )
///
/// Several ranges and malformed fields are ignored, as the RFC permits: the whole file is sent.
package enum RequestedRange: Hashable, Sendable {
    /// The bytes from the first to the last position, inclusive.
    case closed(first: Int, last: Int)
    /// The bytes from the first position to the end. Also for a last position of at least 2^53 - 1, with which clients
    /// request the bytes of a file that grows (RFC 8673, section 2).
    case from(first: Int)
    /// The last bytes.
    case suffix(length: Int)

    /// The last position for a range whose end is not known (RFC 8673, section 2): 2^53 - 1, the greatest integer that
    /// JavaScript represents exactly.
    package static let unknownLast = 9_007_199_254_740_991

    /// Parses a field; nil if it is ignored.
    package init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let length = Self.position(ends[1]) else { return nil }
            self = .suffix(length: length)
            return
        }
        guard let first = Self.position(ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .from(first: first)
            return
        }
        guard let last = Self.position(ends[1]), last >= first else { return nil }
        self = last >= Self.unknownLast ? .from(first: first) : .closed(first: first, last: last)
    }

    /// Returns a position; greater ones than 2^53 - 1 are equal to it.
    private static func position(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 40, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return min(Int(text) ?? unknownLast, unknownLast)
    }
}

/// The part of a file that answers a request.
package enum Delivery: Hashable, Sendable {
    /// The whole file of a known size.
    case whole(Int)
    /// A range of a file; `size` is nil while the file grows.
    case range(Range<Int>, size: Int?)
    /// The bytes from this position on, part by part until the file is complete. `isRange` is true if the request has
    /// a range, so that the status is 206.
    case growing(from: Int, isRange: Bool)
    /// The bytes are not available yet.
    case wait
    /// The range begins after the end of the complete file (status 416).
    case unsatisfiable(size: Int)

    /// Chooses the bytes for a request.
    ///
    /// - Parameters:
    ///   - range: The requested range; nil for the whole file.
    ///   - count: The number of available bytes.
    ///   - isComplete: Whether no more bytes will be added.
    package init(_ range: RequestedRange?, count: Int, isComplete: Bool) {
        switch (range, isComplete) {
        case (nil, true): self = .whole(count)
        case (nil, false): self = count > 0 ? .growing(from: 0, isRange: false) : .wait
        case (.closed(let first, let last), true):
            self = first < count ? .range(first..<min(last + 1, count), size: count) : .unsatisfiable(size: count)
        case (.closed(let first, let last), false):
            self = last < count ? .range(first..<last + 1, size: nil) : .wait
        case (.from(let first), true):
            self = first < count ? .range(first..<count, size: count) : .unsatisfiable(size: count)
        case (.from(let first), false): self = first < count ? .growing(from: first, isRange: true) : .wait
        case (.suffix(let length), true):
            self =
                length > 0 && count > 0
                ? .range(max(0, count - length)..<count, size: count) : .unsatisfiable(size: count)
        // The end of the file is not known.
        case (.suffix, false): self = .wait
        }
    }
}
