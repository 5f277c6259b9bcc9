import HLSPlaylist

@testable import StreamOrigin

/// A playlist as the packager writes it: segments of two seconds with four parts, keys that rotate, Date Ranges.
struct LiveWindow {
    /// The number of segments in the playlist.
    var length = 12
    /// The number of segments with one key.
    var keyPeriod = 5
    /// The numbers of the segments at which a Date Range begins.
    var dateRanges: Set<Int> = []
    var canSkipDateRanges = false
    var isEnded = false
    var hasParts = true

    /// Returns the text after `segments` complete segments and `parts` parts of the next.
    func text(segments: Int, parts: Int) -> String {
        let first = max(0, segments - length)
        var text = """
            #EXTM3U
            #EXT-X-VERSION:\(canSkipDateRanges ? 10 : 9)
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-TARGETDURATION:2
            #EXT-X-MEDIA-SEQUENCE:\(first)

            """
        if hasParts { text += "#EXT-X-PART-INF:PART-TARGET=0.5\n" }
        text += "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=12.0"
        if canSkipDateRanges { text += ",CAN-SKIP-DATERANGES=YES" }
        text += hasParts ? ",PART-HOLD-BACK=1.5,CAN-BLOCK-RELOAD=YES\n" : ",CAN-BLOCK-RELOAD=YES\n"
        for number in first..<segments {
            text += tags(number, isFirst: number == first)
            if hasParts, number >= segments - 3 { text += (0..<4).map { part(number, $0) }.joined() }
            text += "#EXTINF:2.0,\nsegment-\(number).m4s\n"
        }
        if isEnded { return text + "#EXT-X-ENDLIST\n" }
        guard hasParts else { return text }
        if parts > 0 { text += tags(segments, isFirst: first == segments) }
        text += (0..<parts).map { part(segments, $0) }.joined()
        text += "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"segment-\(segments).m4s\""
        if parts > 0 { text += ",BYTERANGE-START=\(parts * 10)" }
        return text + "\n"
    }

    private func tags(_ number: Int, isFirst: Bool) -> String {
        var text = ""
        let period = number / keyPeriod
        if isFirst || number.isMultiple(of: keyPeriod) {
            text +=
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://key-\(period)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
            text += "#EXT-X-MAP:URI=\"init-\(period).mp4\"\n"
        }
        let (minute, second) = ((number * 2) / 60, (number * 2) % 60)
        let pad = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        let date = "2026-11-27T10:\(pad(minute % 60)):\(pad(second)).000Z"
        text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
        if dateRanges.contains(number) {
            text += "#EXT-X-DATERANGE:ID=\"break-\(number)\",START-DATE=\"\(date)\",DURATION=1.0\n"
        }
        return text
    }

    private func part(_ number: Int, _ index: Int) -> String {
        "#EXT-X-PART:URI=\"segment-\(number).m4s\",DURATION=0.5,BYTERANGE=\"10@\(index * 10)\""
            + (index == 0 ? ",INDEPENDENT=YES" : "") + "\n"
    }

    func playlist(segments: Int, parts: Int) throws -> MediaPlaylist {
        try MediaPlaylist(strictlyParsing: Array(text(segments: segments, parts: parts).utf8))
    }
}

/// A generator of random numbers that repeats a sequence: xorshift64*.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
