import MediaFormats

/// A part of a transport stream: its timeline, and how the streams recognize that it has started.
final class TransportPart {
    /// The start of the part.
    struct Splice {
        /// The reason, for messages.
        var reason: String
        /// The jump of the timestamps in units of 1/90,000 second; nil if they do not jump.
        var difference: Int64?
        /// The time on the timeline of the previous part at which the part starts; nil while it is unknown.
        var time: Int64?
        /// The number of the program map with which the part starts; nil if the map is the same.
        var mapCount: Int?
    }

    /// The number, from 0.
    let number: Int
    let splice: Splice
    let clock: ProgramClock
    /// The streams of the program map, in order, without those that cannot be packaged.
    let streams: [any ElementaryStream]
    /// The entries of the streams in the program map.
    let entries: [ProgramMapTable.Stream]
    /// The time of the splice if it was unknown at first.
    private(set) var time: Int64?
    /// The tracks, once all streams are identified, and their sections.
    private(set) var tracks: [MediaTrack] = []
    private(set) var sources: [(stream: any ElementaryStream, section: any StreamSection)] = []
    private(set) var isDescribed = false
    /// The start of the part on its timeline, once the tracks are known.
    private(set) var origin: Int64 = 0
    /// The earliest and the latest decode time so far.
    private(set) var first: Int64?
    private(set) var latest = Int64.min / 2

    init(_ number: Int, _ splice: Splice, streams: [any ElementaryStream], entries: [ProgramMapTable.Stream]) {
        self.number = number
        self.splice = splice
        self.streams = streams
        self.entries = entries
        time = splice.time
        clock = ProgramClock(alignsStreams: number > 0)
    }

    /// Moves the first waiting frame of a stream to the part.
    func accept(_ stream: any ElementaryStream) {
        stream.accept(in: number, clock)
        guard let last = stream.section(number)?.lastDecodeTime else { return }
        first = min(first ?? last, last)
        latest = max(latest, last)
    }

    /// Sets the time of the splice.
    func begin(at time: Int64?) { self.time = self.time ?? time }

    /// The duration of the frames so far.
    var duration: Int64 { first.map { latest - $0 } ?? 0 }

    /// The size of the buffered samples in bytes.
    var bufferedBytes: Int { streams.reduce(0) { $0 + ($1.section(number)?.bufferedBytes ?? 0) } }

    /// Creates the tracks of the streams that are identified.
    ///
    /// - Returns: The streams that are not; they are skipped in this part.
    func describe() throws -> [any ElementaryStream] {
        isDescribed = true
        let origin = streams.compactMap { $0.section(number)?.firstPresentation }.min()
        self.origin = origin ?? 0
        var silent: [any ElementaryStream] = []
        for (stream, entry) in zip(streams, entries) {
            guard let origin, let section = stream.section(number), section.firstPresentation != nil else {
                silent.append(stream)
                continue
            }
            let track = try section.makeTrack(origin: origin, language: entry.language)
            tracks.append(track.described(by: entry.descriptors))
            sources.append((stream, section))
        }
        return silent
    }
}
