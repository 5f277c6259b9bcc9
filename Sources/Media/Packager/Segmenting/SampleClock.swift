import MediaFormats

/// The presentation timeline of a track: what is needed for each sample, without the rest of the track.
struct SampleClock {
    /// The units per second.
    let timescale: UInt32
    /// The offset that is added to the times of samples.
    let offset: Int64
    /// True if the track is video, which is divided only at key frames.
    let isVideo: Bool

    init(_ track: MediaTrack) {
        timescale = track.timescale
        offset = track.timing.presentationOffset
        isVideo = track.kind == .video
    }

    /// Returns the presentation time of a sample.
    func presentation(_ sample: MediaSample) -> RationalTime {
        RationalTime(sample.presentationTime + offset, timescale: timescale)
    }

    /// Returns the decode time of a sample on the presentation timeline.
    func decode(_ sample: MediaSample) -> RationalTime {
        RationalTime(sample.decodeTime + offset, timescale: timescale)
    }
}

extension MediaTrack {
    /// Returns the presentation time of a sample.
    func presentation(_ sample: MediaSample) -> RationalTime {
        RationalTime(sample.presentationTime + timing.presentationOffset, timescale: timescale)
    }
}
