/// The samples of a complete media segment that is about to be written.
package struct TrackSegment: Sendable {
    /// The index of the segment in its track, from 0.
    package var index: Int
    /// The samples in decoding order; empty in a gap of the track.
    package var samples: [MediaSample]
    /// The start time in the presentation: the cut, or the presentation time of the track's first sample.
    package var start: RationalTime
    /// The end time in the presentation: the next cut, or the end of the track's last sample.
    package var end: RationalTime
    /// True if its samples are to be encrypted. In a clear lead they are not, although the track has a key.
    package var isProtected: Bool

    /// Creates a segment.
    package init(index: Int, samples: [MediaSample], start: RationalTime, end: RationalTime, isProtected: Bool) {
        self.index = index
        self.samples = samples
        self.start = start
        self.end = end
        self.isProtected = isProtected
    }
}
