import ByteCoding
import MediaFormats

/// The format of an input, detected from its first bytes. The file name is not used.
enum InputKind: Hashable {
    /// MP4 or QuickTime.
    case movie
    /// MPEG-2 transport stream, packets of 188 bytes.
    case transportStream
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

    /// Returns the size in bytes of the ID3 tag at the start of the input; 0 if there is none.
    static func tagSize(_ head: [UInt8]) -> Int {
        guard head.count >= 10, head.starts(with: Array("ID3".utf8)), head[6...9].allSatisfy({ $0 < 0x80 }) else {
            return 0
        }
        let hasFooter = head[5] & 0x10 != 0
        return head[6...9].reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 20 : 10)
    }

    /// Detects the format from the first bytes of an input.
    ///
    /// - Parameter head: The first ``headSize`` bytes, or the whole input if it is shorter, without a leading ID3 tag.
    init(_ head: [UInt8]) {
        let movieBoxes = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "uuid"]
        if head.isEmpty {
            self = .unsupported("the file is empty")
        } else if WebVTTDocument.hasSignature(head.span.bytes) {
            self = .webVTT
        } else if head.count >= 8, movieBoxes.contains(where: { head[4..<8].elementsEqual($0.utf8) }) {
            self = .movie
        } else if let reason = Self.signature(head) {
            self = .unsupported(reason)
        } else if Self.isADTS(head) {
            self = .adts
        } else if head.starts(with: [0x0B, 0x77]) || head.starts(with: [0x77, 0x0B]) {
            self = .ac3
        } else if let size = Self.packetSize(head) {
            self = size == 188 ? .transportStream : .unsupported(Self.advice(packetSize: size))
        } else {
            self = .unsupported(
                "the format is not supported; use MP4 or QuickTime, an MPEG-2 transport stream, AAC with ADTS "
                    + "headers, AC-3, E-AC-3 or WebVTT"
            )
        }
    }

    private static func advice(packetSize: Int) -> String {
        let what = packetSize == 192 ? "with timestamps (M2TS)" : "with checksums"
        return "the file is a transport stream with packets of \(packetSize) bytes, \(what); "
            + "convert it to packets of 188 bytes first (ffmpeg -i IN -map 0 -c copy OUT.ts)"
    }

    /// Returns the distance between sync bytes, which is the packet size; nil if there are none.
    private static func packetSize(_ head: [UInt8]) -> Int? {
        // A part of a stream may start in the middle of a packet.
        for size in [188, 192, 204] {
            for start in 0..<min(size, head.count) where head[start] == TransportPacketHeader.syncByte {
                let offsets = stride(from: start, to: head.count, by: size)
                guard offsets.allSatisfy({ head[$0] == TransportPacketHeader.syncByte }) else { continue }
                let count = (head.count - start + size - 1) / size
                if count >= 4 || start == 0 && head.count >= 188 { return size }
            }
        }
        return nil
    }

    /// Returns whether an ADTS frame starts here: a valid header, followed by the next one if the bytes reach that far.
    private static func isADTS(_ head: [UInt8]) -> Bool {
        guard let header = try? ADTSHeader(head.span.bytes) else { return false }
        let next = header.frameLength
        guard head.count >= next + 2 else { return true }
        return head[next] == 0xFF && head[next + 1] & 0xF6 == 0xF0
    }
}

// Formats that cannot be packaged.
extension InputKind {
    private static let remux = "remux it first (ffmpeg -i IN -c copy OUT.mp4)"
    private static let encode = "encode it first (ffmpeg -i IN -c:a aac OUT.m4a)"
    private static let subtitles = "convert it first (ffmpeg -i IN OUT.vtt)"

    private static let signatures: [(bytes: [UInt8], reason: String)] = [
        ([0x1A, 0x45, 0xDF, 0xA3], "the format is Matroska or WebM; \(remux)"),
        (Array("FLV".utf8), "the format is Flash video; \(remux)"),
        ([0x30, 0x26, 0xB2, 0x75], "the format is ASF (Windows Media); encode it first (ffmpeg -i IN OUT.mp4)"),
        ([0x06, 0x0E, 0x2B, 0x34], "the format is MXF; \(remux)"),
        ([0x00, 0x00, 0x01, 0xBA], "the format is an MPEG program stream; \(remux)"),
        ([0x00, 0x00, 0x01, 0xB3], "the format is MPEG-1 or MPEG-2 video; encode it first (ffmpeg -i IN OUT.mp4)"),
        (Array("DKIF".utf8), "the format is IVF; \(remux)"),
        (Array("OggS".utf8), "the format is Ogg; \(encode)"),
        (Array("fLaC".utf8), "the format is FLAC; \(encode)"),
        (Array("caff".utf8), "the format is Core Audio Format; \(encode)"),
        (Array("FORM".utf8), "the format is AIFF; \(encode)"),
        (Array("<?xml".utf8), "the format is XML, perhaps TTML subtitles; \(subtitles)"),
        (Array("<tt".utf8), "the format is TTML; \(subtitles)"),
    ]

    private static func signature(_ head: [UInt8]) -> String? {
        if let found = signatures.first(where: { head.starts(with: $0.bytes) }) { return found.reason }
        if head.starts(with: Array("RIFF".utf8)), head.count >= 12 {
            switch String(decoding: head[8..<12], as: UTF8.self) {
            case "AVI ": return "the format is AVI; \(remux)"
            case "WAVE": return "the format is WAV; \(encode)"
            default: return nil
            }
        }
        if head.count >= 8, ["styp", "moof", "sidx", "emsg"].contains(where: { head[4..<8].elementsEqual($0.utf8) }) {
            return
                "the file is a media segment without its init segment; concatenate them first "
                + "(cat init.mp4 1.m4s 2.m4s ... > IN.mp4)"
        }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        if text.starts(with: Array("#EXTM3U".utf8)) {
            return "the file is a playlist; give the source media, or join its segments first "
                + "(ffmpeg -i IN -c copy OUT.mp4)"
        }
        if isSubRip(text) { return "the format is SubRip subtitles; \(subtitles)" }
        if let codec = byteStream(head) {
            return "the file is an \(codec) byte stream, which has no timestamps; mux it into MP4 with its frame rate "
                + "(ffmpeg -framerate 25 -i IN -c copy OUT.mp4)"
        }
        // MPEG audio of layers I to III has layer bits that are never set in ADTS.
        if head.count >= 2, head[0] == 0xFF, head[1] & 0xE0 == 0xE0, head[1] & 0x06 != 0 {
            return "the format is MPEG audio, such as MP3; \(encode)"
        }
        return nil
    }

    /// Returns whether the text starts with a cue number, followed by a line of times with decimal commas.
    private static func isSubRip(_ text: ArraySlice<UInt8>) -> Bool {
        let lines = text.prefix(80).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        guard lines.count >= 2, lines[0].allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return String(decoding: lines[1], as: UTF8.self).contains(" --> ")
    }

    /// Returns the codec of a byte stream with start codes; nil if the bytes are not one.
    private static func byteStream(_ head: [UInt8]) -> String? {
        let start = head.starts(with: [0, 0, 0, 1]) ? 4 : head.starts(with: [0, 0, 1]) ? 3 : nil
        guard let start, head.count > start + 1 else { return nil }
        // A VPS, SPS or access unit delimiter of HEVC has layer 0 and temporal ID 0; H.264 NAL unit headers have one
        // byte.
        if [0x40, 0x42, 0x46].contains(head[start]), head[start + 1] == 1 { return "HEVC" }
        return [6, 7, 9].contains(head[start] & 0x1F) && head[start] & 0x80 == 0 ? "H.264" : nil
    }
}
