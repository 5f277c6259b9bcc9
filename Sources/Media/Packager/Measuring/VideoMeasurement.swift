/// The properties of a rendition that are measured while its segments are written.
struct VideoMeasurement: Sendable {
    private var frameRates: FrameRateMeter?
    private var scanner: ClosedCaptionScanner?
    /// The frame rates of the parts before the current one: the number of frames, their duration, and the maximum.
    private var earlier: (count: Int, seconds: Double, maximum: Double?) = (0, 0, nil)

    /// Starts a measurement. Nothing is measured of a track that is not video.
    init(_ track: MediaTrack) { begin(track) }

    /// Continues with the track of another part.
    mutating func begin(_ track: MediaTrack) {
        if let frameRates {
            earlier.count += frameRates.count
            earlier.seconds += frameRates.seconds
            earlier.maximum = maximum
        }
        guard track.kind == .video else { return }
        frameRates = FrameRateMeter(timescale: track.timescale)
        scanner = ClosedCaptionScanner(track, found: scanner?.captions ?? ClosedCaptions())
    }

    /// Adds the samples of a segment.
    mutating func add(_ samples: [MediaSample]) {
        for sample in samples { frameRates?.append(sample.duration) }
        scanner?.scan(samples)
    }

    /// Sets the measured properties of a rendition.
    func describe(_ rendition: inout Rendition) {
        guard let frameRates else { return }
        rendition.frameRate = maximum
        let seconds = earlier.seconds + frameRates.seconds
        rendition.averageFrameRate = seconds > 0 ? Double(earlier.count + frameRates.count) / seconds : nil
        rendition.captions = scanner?.captions
    }

    private var maximum: Double? { [earlier.maximum, frameRates?.maximum].compactMap(\.self).max() }
}
