/// The delivery directives in the query of a playlist's URL (RFC 8216bis, section 6.2.5).
///
///     _HLS_msn=N          waits until the playlist contains segment N
///     _HLS_part=M         with _HLS_msn: waits until it contains part M of segment N
///     _HLS_skip=YES|v2    requests a delta update; v2 may skip Date Ranges too
///
/// Other query items are ignored.
package struct DeliveryDirectives: Hashable, Sendable {
    /// The kind of a delta update.
    package enum Skip: Hashable, Sendable {
        /// Segments are skipped (`YES`).
        case segments
        /// Segments and Date Ranges are skipped (`v2`).
        case segmentsAndDateRanges
    }

    /// The Media Sequence Number to wait for; nil for the current playlist.
    package var mediaSequenceNumber: UInt64?
    /// The index of the part of that segment to wait for; nil for the whole segment.
    package var part: UInt64?
    /// The requested delta update; nil for the whole playlist.
    package var skip: Skip?

    /// Creates directives.
    package init(mediaSequenceNumber: UInt64? = nil, part: UInt64? = nil, skip: Skip? = nil) {
        self.mediaSequenceNumber = mediaSequenceNumber
        self.part = part
        self.skip = skip
    }

    /// Parses a query without its question mark.
    ///
    /// - Throws: ``DirectiveError`` if a directive has an invalid value, appears twice, or lacks the one it needs.
    package init(query: String) throws(DirectiveError) {
        var seen: Set<Substring> = []
        for item in query.split(separator: "&") where item.hasPrefix("_HLS_") {
            let equals = item.firstIndex(of: "=") ?? item.endIndex
            let (name, value) = (item[..<equals], item[equals...].dropFirst())
            switch name {
            case "_HLS_msn": mediaSequenceNumber = try Self.integer(value, "_HLS_msn")
            case "_HLS_part": part = try Self.integer(value, "_HLS_part")
            case "_HLS_skip":
                switch value {
                case "YES": skip = .segments
                case "v2": skip = .segmentsAndDateRanges
                default: throw DirectiveError("_HLS_skip must be YES or v2")
                }
            default: continue
            }
            guard seen.insert(name).inserted else { throw DirectiveError("\(name) appears twice") }
        }
        guard part == nil || mediaSequenceNumber != nil else { throw DirectiveError("_HLS_part requires _HLS_msn") }
    }

    private static func integer(_ text: Substring, _ name: String) throws(DirectiveError) -> UInt64 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text) else {
            throw DirectiveError("\(name) must be a decimal integer")
        }
        return value
    }

    /// The directives as they are logged: the only items of a query that an access log contains.
    package var loggedQuery: String {
        var items: [String] = []
        if let mediaSequenceNumber { items.append("_HLS_msn=\(mediaSequenceNumber)") }
        if let part { items.append("_HLS_part=\(part)") }
        switch skip {
        case .segments: items.append("_HLS_skip=YES")
        case .segmentsAndDateRanges: items.append("_HLS_skip=v2")
        case nil: break
        }
        return items.joined(separator: "&")
    }
}

/// A delivery directive that is refused with status 400.
package struct DirectiveError: Error, Hashable, CustomStringConvertible {
    /// The problem.
    package let description: String

    init(_ description: String) { self.description = description }
}
