import ByteCoding

extension WebVTTDocument {
    /// Holds that the cues that are seen at one time are not too large, so that a small file does not become many large
    /// segments. The cues are in order.
    func checkOverlap() throws(ParseError) {
        let byEnd = cues.sorted { $0.end < $1.end }
        var over = 0
        var size = 0
        for cue in cues {
            while byEnd[over].end <= cue.start {
                size -= byEnd[over].size
                over += 1
            }
            size += cue.size
            guard size <= Self.maximumOverlap else {
                throw ParseError(
                    .invalidLength,
                    reading: "cues of a WebVTT file",
                    offset: 0,
                    reason: "with the one at line \(cue.line), \(size) bytes are seen at one time, more than the "
                        + "\(Self.maximumOverlap) that each segment can repeat: let cues end earlier, or split the file"
                )
            }
        }
    }
}

extension WebVTTCue {
    /// About what it takes in a segment, in bytes: what it says, and its times.
    fileprivate var size: Int { identifier.range.count + settings.range.count + text.range.count + 34 }
}
