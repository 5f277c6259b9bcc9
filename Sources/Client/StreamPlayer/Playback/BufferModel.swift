/// What is loaded and where playback is: a value that is told what happens, by a clock that is not its own.
///
///     var buffer = BufferModel(position: place.time)
///     buffer.segmentAdded(start: segment.start, duration: segment.duration, now: clock.now)   // [.started(…)]
///     buffer.timePassed(now: clock.now)                                                       // [], [.stalled(…)]
///
/// Playback starts when `startThreshold` is loaded, stops when nothing is left, and goes on when `resumeThreshold` is
/// loaded, or all that there is. Segments are told in the order of the timeline: a hole between two stretches that are
/// loaded, as EXT-X-GAP leaves it, is taken to stay, and jumped over.
///
/// Moments are durations since one fixed moment; one before the last counts as the last.
public struct BufferModel: Sendable {
    /// When playback starts and goes on, in seconds of media.
    public struct Settings: Hashable, Sendable {
        /// How much is loaded before playback starts, at first and after a seek.
        public var startThreshold: Double
        /// How much is loaded before playback goes on after a stall.
        public var resumeThreshold: Double
        /// The longest hole that is none: durations in playlists are rounded.
        public var joinTolerance: Double

        /// Makes settings, in seconds.
        public init(startThreshold: Double = 2, resumeThreshold: Double = 4, joinTolerance: Double = 0.25) {
            self.startThreshold = startThreshold
            self.resumeThreshold = resumeThreshold
            self.joinTolerance = joinTolerance
        }
    }

    /// What playback is doing.
    public enum State: Hashable, Sendable {
        /// It has not started yet, or there was a seek.
        case starting
        /// The position moves, unless it is paused.
        case playing
        /// Nothing was left.
        case stalled
        /// All was played.
        case ended
    }

    /// What has changed.
    public enum Transition: Hashable, Sendable {
        /// Playback starts at a position, after waiting so long.
        case started(position: Double, waited: Duration)
        /// Nothing is left since a moment.
        case stalled(position: Double, at: Duration)
        /// Playback goes on after a stall that was so long, pauses not counted.
        case resumed(position: Double, stalledFor: Duration)
        /// A hole was jumped over.
        case jumped(from: Double, to: Double)
        /// All was played.
        case ended(position: Double)
    }

    /// The stalls so far.
    public struct Stalls: Hashable, Sendable {
        /// How many; starts and seeks are none.
        public internal(set) var count = 0
        /// Their length together, that of one that lasts still included, pauses not.
        public internal(set) var total = Duration.zero
    }

    /// When playback starts and goes on.
    public let settings: Settings
    /// What playback is doing.
    public private(set) var state = State.starting
    /// Whether it is paused; a start waits for its end.
    public private(set) var isPaused = false
    /// What is shown, in seconds on the timeline.
    public private(set) var position: Double
    /// The stalls so far.
    public private(set) var stalls = Stalls()
    /// Whether no segment will be added.
    public private(set) var isComplete = false

    /// What is loaded and not played, in order, none touching another.
    private var loaded: [Stretch] = []
    private var last: Duration
    /// The length of the stall or the wait so far.
    private var waited = Duration.zero

    private struct Stretch {
        var start: Double
        var end: Double
    }

    /// Makes an empty buffer; `position` is in seconds.
    public init(position: Double = 0, settings: Settings = Settings(), now: Duration = .zero) {
        self.position = position.isFinite ? position : 0
        self.settings = settings
        last = now
    }

    /// The seconds that are loaded ahead of the position, without a hole.
    public var ahead: Double {
        guard let first = loaded.first, first.start <= position + settings.joinTolerance else { return 0 }
        return max(first.end - position, 0)
    }

    /// All seconds that are loaded and not played, behind holes too.
    public var total: Double { loaded.reduce(0) { $0 + max($1.end - max($1.start, position), 0) } }

    /// The end of all that is loaded, in seconds; the position when nothing is.
    public var loadedEnd: Double { max(loaded.last?.end ?? position, position) }

    // MARK: Events

    /// Takes in a segment. One that is played already, or loaded already, changes nothing; neither does one whose place
    /// is no number.
    public mutating func segmentAdded(start: Double, duration: Double, now: Duration) -> [Transition] {
        var result = pass(now)
        if start.isFinite, duration > 0 {
            insert(Stretch(start: start, end: start + min(duration, MediaTime.longest)))
        }
        result += settle()
        return result
    }

    /// Lets time pass.
    public mutating func timePassed(now: Duration) -> [Transition] { pass(now) + settle() }

    /// Holds the picture, or lets it go on.
    public mutating func setPaused(_ paused: Bool, now: Duration) -> [Transition] {
        let result = pass(now)
        isPaused = paused
        return result + settle()
    }

    /// Tells whether segments are still to come: none after the last of a playlist that has ended.
    public mutating func setComplete(_ complete: Bool, now: Duration) -> [Transition] {
        let result = pass(now)
        isComplete = complete
        return result + settle()
    }

    /// Goes to another place. What is loaded there stays; all else is dropped.
    public mutating func seek(to time: Double, now: Duration) -> [Transition] {
        let result = pass(now)
        guard time.isFinite else { return result }
        let kept = loaded.first { $0.start <= time + settings.joinTolerance && time < $0.end }
        loaded = kept.map { [$0] } ?? []
        position = time
        state = .starting
        waited = .zero
        isComplete = false
        return result + settle()
    }
}

extension BufferModel {
    /// Moves the position, or counts the wait.
    private mutating func pass(_ now: Duration) -> [Transition] {
        guard now > last else { return [] }
        var result: [Transition] = []
        var left = now - last
        last = now
        guard !isPaused else { return [] }
        if state == .playing {
            // Each round uses up a stretch or the time.
            while left > .zero, state == .playing {
                let ahead = ahead
                let step = min(MediaTime.seconds(left), ahead)
                position += step
                left = max(left - MediaTime.duration(step), .zero)
                guard step == ahead else { break }
                result += runDry(at: now - left)
            }
        }
        if state == .starting || state == .stalled { waited += left }
        if state == .stalled { stalls.total += left }
        drop()
        return result
    }

    /// What comes after the end of a stretch.
    private mutating func runDry(at moment: Duration) -> [Transition] {
        drop()
        if let next = loaded.first {
            guard next.start > position + settings.joinTolerance else { return [] }
            let from = position
            position = next.start
            return [.jumped(from: from, to: position)]
        }
        if isComplete {
            state = .ended
            return [.ended(position: position)]
        }
        state = .stalled
        stalls.count += 1
        return [.stalled(position: position, at: moment)]
    }

    /// Starts, goes on or ends, if it is time.
    private mutating func settle() -> [Transition] {
        drop()
        var result: [Transition] = []
        if state == .ended, !loaded.isEmpty { state = .starting }
        guard state == .starting || state == .stalled, !isPaused else { return result }
        if let first = loaded.first, first.start > position + settings.joinTolerance, isWorthJumping {
            result.append(.jumped(from: position, to: first.start))
            position = first.start
        }
        let threshold = state == .starting ? settings.startThreshold : settings.resumeThreshold
        if ahead > 0, ahead >= threshold || isComplete || loaded.count > 1 {
            let length = waited
            result.append(
                state == .starting
                    ? .started(position: position, waited: length) : .resumed(position: position, stalledFor: length)
            )
            state = .playing
            waited = .zero
        } else if loaded.isEmpty, isComplete {
            state = .ended
            result.append(.ended(position: position))
        }
        return result
    }

    /// Segments are loaded in order: what is loaded behind a hole shows that the hole will not be filled.
    private var isWorthJumping: Bool { total >= settings.startThreshold || isComplete }

    private mutating func drop() {
        loaded.removeAll { $0.end <= position }
    }

    private mutating func insert(_ new: Stretch) {
        guard new.end > position else { return }
        var merged = new
        loaded.removeAll { old in
            guard old.start <= merged.end + settings.joinTolerance, merged.start <= old.end + settings.joinTolerance
            else { return false }
            merged.start = min(merged.start, old.start)
            merged.end = max(merged.end, old.end)
            return true
        }
        loaded.insert(merged, at: loaded.firstIndex { $0.start > merged.start } ?? loaded.endIndex)
    }
}
