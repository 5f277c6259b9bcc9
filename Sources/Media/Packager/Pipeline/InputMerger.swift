import MediaFormats

/// Reads several inputs in the order of their decode times, and lets them pass from one part to the next together.
///
/// When an input starts a new part, the others are read up to the end of the old part. An input that also starts a new
/// part there brings its own tracks and times. One that simply continues is divided at that time, and its times are
/// shifted.
struct InputMerger {
    /// An event of the inputs.
    enum Event {
        case sample(input: Int, track: Int, MediaSample)
        /// An input has ended.
        case end(input: Int)
        /// A new part starts; ``InputMerger/tracks`` describes it.
        case part(reason: String)
        /// A command of SCTE 35, with its time in the part.
        case splice(SpliceMarker)
        /// ID3 tags, with their time in the part.
        case metadata(TimedMetadata)
    }

    fileprivate struct Source {
        let input: any MediaInput
        /// The tracks, with times shifted to the part.
        var tracks: [MediaTrack] { didSet { clocks = tracks.map { SampleClock($0) } } }
        private(set) var clocks: [SampleClock]
        /// The times subtracted from the samples' times, by track.
        var shifts: [Int64]
        /// The time subtracted from the times of commands of SCTE 35.
        var shift = RationalTime.zero
        /// The decode time of its last sample, in the part.
        var reached = RationalTime(.min / 2, timescale: 1)
        /// The end of its samples in the part.
        var end = RationalTime.zero
        var hasEnded = false
        /// True if it has started its next part.
        var hasNewPart = false
        /// True if it continues in the next part.
        var continues = false
        /// The samples after the end of the part of another input, until it is known whether this input continues.
        var ahead: [(track: Int, sample: MediaSample)] = []
        /// The commands for times after the end of that part; if this input does not continue, they are lost with the part.
        var aheadMarkers: [SpliceMarker] = []
        /// Those of an input that does not continue: they belong to the old part.
        var released = Queue<(track: Int, sample: MediaSample)>()
        /// Those of an input that continues, to be read again.
        var repeated = Queue<InputEvent>()

        init(_ input: any MediaInput) {
            self.input = input
            tracks = input.tracks
            clocks = tracks.map { SampleClock($0) }
            shifts = input.tracks.map { _ in 0 }
        }

        var isWaiting: Bool { hasNewPart && released.isEmpty || continues }

        mutating func read() throws -> InputEvent? { try repeated.removeFirst() ?? input.next() }

        /// Shifts a sample to the part, and records its times.
        mutating func pass(_ track: Int, _ sample: inout MediaSample) {
            let clock = clocks[track]
            // A picture that is decoded longer before it is presented than the first one would have a negative time.
            sample.decodeTime = max(0, sample.decodeTime - shifts[track])
            reached = clock.decode(sample)
            var sampleEnd = clock.presentation(sample)
            sampleEnd.value += Int64(sample.duration)
            end = max(end, sampleEnd)
        }

        mutating func release() {
            for held in ahead { released.append(held) }
            ahead = []
        }

        /// Reads the samples that are after the splice again.
        mutating func rewind() {
            var queue = Queue<InputEvent>()
            for marker in aheadMarkers { queue.append(.splice(marker)) }
            for held in ahead { queue.append(.sample(track: held.track, held.sample)) }
            while let event = repeated.removeFirst() { queue.append(event) }
            (repeated, ahead, aheadMarkers, continues) = (queue, [], [], false)
        }
    }

    /// The duration for which an input is read after another one has started a part, to find out whether it also does:
    /// two seconds.
    private static let tolerance: Int64 = 2
    /// The maximum number of commands of SCTE 35 that are held during that time.
    private static let maximumMarkers = 256

    private var sources: [Source]
    /// The end of the current part and the reason for the next one; nil if no input has started its next part.
    private var splice: (time: RationalTime, reason: String)?
    private let reopen: (() throws -> [any MediaInput]?)?

    /// - Parameter reopen: Called when all inputs have ended; returns the inputs with which the presentation continues,
    ///   in the same order, or nil to end it.
    init(_ inputs: [any MediaInput], reopen: (() throws -> [any MediaInput]?)? = nil) {
        sources = inputs.map { Source($0) }
        self.reopen = reopen
    }

    /// The inputs.
    var inputs: [any MediaInput] { sources.map(\.input) }

    /// The tracks of each input in the current part.
    var tracks: [[MediaTrack]] { sources.map { $0.hasEnded ? [] : $0.tracks } }

    /// Returns the next event; nil when all inputs have ended.
    ///
    /// - Throws: ``InputFailure``, ``FileError``.
    mutating func next() throws -> Event? {
        while true {
            guard let index = nextSource() else {
                guard let splice else {
                    guard let inputs = try reopen?() else { return nil }
                    sources = inputs.map { Source($0) }
                    return .part(reason: "the inputs were opened again")
                }
                beginPart(splice.time)
                return .part(reason: splice.reason)
            }
            if var held = sources[index].released.removeFirst() {
                sources[index].pass(held.track, &held.sample)
                return .sample(input: index, track: held.track, held.sample)
            }
            switch try sources[index].read() {
            case nil:
                guard sources[index].ahead.isEmpty else {
                    sources[index].release()
                    continue
                }
                sources[index].hasEnded = true
                return .end(input: index)
            case .part(let reason):
                sources[index].release()
                sources[index].hasNewPart = true
                if splice == nil { splice = (sources[index].end, reason) }
            case .metadata(var metadata):
                metadata.time = RationalTime.difference(metadata.time, sources[index].shift)
                return .metadata(metadata)
            case .splice(let marker):
                var shifted = marker
                shifted.time = RationalTime.difference(marker.time, sources[index].shift)
                guard let splice, shifted.time >= splice.time else { return .splice(shifted) }
                if sources[index].aheadMarkers.count < Self.maximumMarkers {
                    sources[index].aheadMarkers.append(marker)
                }
            case .sample(let track, var sample):
                guard let splice, isAhead(track, index) || isAfter(splice.time, sample, track, index) else {
                    sources[index].pass(track, &sample)
                    return .sample(input: index, track: track, sample)
                }
                sources[index].ahead.append((track, sample))
                var limit = splice.time
                limit.value += Self.tolerance * Int64(limit.timescale)
                sources[index].continues = isAfter(limit, sample, track, index)
            }
        }
    }

    /// Returns the input to read: the one whose last sample has the earliest decode time.
    private func nextSource() -> Int? {
        var first: Int?
        for index in sources.indices where !sources[index].hasEnded && !(splice != nil && sources[index].isWaiting) {
            if !sources[index].released.isEmpty { return index }
            if let other = first, sources[other].reached <= sources[index].reached { continue }
            first = index
        }
        return first
    }

    private func isAhead(_ track: Int, _ index: Int) -> Bool { sources[index].ahead.contains { $0.track == track } }

    /// Returns whether a sample of an input that continues belongs to the next part. Video is divided at key frames.
    private func isAfter(_ time: RationalTime, _ sample: MediaSample, _ track: Int, _ index: Int) -> Bool {
        let clock = sources[index].clocks[track]
        guard !clock.isVideo || sample.isSync else { return false }
        var start = clock.presentation(sample)
        start.value -= sources[index].shifts[track]
        return start >= time
    }

    private mutating func beginPart(_ time: RationalTime) {
        for index in sources.indices where !sources[index].hasEnded {
            if sources[index].hasNewPart {
                sources[index] = Source(sources[index].input)
            } else {
                sources[index].shift(by: time)
                sources[index].rewind()
            }
            sources[index].reached = RationalTime(.min / 2, timescale: 1)
        }
        splice = nil
    }
}

extension InputMerger.Source {
    /// Moves the start of the timeline to a time.
    fileprivate mutating func shift(by time: RationalTime) {
        end = .zero
        shift = RationalTime(time.value &+ shift.converted(to: time.timescale), timescale: time.timescale)
        for track in tracks.indices {
            let timing = tracks[track].timing
            // The decode times remain positive: a key frame is decoded at most this long before it is presented.
            let moved = TrackTiming(timescale: timing.timescale, mediaTime: timing.mediaTime, delay: 0)
            let offset = timing.presentationOffset - moved.presentationOffset
            shifts[track] += time.converted(to: tracks[track].timescale) - offset
            tracks[track].timing = moved
        }
    }
}
