import ByteCoding
import MediaFormats

/// The recognition of media segments by their first bytes. The name and the Content-Type of a resource do not tell what
/// it is: a server may respond with an HTML page and status 200.
package enum SegmentContent {
    /// The number of bytes at the start of a resource that are sufficient for its recognition.
    package static let sufficientCount = 1024

    /// Returns a description of a resource that is neither a media segment nor an init segment, such as `an HTML page`;
    /// nil for MP4, MPEG-2 TS, packed audio and WebVTT.
    ///
    /// - Parameter bytes: the resource, or at least its first ``sufficientCount`` bytes.
    package static func mismatch(_ bytes: RawSpan) -> String? {
        switch MediaFileKind(bytes) {
        case .mp4, .transportStream, .packedAudio, .webVTT: nil
        case .playlist: "an HLS playlist"
        case .other: isMPEGAudio(bytes) ? nil : signature(bytes) ?? "data of an unknown format"
        }
    }

    /// Returns a description of a resource that is neither a media segment nor an init segment, from its first bytes.
    ///
    /// - Parameter isEncrypted: true if the resource is encrypted as a whole (METHOD=AES-128); then only known signatures
    ///   are described.
    package static func mismatch(_ bytes: [UInt8], isEncrypted: Bool = false) -> String? {
        isEncrypted ? signature(bytes.span.bytes) : mismatch(bytes.span.bytes)
    }

    /// Returns a description of a resource with a signature that is not that of media; nil for media and for bytes
    /// without a signature, such as a segment that is encrypted as a whole.
    package static func signature(_ bytes: RawSpan) -> String? {
        guard bytes.byteCount > 0 else { return "an empty file" }
        let beginning = bytes.extracting(0..<min(bytes.byteCount, sufficientCount)).withUnsafeBytes { [UInt8]($0) }
        if let known = signatures.first(where: { beginning.starts(with: $0.bytes) }) { return known.description }
        guard beginning.contains(where: { $0 != 0 }) else { return "bytes that are all zero" }
        guard isText(beginning) else { return nil }
        let text = String(decoding: beginning.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }, as: UTF8.self)
            .lowercased()
        if text.hasPrefix("#extm3u") { return "an HLS playlist" }
        if text.hasPrefix("<!doctype html") || (text.hasPrefix("<") && text.contains("<html")) { return "an HTML page" }
        if text.hasPrefix("<") { return "an XML or HTML document" }
        if text.hasPrefix("{") || text.hasPrefix("[") { return "a JSON document" }
        return "text"
    }

    private static let signatures: [(bytes: [UInt8], description: String)] = [
        ([0x1F, 0x8B, 0x08], "gzip data"), ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"),
        (Array("PK\u{03}\u{04}".utf8), "a ZIP archive"), (Array("%PDF-".utf8), "a PDF document"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
        (Array("GIF8".utf8), "a GIF image"), ([0x1A, 0x45, 0xDF, 0xA3], "Matroska or WebM"),
    ]

    /// Returns whether the bytes are ASCII or UTF-8 text, which may be truncated in a character.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return false }
        return (0..<4).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    /// Returns whether a frame of MPEG audio begins here, and another one where it ends.
    private static func isMPEGAudio(_ bytes: RawSpan) -> Bool {
        func header(_ offset: Int) -> MPEGAudioHeader? {
            guard bytes.byteCount - offset >= 4 else { return nil }
            return MPEGAudioHeader(bytes.extracting(offset..<offset + 4).withUnsafeBytes { [UInt8]($0) }[...])
        }
        guard let first = header(0), let size = first.frameSize else { return false }
        return size >= bytes.byteCount - 3 || header(size)?.layer == first.layer
    }
}
