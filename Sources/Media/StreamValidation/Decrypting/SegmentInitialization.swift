import ByteCoding
import HLSPlaylist
import MediaDecryption
import MediaFormats

/// The init segment that applies.
struct SegmentInitialization {
    private var current: (uri: String, range: Range<UInt64>?)?
    private(set) var movie: Movie?
    private(set) var tables: [UInt8] = []
    /// The bytes, decrypted if they were encrypted as a whole; empty without an init segment.
    private(set) var bytes: [UInt8] = []
    private(set) var probe = SegmentProbe()

    /// Loads the init segment of a segment, if it changed. Returns false if it cannot be loaded.
    mutating func load(
        _ segment: ResolvedSegment,
        _ rendition: MeasuredRendition,
        _ decryption: RenditionDecryption
    ) async -> Bool {
        guard let initialization = segment.initialization else {
            (current, movie, tables, probe) = (nil, nil, [], SegmentProbe())
            self.bytes = []
            return true
        }
        let uri = URIReference.resolve(initialization.map.uri, against: rendition.name)
        guard current?.uri != uri || current?.range != initialization.byteRange else { return true }
        current = nil
        let loaded = await decryption.load(
            initialization.map.uri,
            initialization.byteRange,
            .initialization,
            rendition.name
        )
        guard var bytes = loaded else { return false }
        if let tag = initialization.keys.keys.first(where: { WholeSegmentCheck.Method($0) != nil }),
            MediaFileKind(bytes) == .other
        {
            let key = decryption.key(MeasuredKey.ID(tag, playlist: rendition.name, keyID: nil))
            guard let clear = Self.decrypted(bytes, tag, key, segment.mediaSequenceNumber) else { return false }
            bytes = clear
        }
        current = (uri, initialization.byteRange)
        (movie, tables, probe) = (nil, [], SegmentProbe())
        self.bytes = bytes
        guard (try? probe.initialize(bytes.span.bytes)) != nil else { return false }
        if MediaFileKind(bytes) == .mp4 {
            movie = try? MP4Decryptor.movie(of: bytes.span.bytes)
        } else {
            tables = bytes
        }
        return true
    }

    private static func decrypted(
        _ bytes: [UInt8],
        _ tag: KeyTag,
        _ key: MeasuredKey?,
        _ sequence: UInt64
    ) -> [UInt8]? {
        guard let value = key?.value else { return nil }
        if tag.method == .aes256GCM { return WholeSegmentCheck.opened(bytes, key: value) }
        guard let iv = RenditionDecryption.delivered(key, tag, sequence) else { return nil }
        return try? RenditionDecryptor.decryptWhole(bytes, DecryptionKey(key: value, iv: iv), name: "init segment")
    }
}
