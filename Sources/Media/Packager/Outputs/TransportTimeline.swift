import MediaFormats

/// Times of a track in transport streams and packed audio: units of 1/90,000 second from an origin that is the same for
/// all renditions of a presentation, so that they stay together.
struct TransportTimeline: Sendable {
    /// What time 0 of the presentation is: 10 s, so that decode times and clocks before it are not negative.
    static let origin: Int64 = 900_000
    /// Units per second.
    static let timescale: UInt32 = 90_000
    /// How much earlier than an access unit is decoded the program clock arrives with its first byte: 0.7 s. Decoders
    /// hold at most a second of media (ISO/IEC 13818-1, 2.4.2.6).
    static let clockLead: Int64 = 63_000
    /// The greatest distance between two program clocks: 0.1 s (ISO/IEC 13818-1, 2.7.2).
    static let clockInterval: Int64 = 9000

    /// When an access unit is presented and decoded, on a line without end.
    struct Times: Hashable, Sendable {
        var presentation: Int64
        var decode: Int64
    }

    private let timescale: UInt32
    private let presentationOffset: Int64
    /// How much earlier everything is decoded than the input says, in the track's timescale: MP4 files may have samples
    /// that are presented before they are decoded, transport streams may not.
    private var decodeShift: Int64 = 0
    private var lastDecode: Int64?

    init(_ track: MediaTrack) {
        timescale = track.timescale
        presentationOffset = track.timing.presentationOffset
    }

    /// Prepares for a segment's samples.
    mutating func begin(_ samples: [MediaSample]) {
        for sample in samples { decodeShift = max(decodeShift, -Int64(sample.compositionOffset)) }
    }

    /// A time of the track on the presentation's line.
    func presentationTime(_ sample: MediaSample) -> MediaTime {
        MediaTime(sample.presentationTime &+ presentationOffset, timescale: timescale)
    }

    /// The next sample's times. Decode times grow, and none is later than the presentation time.
    mutating func next(_ sample: MediaSample) -> Times {
        let presentation = Self.timestamp(presentationTime(sample))
        let time = MediaTime(sample.decodeTime &+ presentationOffset &- decodeShift, timescale: timescale)
        var decode = Self.timestamp(time)
        // Where the shift has grown, the first decode times would lie before those of the segment before.
        if let lastDecode { decode = max(decode, lastDecode &+ 1) }
        decode = min(decode, presentation)
        lastDecode = decode
        return Times(presentation: presentation, decode: decode)
    }

    /// How long a sample lasts, in units of 1/90,000 second.
    func duration(_ sample: MediaSample) -> Int64 {
        MediaTime(Int64(sample.duration), timescale: timescale).converted(to: Self.timescale)
    }

    /// A time of the presentation in units of 1/90,000 second, the origin added.
    static func timestamp(_ time: MediaTime) -> Int64 { time.converted(to: timescale) &+ origin }

    /// A timestamp as PES headers and ID3 tags have it: modulo 2^33.
    static func wrapped(_ time: Int64) -> UInt64 { UInt64(bitPattern: time) & 0x1_FFFF_FFFF }

    /// The program clock that goes with what is decoded at `decode`, in units of 1/27,000,000 second.
    static func clock(_ decode: Int64) -> UInt64 { wrapped(decode &- clockLead) * 300 }
}
