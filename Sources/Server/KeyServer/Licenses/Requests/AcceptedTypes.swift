/// The media types in an `Accept` header (RFC 9110, 12.5.1).
struct AcceptedTypes {
    private struct Range {
        var type: Substring
        var subtype: Substring
        /// The weight, 0 to 1; 0 excludes the type.
        var quality: Double
    }

    /// The maximum number of media ranges that are read.
    private static let maximum = 32

    private var ranges: [Range] = []

    /// Parses a header; nil if there is none, or it has no media range.
    init?(_ header: String?) {
        guard let header else { return nil }
        for element in header.lowercased().split(separator: ",").prefix(Self.maximum) {
            let parts = element.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            let names = parts.first?.split(separator: "/") ?? []
            guard names.count == 2 else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            ranges.append(Range(type: names[0], subtype: names[1], quality: quality ?? 1))
        }
        if ranges.isEmpty { return nil }
    }

    /// Returns the format of the response to a request. It is that of the request if the client accepts it with any
    /// weight: most libraries send `Accept: application/json, text/plain, */*` whatever the request. If the client
    /// accepts none of the formats, the header is ignored.
    func format(instead format: LicenseBodyFormat) -> LicenseBodyFormat {
        if quality(of: format) > 0 { return format }
        let others = [LicenseBodyFormat.octets, .text, .json, .xml].map { ($0, quality(of: $0)) }
        // The first of the best.
        guard let best = others.map(\.1).max(), best > 0 else { return format }
        return others.first { $0.1 == best }?.0 ?? format
    }

    private func quality(of format: LicenseBodyFormat) -> Double {
        switch format {
        case .octets: quality("application", "octet-stream")
        case .text, .form, .multipart: quality("text", "plain")
        case .json: quality("application", "json")
        case .xml: max(quality("application", "xml"), quality("text", "xml"))
        }
    }

    /// Returns the weight of the most specific range that contains a type.
    private func quality(_ type: Substring, _ subtype: Substring) -> Double {
        let exact = ranges.first { $0.type == type && $0.subtype == subtype }
        let family = ranges.first { $0.type == type && $0.subtype == "*" }
        let all = ranges.first { $0.type == "*" && $0.subtype == "*" }
        return (exact ?? family ?? all)?.quality ?? 0
    }
}
