import HLSPlaylist

/// Compares the responses to requests for hinted resources, sent before the Partial Segments exist, with the Partial Segments
/// that were listed later (RFC 8216bis, 6.2.6).
struct HintedParts {
    /// The response to a request for a hinted resource.
    struct Response: Sendable {
        /// The resource of the hint; a range without a known length ends at the maximum.
        var resource: SegmentReader.Resource
        /// The bytes; nil without a success.
        var bytes: [UInt8]?
        /// The reason of a failure, as a part of a sentence.
        var reason = ""
    }

    /// The start of a resource, by which a hint and a part are compared.
    private struct Start: Hashable {
        var url: String
        var offset: UInt64

        init(_ resource: SegmentReader.Resource) {
            (url, offset) = (resource.url, resource.byteRange?.lowerBound ?? 0)
        }
    }

    /// A Partial Segment that was loaded.
    private struct Known {
        var start: Start
        var place: ValidationFinding.Place
        var isRange: Bool
        var fingerprint: ContentFingerprint
    }

    /// The number of parts and of responses that are remembered.
    private static let capacity = 64
    private var parts: [Known] = []
    private var responses: [(response: Response, start: Start)] = []

    /// Takes a Partial Segment that was loaded by itself.
    mutating func take(_ bytes: [UInt8], of part: SegmentTracker.Part, _ place: ValidationFinding.Place)
        -> ValidationFinding?
    {
        let known = Known(
            start: Start(part.resource),
            place: place,
            isRange: part.resource.byteRange != nil,
            fingerprint: ContentFingerprint(bytes)
        )
        if let index = responses.firstIndex(where: { $0.start == known.start }) {
            return Self.finding(responses.remove(at: index).response, known)
        }
        parts.append(known)
        if parts.count > Self.capacity { parts.removeFirst(Self.capacity / 2) }
        return nil
    }

    /// Takes the response to a request for a hinted resource.
    mutating func take(_ response: Response) -> ValidationFinding? {
        let start = Start(response.resource)
        if let known = parts.last(where: { $0.start == start }) { return Self.finding(response, known) }
        // The part is not listed yet. A hint that does not come true is a finding already.
        responses.append((response, start))
        if responses.count > 4 { responses.removeFirst() }
        return nil
    }

    private static func finding(_ response: Response, _ part: Known) -> ValidationFinding? {
        guard let bytes = response.bytes else {
            return ValidationFinding(
                observed: "hint-refused",
                part.place,
                "A request for the hinted part, sent before the part existed, failed: \(response.reason)."
            )
        }
        // The range of a hint may be open, and a part may be the start of a resource that is still being written.
        let own = part.isRange ? Array(bytes.prefix(part.fingerprint.byteCount)) : bytes
        guard ContentFingerprint(own) != part.fingerprint else { return nil }
        return ValidationFinding(
            observed: "hint-content",
            part.place,
            "A request for the hinted part, sent before the part existed, was answered with other bytes than the part has.",
            measured: "\(bytes.count) bytes",
            limit: "the \(part.fingerprint.byteCount) bytes of the part"
        )
    }
}
