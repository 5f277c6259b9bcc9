import ByteCoding
import HLSPlaylist

/// Loads and measures the segments and Partial Segments of one Media Playlist, in their order.
struct SegmentReader {
    /// A loaded segment.
    struct Result {
        var outcome: MeasuredSegment.Outcome
        var initialization: [TrackFormat] = []
        var http: HTTPObservation?
        /// The bytes; nil if they were not loaded.
        var bytes: [UInt8]?
    }

    /// The resource of a segment or a Partial Segment.
    struct Resource: Hashable, Sendable {
        /// The resolved URI.
        var url: String
        var byteRange: Range<UInt64>?
    }

    let resources: any ValidationResources
    let maximumSize: Int
    let isIFrames: Bool
    private var probe = SegmentProbe()
    private var map: Resource?
    /// The bytes of the init segment that applies; empty without one.
    private(set) var initializationBytes: [UInt8] = []
    private var formats: [TrackFormat] = []

    /// The maximum number of bytes in which the tables at the start of a transport stream are expected: 16 packets.
    private static let tableSize: UInt64 = 16 * 188

    init(resources: any ValidationResources, maximumSize: Int, isIFrames: Bool) {
        (self.resources, self.maximumSize, self.isIFrames) = (resources, maximumSize, isIFrames)
    }

    /// Loads and measures a segment of a playlist.
    mutating func read(_ segment: ResolvedSegment, of playlist: String) async -> Result {
        // An init segment that is encrypted as a whole (RFC 8216bis, 4.4.4.5) shows nothing.
        let map = segment.initialization.flatMap { $0.keys.isWholeSegment ? nil : Resource($0, base: playlist) }
        return await read(
            Resource(
                url: URIReference.resolve(segment.segment.uri, against: playlist),
                byteRange: segment.byteRange
            ),
            map: map,
            isSealed: segment.keys.isWholeSegment
        )
    }

    /// Loads and measures a resource.
    ///
    /// - Parameters:
    ///   - map: The init segment that applies; nil without one.
    ///   - isSealed: True if the resource is encrypted as a whole.
    mutating func read(_ resource: Resource, map: Resource?, isSealed: Bool) async -> Result {
        if let reason = await initialize(resource, map) {
            return Result(outcome: .missing(reason: "its init segment: \(reason)"))
        }
        let loaded: LoadedResource
        do {
            loaded = try await load(resource, .segment)
        } catch {
            return Result(outcome: .missing(reason: error.reason), initialization: formats)
        }
        var result = Result(outcome: .skipped, initialization: formats, http: loaded.http)
        result.bytes = loaded.bytes
        if isSealed {
            result.outcome = .sealed(byteCount: loaded.bytes.count)
            return result
        }
        do {
            result.outcome = .measured(try probe.measure(loaded.bytes.span.bytes, isTruncated: isIFrames))
        } catch {
            result.outcome =
                error.reading.hasPrefix("protection of ")
                ? .undecryptable(reason: error.description) : .unreadable(reason: error.description)
        }
        return result
    }

    /// Loads a resource that was loaded before, and returns its fingerprint.
    func fingerprint(of resource: Resource) async throws(ResourceFailure) -> ContentFingerprint {
        ContentFingerprint(try await load(resource, .segment).bytes)
    }

    private func load(
        _ resource: Resource,
        _ purpose: StreamResourceRequest.Purpose
    ) async throws(ResourceFailure) -> LoadedResource {
        try await resources.load(
            StreamResourceRequest(
                url: resource.url,
                byteRange: resource.byteRange,
                purpose: purpose,
                maximumSize: maximumSize
            )
        )
    }

    /// Reads the init segment if it is another one than before.
    ///
    /// - Returns: The reason if it cannot be read; nil otherwise.
    private mutating func initialize(_ resource: Resource, _ map: Resource?) async -> String? {
        var wanted = map
        var isRequired = true
        if map == nil, isIFrames, let range = resource.byteRange, range.lowerBound > 0 {
            // A resource with I-frames begins with the tables of its transport stream (RFC 8216bis, 4.4.3.6).
            wanted = Resource(url: resource.url, byteRange: 0..<min(range.lowerBound, Self.tableSize))
            isRequired = false
        }
        guard wanted != self.map else { return nil }
        (self.map, formats, probe, initializationBytes) = (wanted, [], SegmentProbe(), [])
        guard let wanted else { return nil }
        do throws(ResourceFailure) {
            let loaded = try await load(wanted, .initialization)
            do {
                formats = try probe.initialize(loaded.bytes.span.bytes)
                initializationBytes = loaded.bytes
            } catch {
                throw ResourceFailure(reason: error.description)
            }
            return nil
        } catch {
            guard isRequired else { return nil }
            self.map = nil
            return error.reason
        }
    }
}

extension SegmentReader.Resource {
    /// The resource of an init segment.
    init(_ initialization: ResolvedInitialization, base: String) {
        self.init(
            url: URIReference.resolve(initialization.map.uri, against: base),
            byteRange: initialization.byteRange
        )
    }
}

extension KeyContext {
    /// True if segments are encrypted as a whole.
    var isWholeSegment: Bool { keys.contains { $0.method == .aes128 || $0.method == .aes256GCM } }
}
