/// The samples of a track that make a media segment, complete: it is about to be written.
package struct MediaSegment: Sendable {
    /// Its number in its track, from 0.
    package var index: Int
    /// Its samples in decoding order; empty where a track has a gap.
    package var samples: [MediaSample]
    /// When it begins in the presentation: the cut, or the presentation time of the track's first sample.
    package var start: MediaTime
    /// When it ends in the presentation: the next cut, or the end of the track's last sample.
    package var end: MediaTime
    /// Whether its samples are to be encrypted. A clear lead is not, though its track has a key.
    package var isProtected: Bool

    /// Describes a segment.
    package init(index: Int, samples: [MediaSample], start: MediaTime, end: MediaTime, isProtected: Bool) {
        self.index = index
        self.samples = samples
        self.start = start
        self.end = end
        self.isProtected = isProtected
    }
}
