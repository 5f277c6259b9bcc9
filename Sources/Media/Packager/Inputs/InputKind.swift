import ByteCoding
import MediaFormats

/// The format of an input, detected from its first bytes. The file name is not used.
enum InputKind: Hashable {
    /// MP4 or QuickTime.
    case movie
    /// MPEG-2 transport stream. The distance between packets of 188 bytes is larger if each has a timestamp (192 bytes,
    /// M2TS) or checksums (204 bytes); a part of a packet or other bytes may precede the first one.
    case transportStream(PacketLayout)
    /// AAC in ADTS frames.
    case adts
    /// AC-3 or E-AC-3.
    case ac3
    /// WebVTT.
    case webVTT
    /// A format that cannot be packaged; the text contains the format and how to convert it.
    case unsupported(String)

    /// The number of bytes inspected; if an ID3 tag precedes the audio, the size of the tag is added.
    static let headSize = 4096
    /// The number of bytes in which the first packet of a transport stream is searched, if the format is not known.
    static let searchSize = 64 << 10

    /// Returns the size in bytes of the ID3 tag at the start of the input; 0 if there is none.
    static func tagSize(_ head: [UInt8]) -> Int {
        guard head.count >= 10, head.starts(with: Array("ID3".utf8)), head[6...9].allSatisfy({ $0 < 0x80 }) else {
            return 0
        }
        let hasFooter = head[5] & 0x10 != 0
        return head[6...9].reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 20 : 10)
    }

    /// Detects the format from the first bytes of an input; nil if it is not known.
    ///
    /// Formats with a signature precede packets and frames, which are detected by their distances. A transport stream
    /// may start in the middle of a packet with bytes that look like the header of an audio frame.
    ///
    /// - Parameters:
    ///   - head: The first ``headSize`` bytes, or the whole input if it is shorter, without a leading ID3 tag.
    ///   - isTagged: True if an ID3 tag precedes the bytes.
    init?(_ head: [UInt8], isTagged: Bool = false) {
        let movieBoxes = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "uuid"]
        if head.isEmpty {
            self = .unsupported("the file is empty")
        } else if WebVTTDocument.hasSignature(head.span.bytes) {
            self = .webVTT
        } else if head.count >= 8, movieBoxes.contains(where: { head[4..<8].elementsEqual($0.utf8) }) {
            self = .movie
        } else if let reason = ForeignFormat.reason(head) {
            self = .unsupported(reason)
        } else if let layout = PacketLayout(head) {
            self = .transportStream(layout)
        } else if Self.isADTS(head) {
            self = .adts
        } else if head.starts(with: [0x0B, 0x77]) || head.starts(with: [0x77, 0x0B]) {
            self = .ac3
        } else if let audio = MPEGAudioHeader.name(head, isTagged: isTagged) {
            self = .unsupported("the format is \(audio); \(Conversion.encodeAudio)")
        } else {
            return nil
        }
    }

    /// The reason why a format that is not known cannot be packaged.
    static let unknown = InputKind.unsupported(
        "the format is not supported; use MP4 or QuickTime, an MPEG-2 transport stream, AAC with ADTS headers, AC-3, "
            + "E-AC-3 or WebVTT"
    )

    /// Returns whether an ADTS frame starts here: a valid header, followed by the next one if the bytes reach that far.
    private static func isADTS(_ head: [UInt8]) -> Bool {
        guard let header = try? ADTSHeader(head.span.bytes) else { return false }
        let next = header.frameLength
        guard head.count >= next + 2 else { return true }
        return head[next] == 0xFF && head[next + 1] & 0xF6 == 0xF0
    }
}
