import MediaFormats

/// Formats with a signature that cannot be packaged, with how to convert them.
enum ForeignFormat {
    private static let signatures: [(bytes: [UInt8], reason: String)] = [
        (Array("FLV".utf8), "the format is Flash video; \(Conversion.remuxOrEncode)"),
        ([0x30, 0x26, 0xB2, 0x75], "the format is ASF (Windows Media); \(Conversion.encode)"),
        ([0x06, 0x0E, 0x2B, 0x34], "the format is MXF; \(Conversion.remuxOrEncode)"),
        ([0x00, 0x00, 0x01, 0xBA], "the format is an MPEG program stream; \(Conversion.encode)"),
        ([0x00, 0x00, 0x01, 0xB3], "the format is MPEG-1 or MPEG-2 video; \(Conversion.encode)"),
        (Array("DKIF".utf8), "the format is IVF; \(Conversion.encode)"),
        (Array("OggS".utf8), "the format is Ogg; \(Conversion.encodeAudio)"),
        (Array("fLaC".utf8), "the format is FLAC; \(Conversion.encodeAudio)"),
        (Array("caff".utf8), "the format is Core Audio Format; \(Conversion.encodeAudio)"),
        (Array("FORM".utf8), "the format is AIFF; \(Conversion.encodeAudio)"),
        (Array("#!AMR".utf8), "the format is AMR; \(Conversion.encodeAudio)"),
        ([0x7F, 0xFE, 0x80, 0x01], "the format is DTS; \(Conversion.encodeAudio)"),
        ([0xFE, 0x7F, 0x01, 0x80], "the format is DTS; \(Conversion.encodeAudio)"),
        (Array("<?xml".utf8), "the format is XML, perhaps TTML subtitles; \(Conversion.timedText)"),
        (Array("<tt".utf8), "the format is TTML; \(Conversion.timedText)"),
        (Array("[Script Info]".utf8), "the format is SubStation Alpha; \(Conversion.subtitles)"),
    ]

    /// Returns the reason why an input cannot be packaged; nil if it has none of these formats.
    static func reason(_ head: [UInt8]) -> String? {
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return MatroskaHeader(head).reason }
        if let found = signatures.first(where: { head.starts(with: $0.bytes) }) { return found.reason }
        if head.starts(with: Array("RIFF".utf8)), head.count >= 12 {
            switch String(decoding: head[8..<12], as: UTF8.self) {
            case "AVI ": return "the format is AVI; \(Conversion.encode)"
            case "WAVE": return "the format is WAV; \(Conversion.encodeAudio)"
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
        if isSubRip(text) { return "the format is SubRip subtitles; \(Conversion.subtitles)" }
        if let codec = byteStream(head) {
            // ffmpeg cannot copy it: without timestamps it would lose the order of B-frames.
            return "the file is an \(codec) byte stream, which has no timestamps; mux it into MP4 with its frame rate "
                + "(MP4Box -add IN:fps=25 -new OUT.mp4), or encode it (ffmpeg -framerate 25 -i IN -c:v libx264 OUT.mp4)"
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

/// The document type and the codecs in the first bytes of a Matroska or WebM file (RFC 9559, 5.1.4.1 and 8.1).
private struct MatroskaHeader {
    private let isWebM: Bool
    /// The codec IDs of the tracks, such as `V_MPEG4/ISO/AVC`, as far as the bytes contain them.
    private let codecs: [String]

    init(_ head: [UInt8]) {
        // DocType is an element with the ID 0x4282; CodecID has the ID 0x86. Their sizes have one byte.
        isWebM = Self.strings(after: [0x42, 0x82], in: head).contains("webm")
        codecs = Self.strings(after: [0x86], in: head).filter { $0.hasPrefix("V_") || $0.hasPrefix("A_") }
    }

    var reason: String {
        let format = isWebM ? "WebM" : "Matroska"
        let names = codecs.map { Self.names[$0] ?? String($0.dropFirst(2)) }
        let content = names.isEmpty ? "" : " with \(names.joined(separator: " and "))"
        func isForeign(_ prefix: String) -> Bool {
            codecs.contains { $0.hasPrefix(prefix) && !Self.supported.contains($0) }
        }
        let advice =
            codecs.isEmpty
            ? (isWebM ? Conversion.encode : Conversion.remuxOrEncode)
            : isForeign("V_") || isForeign("A_")
                ? Conversion.encoding(video: isForeign("V_"), audio: isForeign("A_")) : Conversion.remux
        return "the format is \(format)\(content); \(advice)"
    }

    private static let supported: Set<String> = [
        "V_MPEG4/ISO/AVC", "V_MPEGH/ISO/HEVC", "A_AAC", "A_AC3", "A_EAC3",
    ]

    private static let names = [
        "V_MPEG4/ISO/AVC": "H.264", "V_MPEGH/ISO/HEVC": "HEVC", "V_AV1": "AV1", "V_VP8": "VP8", "V_VP9": "VP9",
        "V_MPEG2": "MPEG-2 video", "V_MPEG4/ISO/ASP": "MPEG-4 Visual", "A_AAC": "AAC", "A_AC3": "AC-3",
        "A_EAC3": "E-AC-3", "A_OPUS": "Opus", "A_VORBIS": "Vorbis", "A_FLAC": "FLAC", "A_DTS": "DTS",
        "A_TRUEHD": "TrueHD", "A_MPEG/L3": "MP3", "A_MPEG/L2": "MP2", "A_PCM/INT/LIT": "PCM",
    ]

    private static func strings(after id: [UInt8], in head: [UInt8]) -> [String] {
        head.indices.compactMap { index in
            let start = index + id.count
            guard head[index...].starts(with: id), start < head.count, head[start] & 0x80 != 0 else { return nil }
            let size = Int(head[start] & 0x7F)
            guard (2...32).contains(size), start + size < head.count else { return nil }
            let text = head[start + 1...start + size]
            guard text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
