import TextCoding

/// The W3C trace context: the trace of a request, and the span of this server.
package struct TraceContext: Sendable, Equatable {
    /// The trace ID: 32 lowercase hexadecimal digits, not all zero.
    package let traceID: String
    /// The span ID of this server: 16 lowercase hexadecimal digits, not all zero.
    package let spanID: String
    /// The span ID of the caller; nil if the trace starts here.
    package let parentID: String?
    /// True if the caller records the trace.
    package let isSampled: Bool

    /// Continues the trace in a `traceparent` header, or starts a new trace if the header is missing or invalid.
    package init(traceparent: String? = nil) {
        var random = SystemRandomNumberGenerator()
        self.init(traceparent: traceparent, using: &random)
    }

    init(traceparent: String?, using random: inout some RandomNumberGenerator) {
        spanID = Hexadecimal.encode(UInt64.random(in: 1...UInt64.max, using: &random))
        if let traceparent, let parent = Self.parse(traceparent) {
            (traceID, parentID, isSampled) = parent
        } else {
            traceID =
                Hexadecimal.encode(UInt64.random(in: 1...UInt64.max, using: &random))
                + Hexadecimal.encode(UInt64.random(in: 0...UInt64.max, using: &random))
            parentID = nil
            isSampled = false
        }
    }

    /// The header for responses, and for requests that this server sends while it processes the request.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func parse(_ text: String) -> (traceID: String, parentID: String, isSampled: Bool)? {
        let bytes = Array(text.utf8)
        // A later version may add fields after a hyphen. Version ff is not valid.
        guard bytes.count >= 55, bytes.count <= 512, bytes.count == 55 || bytes[55] == UInt8(ascii: "-") else {
            return nil
        }
        let parts = text.utf8.prefix(55).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2],
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } })
        else { return nil }
        let (version, traceID, parentID) = (String(parts[0])!, String(parts[1])!, String(parts[2])!)
        guard version != "ff", version != "00" || bytes.count == 55, let flags = UInt8(String(parts[3])!, radix: 16),
            !traceID.allSatisfy({ $0 == "0" }), !parentID.allSatisfy({ $0 == "0" })
        else { return nil }
        return (traceID, parentID, flags & 1 == 1)
    }
}
