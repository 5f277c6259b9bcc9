import ByteCoding

extension WebVTTDocument {
    /// Checks the total size of the cues that are visible at the same time, so that a small file does not become many
    /// large segments. The cues must be sorted by start time.
    ///
    /// - Throws: `ParseError` `invalid-length` if the size is above ``maximumOverlap``.
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
                    reason: "with the cue at line \(cue.line), the cues visible at the same time have \(size) bytes, "
                        + "more than the maximum of \(Self.maximumOverlap); end cues earlier, or split the file"
                )
            }
        }
    }
}

extension WebVTTCue {
    /// The approximate size of the cue in a segment in bytes: its text, identifier and settings, and 34 bytes for the
    /// times.
    fileprivate var size: Int { identifier.range.count + settings.range.count + text.range.count + 34 }
}
