import ByteCoding
package import HLSPlaylist
import MediaFormats

/// A decryptor for the segments of one rendition, in memory and in order.
///
/// It stores the state that continues from one segment to the next: the initialization segment and the continuity
/// counters of a transport stream. Unencrypted segments are checked too: bytes that are not media are an error.
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
    ///   - name: the name of the initialization segment in errors.
    ///   - key: the key of the tables of a transport stream; nil if nothing is encrypted. MP4 requires no key, because
    ///     an initialization segment has no samples.
    /// - Returns: the initialization segment of the decrypted rendition.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func initialize(_ bytes: [UInt8], name: String, key: DecryptionKey?) throws -> [UInt8] {
        switch MediaFileKind(bytes) {
        case .mp4:
            let movie = try MP4Decryptor.movie(of: bytes.span.bytes)
            self.movie = movie
            guard try MP4Decryptor.isProtected(movie) else { return bytes }
            return try Self.decryptMP4(bytes, nil, DecryptionKeys())
        case .transportStream:
            guard let key else { return bytes }
            stream = TransportStreamDecryptor()
            return try Self.output(of: bytes) { try stream.decrypt($0, key: key, into: &$1) }
        case .webVTT, .packedAudio: return bytes
        case .playlist, .other:
            throw Self.mismatch(bytes, name, expected: "an init segment")
        }
    }

    /// Decrypts a segment.
    ///
    /// - Parameter keys: the keys by the URIs of their tags. The key in a `data:` URI is not required.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(_ bytes: [UInt8], _ segment: Segment, keys: DecryptionKeys) throws -> [UInt8] {
        guard let tags = PlaylistKey(segment.keys, subject: segment.name) else { return try clear(bytes, segment) }
        switch tags.method {
        case .aes128:
            let key = try tags.key(in: keys, mediaSequenceNumber: segment.mediaSequenceNumber)
            return try clear(Self.decryptWhole(bytes, key, name: segment.name), segment)
        case .sampleAES, .sampleAESCTR: break
        default:
            throw DecryptionError(
                .notSupported,
                segment.name,
                "the METHOD \(tags.method.rawValue) of its EXT-X-KEY tag is not supported"
            )
        }
        switch MediaFileKind(bytes) {
        case .mp4:
            var own = DecryptionKeys()
            own.embedded = tags.key(byURIIn: keys) == nil ? try tags.embedded : nil
            if own.embedded == nil {
                own.playlistKey = try tags.key(in: keys, mediaSequenceNumber: segment.mediaSequenceNumber)
            }
            return try Self.decryptMP4(bytes, movie, own)
        case .transportStream:
            let key = try tags.key(in: keys, mediaSequenceNumber: segment.mediaSequenceNumber)
            return try Self.output(of: bytes) {
                try stream.decrypt($0, key: key, isIFrame: segment.isIFrame, into: &$1)
            }
        case .packedAudio:
            let key = try tags.key(in: keys, mediaSequenceNumber: segment.mediaSequenceNumber)
            var audio = PackedAudioDecryptor()
            return try Self.output(of: bytes) { try audio.decrypt($0, key: key, into: &$1) }
        case .webVTT, .playlist, .other:
            throw Self.mismatch(bytes, segment.name, expected: "MP4, a transport stream or packed audio")
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
        let segment: SegmentDecryptor
        do {
            segment = try SegmentDecryptor(bytes.span.bytes, key: key.key, iv: iv, name: name)
        } catch let error as DecryptionError where error.code == .damaged {
            // A server that responds with a page instead of the segment is the more precise reason.
            if let found = SegmentContent.mismatch(bytes, isEncrypted: true) {
                throw DecryptionError(.notMedia, name, "expected an encrypted segment, found \(found)")
            }
            throw error
        }
        var clear = [UInt8](repeating: 0, count: segment.clearSize)
        var span = clear.mutableSpan
        var output = span.mutableBytes
        try segment.decrypt(bytes.span.bytes, into: &output, at: 0, name: name)
        return clear
    }

    // MARK: Checks

    /// Checks a segment that is not encrypted, or no longer, and returns it.
    private func clear(_ bytes: [UInt8], _ segment: Segment) throws -> [UInt8] {
        guard SegmentContent.mismatch(bytes) == nil else {
            throw Self.mismatch(bytes, segment.name, expected: "a media segment")
        }
        let kind = MediaFileKind(bytes)
        guard kind != .transportStream || !TransportStreamDecryptor.isEncrypted(bytes.span.bytes) else {
            throw DecryptionError(.missingKey, segment.name, "its streams are encrypted, and no EXT-X-KEY tag applies")
        }
        guard kind == .mp4 else { return bytes }
        // The segments of an I-frame playlist can end in the middle of an mdat box.
        guard !segment.isIFrame else { return bytes }
        let isWhole = try MP4Decryptor.hasMovie(bytes.span.bytes)
        guard let movie = try isWhole ? MP4Decryptor.movie(of: bytes.span.bytes) : movie else {
            throw DecryptionError(.missingInitialization, segment.name, "it has no moov box, and no EXT-X-MAP applies")
        }
        guard try MP4Decryptor.hasSamples(bytes.span.bytes) else {
            throw DecryptionError(.notMedia, segment.name, "the MP4 segment has neither a moof box nor an mdat box")
        }
        guard try MP4Decryptor.isProtected(movie) else { return bytes }
        // The samples of a clear lead are not encrypted, though its init segment declares an encryption scheme.
        do {
            return try Self.decryptMP4(bytes, movie, DecryptionKeys())
        } catch let error as DecryptionError where error.code == .missingKey {
            throw DecryptionError(
                .missingKey,
                segment.name,
                "its samples are encrypted, and no EXT-X-KEY tag applies: \(error)"
            )
        }
    }

    /// Returns the error for bytes that are not media.
    private static func mismatch(_ bytes: [UInt8], _ name: String, expected: String) -> DecryptionError {
        let found = SegmentContent.mismatch(bytes) ?? "another format"
        return DecryptionError(.notMedia, name, "expected \(expected), found \(found)")
    }

    private static func decryptMP4(_ bytes: [UInt8], _ movie: Movie?, _ keys: DecryptionKeys) throws -> [UInt8] {
        try output(of: bytes) {
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
