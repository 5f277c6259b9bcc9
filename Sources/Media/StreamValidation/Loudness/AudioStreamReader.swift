import ByteCoding
import HLSPlaylist
import MediaDecryption
import MediaFormats

/// Loads the segments of a rendition once more, decrypts them, and returns them as the parts of one stream.
actor AudioStreamReader {
    private let rendition: MeasuredRendition
    private let resolved: ResolvedSegments?
    private let decryption: RenditionDecryption
    private var initialization = SegmentInitialization()
    private var decryptor = RenditionDecryptor()
    /// The init segment of the parts so far; nil before the first.
    private var map: [UInt8]?
    private var index = 0

    /// True while no segment was left out.
    private(set) var isWhole = true
    /// True if a segment is encrypted, and no key is known to open it.
    private(set) var lacksKey = false
    /// True if a part was returned.
    private(set) var hasParts = false

    init(_ rendition: MeasuredRendition, _ decryption: RenditionDecryption) {
        (self.rendition, self.decryption) = (rendition, decryption)
        resolved = try? rendition.playlist.resolvedSegments()
    }

    /// Returns the next part; nil at the end, and before a segment that cannot continue the stream.
    func next() async -> [UInt8]? {
        while index < rendition.segments.count {
            let current = rendition.segments[index]
            index += 1
            guard !Task.isCancelled, let segment = resolved?.segment(at: current.index) else { return end() }
            switch current.outcome {
            case .measured: break
            case .sealed:
                lacksKey = true
                return end()
            case .skipped, .missing, .unreadable, .undecryptable:
                isWhole = false
                continue
            }
            var loading = initialization
            let isInitialized = await loading.load(segment, rendition, decryption)
            initialization = loading
            guard isInitialized,
                let bytes = await decryption.load(segment.segment.uri, segment.byteRange, .segment, rendition.name)
            else {
                isWhole = false
                continue
            }
            guard let head = head() else { return end() }
            guard let clear = decrypted(bytes, current) else { return end() }
            hasParts = true
            return head + Self.withoutTags(clear)
        }
        return nil
    }

    private func end() -> [UInt8]? {
        isWhole = false
        index = rendition.segments.count
        return nil
    }

    /// Returns the bytes before the next segment: the init segment at the start; nil if it changes.
    private func head() -> [UInt8]? {
        let bytes = initialization.bytes
        guard map == nil else { return map == bytes ? [] : nil }
        map = bytes
        guard initialization.movie != nil else { return bytes }
        return try? decryptor.initialize(bytes, name: "init segment", key: nil)
    }

    /// Returns a clear segment; nil if no key is known to open it.
    private func decrypted(_ bytes: [UInt8], _ segment: MeasuredSegment) -> [UInt8]? {
        let tracks = segment.measurement?.tracks.filter { $0.format.kind == .audio } ?? []
        let isSealed = segment.keys.isWholeSegment
        guard isSealed || tracks.contains(where: { $0.encryptedSampleCount > 0 }) else { return bytes }
        let found = segment.decryptions.first { $0.kind == .audio || $0.kind == nil }
        if isSealed, found?.verdict == .notEncrypted { return bytes }
        guard let found, found.verdict == .opened, let key = decryption.key(found.key), let value = key.value,
            let tag = PresentationKeys.tag(of: segment.keys, decryption.source)
        else {
            lacksKey = true
            return nil
        }
        if tag.method == .aes256GCM { return WholeSegmentCheck.opened(bytes, key: value) }
        var keys = DecryptionKeys()
        let iv = RenditionDecryption.delivered(key, tag, segment.sequence)
        if let uri = tag.uri { keys.uris[uri] = DecryptionKey(key: value, iv: iv) }
        return try? decryptor.decrypt(
            bytes,
            .init(keys: segment.keys, mediaSequenceNumber: segment.sequence, name: "segment"),
            keys: keys
        )
    }

    /// Returns packed audio without its ID3 tags; other segments as they are.
    private static func withoutTags(_ bytes: [UInt8]) -> [UInt8] {
        var position = 0
        while position < bytes.count, let tag = (try? LocatedID3Tag(bytes.span.bytes, at: position)) ?? nil {
            position = tag.range.upperBound
        }
        return position == 0 ? bytes : Array(bytes[position...])
    }
}
