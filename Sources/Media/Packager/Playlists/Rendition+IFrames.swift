extension Rendition {
    /// A key frame as a segment of an I-frame playlist.
    struct IFrame {
        /// The file and the byte range.
        var resource: Resource
        /// The time to the next key frame or to the end, in seconds.
        var duration: Double
        /// True if it is encrypted.
        var isProtected: Bool
        /// The number of its key period.
        var period: Int
    }

    /// The size in bytes of the PAT and PMT at the start of a key frame in a transport stream. They are its Media
    /// Initialization Section, which the byte range of an I-frame must not include, and which clients find before it
    /// (RFC 8216bis, 4.4.3.6).
    private var tableSize: Int { initialization == nil && clearInitialization == nil ? 2 * 188 : 0 }

    /// The key frames that can be read independently, in order. Their total duration is that of the segments from the
    /// first key frame on.
    var iFrames: [IFrame] {
        var frames: [IFrame] = []
        for segment in segments {
            let hidden = segment.isProtected && protection?.scheme == .aes128
            guard !hidden, let first = segment.keyFrames.first else {
                // The previous frame remains on the screen.
                if !frames.isEmpty { frames[frames.count - 1].duration += segment.duration.seconds }
                continue
            }
            let start = segment.resource.byteRange?.lowerBound ?? 0
            let end = first.presentation.seconds + segment.duration.seconds
            for (index, frame) in segment.keyFrames.enumerated() {
                let next =
                    index + 1 < segment.keyFrames.count ? segment.keyFrames[index + 1].presentation.seconds : end
                let (begin, stop) = (start + frame.offset + tableSize, start + frame.offset + frame.size)
                frames.append(
                    IFrame(
                        resource: Resource(uri: segment.resource.uri, byteRange: begin..<max(begin, stop)),
                        duration: max(0, next - frame.presentation.seconds),
                        isProtected: segment.isProtected,
                        period: segment.period
                    )
                )
            }
        }
        return frames
    }
}
