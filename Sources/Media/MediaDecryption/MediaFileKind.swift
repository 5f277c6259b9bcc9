import ByteCoding
import MediaFormats

/// The type of a media file, detected from its first bytes.
package enum MediaFileKind: Hashable, Sendable {
    /// An MP4 or QuickTime file, or a segment of one.
    case mp4
    /// An MPEG-2 transport stream.
    case transportStream
    /// Frames of AAC, AC-3 or E-AC-3, with ID3 tags before them.
    case packedAudio
    /// A WebVTT file.
    case webVTT
    /// An HLS playlist.
    case playlist
    /// A file of unknown type, for example a segment that is encrypted as a whole.
    case other

    /// The types of the boxes that an MP4 file can begin with.
    private static let boxes: Set<FourCC> = [
        "ftyp", "styp", "moov", "moof", "sidx", "free", "skip", "wide", "mdat", "emsg", "prft", "pdin", "uuid", "pnot",
    ]

    /// Detects the type of a file from its first bytes.
    package init(_ file: RawSpan) {
        func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
            let count = text.utf8CodeUnitCount
            guard file.byteCount >= offset + count else { return false }
            return text.withUTF8Buffer { text in
                text.indices.allSatisfy {
                    file.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) == text[$0]
                }
            }
        }
        func isSync(_ offset: Int) -> Bool {
            file.byteCount <= offset || file.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0x47
        }
        if file.byteCount >= 8 {
            let type = UInt32(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt32.self))
            if Self.boxes.contains(FourCC(rawValue: type)) {
                self = .mp4
                return
            }
        }
        if file.byteCount >= 188, isSync(0), isSync(188), isSync(376) {
            self = .transportStream
        } else if begins("#EXTM3U") || begins("\u{FEFF}#EXTM3U") {
            self = .playlist
        } else if begins("WEBVTT") || begins("\u{FEFF}WEBVTT") {
            self = .webVTT
        } else if begins("ID3") || Self.audio(file) != nil {
            self = .packedAudio
        } else {
            self = .other
        }
    }

    /// Detects the type of a file from its first bytes.
    package init(_ file: [UInt8]) { self.init(file.span.bytes) }

    /// Returns the audio format of the frame at the start of the bytes; nil if no audio frame begins there.
    package static func audio(_ file: RawSpan) -> SampleAESStream? {
        guard file.byteCount >= 7 else { return nil }
        let word = UInt16(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt16.self))
        if word & 0xFFF6 == 0xFFF0 { return .aac }
        guard word == 0x0B77 else { return nil }
        // The bit stream identification is at most 10 for AC-3 and 11 to 16 for E-AC-3.
        let identification = file.unsafeLoad(fromByteOffset: 5, as: UInt8.self) >> 3
        return identification <= 10 ? .ac3 : identification <= 16 ? .enhancedAC3 : nil
    }
}
