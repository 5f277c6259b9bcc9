import MediaFormats

/// The timestamps of a track in transport streams and packed audio: units of 1/90,000 second from an origin that is the
/// same for all renditions of a presentation, so that they stay in sync.
struct TransportTimeline: Sendable {
    /// The timestamp of presentation time 0: 10 s, so that earlier decode times and clocks are not negative.
    static let origin: Int64 = 900_000
    /// The number of units per second.
    static let timescale: UInt32 = 90_000
    /// The difference between the decode time of an access unit and the program clock at its first byte: 0.7 s.
    /// Decoders buffer at most one second of media (ISO/IEC 13818-1, 2.4.2.6).
    static let clockLead: Int64 = 63_000
    /// The maximum interval between program clocks: 0.1 s (ISO/IEC 13818-1, 2.7.2).
    static let clockInterval: Int64 = 9000

    /// The presentation time and the decode time of an access unit, without wraparound.
    struct Times: Hashable, Sendable {
        var presentation: Int64
        var decode: Int64
    }

    private let timescale: UInt32
    private let presentationOffset: Int64
    /// The amount by which decode times are earlier than in the input, in the track's timescale: in MP4 files, samples
    /// may be presented before they are decoded; in transport streams they must not.
    private var decodeShift: Int64 = 0
    private var lastDecode: Int64?

    init(_ track: MediaTrack) {
        timescale = track.timescale
        presentationOffset = track.timing.presentationOffset
    }

    /// Adapts the decode time shift to the samples of a segment.
    mutating func begin(_ samples: [MediaSample]) {
        for sample in samples { decodeShift = max(decodeShift, -Int64(sample.compositionOffset)) }
    }

    /// Returns the presentation time of a sample in the presentation.
    func presentationTime(_ sample: MediaSample) -> RationalTime {
        RationalTime(sample.presentationTime &+ presentationOffset, timescale: timescale)
    }

    /// Returns the times of the next sample. Decode times increase, and none is later than the presentation time.
    mutating func next(_ sample: MediaSample) -> Times {
        let presentation = Self.timestamp(presentationTime(sample))
        let time = RationalTime(sample.decodeTime &+ presentationOffset &- decodeShift, timescale: timescale)
        var decode = Self.timestamp(time)
        // If the shift has increased, the first decode times would be before those of the previous segment.
        if let lastDecode { decode = max(decode, lastDecode &+ 1) }
        decode = min(decode, presentation)
        lastDecode = decode
        return Times(presentation: presentation, decode: decode)
    }

    /// Returns the duration of a sample in units of 1/90,000 second.
    func duration(_ sample: MediaSample) -> Int64 {
        RationalTime(Int64(sample.duration), timescale: timescale).converted(to: Self.timescale)
    }

    /// Converts a presentation time to units of 1/90,000 second and adds the origin.
    static func timestamp(_ time: RationalTime) -> Int64 { time.converted(to: timescale) &+ origin }

    /// Returns a timestamp modulo 2^33, as in PES headers and ID3 tags.
    static func wrapped(_ time: Int64) -> UInt64 { UInt64(bitPattern: time) & 0x1_FFFF_FFFF }

    /// Returns the program clock reference for a decode time, in units of 1/27,000,000 second.
    static func clock(_ decode: Int64) -> UInt64 { wrapped(decode &- clockLead) * 300 }
}
