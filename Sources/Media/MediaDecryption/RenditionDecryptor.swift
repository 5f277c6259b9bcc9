import ByteCoding
package import HLSPlaylist
import MediaFormats

/// A decryptor for the segments of one rendition, in memory and in order.
///
/// It stores the state that continues from one segment to the next: the initialization segment and the continuity
/// counters of a transport stream.
package struct RenditionDecryptor {
    /// The parameters for decrypting a segment.
    package struct Segment: Sendable {
        /// The EXT-X-KEY tags that apply to the segment.
        package var keys: KeyContext
        /// The segment's media sequence number, which is its default initialization vector.
        package var mediaSequenceNumber: UInt64
        /// The name of the segment in errors, for example its URI.
        package var name: String
        /// True if the segment is from an I-frame playlist.
        package var isIFrame: Bool

        /// Creates the parameters of a segment.
        package init(keys: KeyContext, mediaSequenceNumber: UInt64, name: String, isIFrame: Bool = false) {
            (self.keys, self.mediaSequenceNumber, self.name) = (keys, mediaSequenceNumber, name)
            self.isIFrame = isIFrame
        }
    }

    private var movie: Movie?
    private var stream = TransportStreamDecryptor()

    /// Creates a decryptor for a rendition from its start.
    package init() {}

    /// Reads the initialization segment (EXT-X-MAP) of the segments that follow.
    ///
    /// - Parameters:
    ///   - bytes: the initialization segment; already decrypted if it was encrypted as a whole.
    ///   - key: any key of the rendition, because an initialization segment has no samples. Nil if nothing is
    ///     encrypted.
    /// - Returns: the initialization segment of the decrypted rendition.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func initialize(_ bytes: [UInt8], key: DecryptionKey?) throws -> [UInt8] {
        switch MediaFileKind(bytes.span.bytes) {
        case .mp4:
            movie = try MP4Decryptor.movie(of: bytes.span.bytes)
            return try Self.decryptMP4(bytes, nil, key)
        case .transportStream:
            guard let key else { return bytes }
            stream = TransportStreamDecryptor()
            return try Self.output(of: bytes) { try stream.decrypt($0, key: key, into: &$1) }
        default: return bytes
        }
    }

    /// Decrypts a segment.
    ///
    /// - Parameter keys: the keys by the URIs of their tags.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(_ bytes: [UInt8], _ segment: Segment, keys: DecryptionKeys) throws -> [UInt8] {
        guard let tags = PlaylistKey(segment.keys, subject: segment.name) else { return bytes }
        let key = try tags.key(in: keys, mediaSequenceNumber: segment.mediaSequenceNumber)
        switch tags.method {
        case .aes128: return try Self.decryptWhole(bytes, key, name: segment.name)
        case .sampleAES, .sampleAESCTR: break
        default:
            throw DecryptionError(
                .notSupported,
                segment.name,
                "the METHOD \(tags.method.rawValue) of its EXT-X-KEY tag is not supported"
            )
        }
        switch MediaFileKind(bytes.span.bytes) {
        case .mp4: return try Self.decryptMP4(bytes, movie, key)
        case .transportStream:
            return try Self.output(of: bytes) {
                try stream.decrypt($0, key: key, isIFrame: segment.isIFrame, into: &$1)
            }
        case .packedAudio:
            var audio = PackedAudioDecryptor()
            return try Self.output(of: bytes) { try audio.decrypt($0, key: key, into: &$1) }
        case .webVTT, .playlist, .other:
            throw DecryptionError(
                .notSupported,
                segment.name,
                "METHOD requires MP4, a transport stream or packed audio, and the segment is none of these"
            )
        }
    }

    /// Decrypts a media segment or an initialization segment that is encrypted as a whole (METHOD=AES-128).
    ///
    /// - Throws: ``DecryptionError``.
    package static func decryptWhole(_ bytes: [UInt8], _ key: DecryptionKey, name: String) throws -> [UInt8] {
        guard let iv = key.iv else {
            throw DecryptionError(
                .missingIV,
                name,
                "its EXT-X-KEY tag has no IV attribute, and no IV was given with the key"
            )
        }
        let segment = try SegmentDecryptor(bytes.span.bytes, key: key.key, iv: iv, name: name)
        var clear = [UInt8](repeating: 0, count: segment.clearSize)
        var span = clear.mutableSpan
        var output = span.mutableBytes
        try segment.decrypt(bytes.span.bytes, into: &output, at: 0, name: name)
        return clear
    }

    private static func decryptMP4(_ bytes: [UInt8], _ movie: Movie?, _ key: DecryptionKey?) throws -> [UInt8] {
        var keys = DecryptionKeys()
        keys.playlistKey = key
        keys.unnamed = key
        return try output(of: bytes) {
            _ = try MP4Decryptor(keys: keys).decrypt($0, initialization: movie, into: &$1)
        }
    }

    private static func output(
        of bytes: [UInt8],
        _ body: (RawSpan, inout MutableRawSpan) throws -> Void
    ) throws -> [UInt8] {
        var clear = [UInt8](repeating: 0, count: bytes.count)
        var span = clear.mutableSpan
        var output = span.mutableBytes
        try body(bytes.span.bytes, &output)
        return clear
    }
}
