import HTTPTypes

/// Conditional requests and the choice of a content coding (RFC 9110, sections 12.5.3 and 13.1).
enum ConditionalRequest {
    /// Returns whether If-None-Match has the tag, so that the status is 304. Tags are compared weakly.
    static func isUnmodified(_ headers: HTTPFields, _ tag: String) -> Bool {
        guard let field = headers[.ifNoneMatch] else { return false }
        return field.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " || $0 == "\t" }
            while item.last == " " || item.last == "\t" { item.removeLast() }
            if item.hasPrefix("W/") { item = item.dropFirst(2) }
            return item == "*" || item == tag
        }
    }

    /// Returns the requested range; nil without a range, if it is ignored, or if If-Range names another version.
    static func range(_ headers: HTTPFields, _ tag: String?) -> RequestedRange? {
        guard let field = headers[.range] else { return nil }
        if let condition = headers[.ifRange], condition != tag { return nil }
        return RequestedRange(field)
    }

    /// Returns whether the client accepts gzip.
    static func acceptsGzip(_ headers: HTTPFields) -> Bool {
        guard let field = headers[.acceptEncoding] else { return false }
        return field.lowercased().split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.first == "gzip" || parts.first == "x-gzip" else { return false }
            return !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
        }
    }
}
