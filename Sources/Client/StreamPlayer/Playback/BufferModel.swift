import HLSPlaylist

/// A model of the loaded media and the playback position: a value whose events carry the time.
///
///     var buffer = BufferModel(position: place.time)
///     buffer.segmentAdded(start: segment.start, duration: segment.duration, now: clock.now)   // [.started(…)]
///     buffer.timePassed(now: clock.now)                                                       // [], [.stalled(…)]
///
/// Playback starts when `startThreshold` is loaded, stalls when the buffer is empty, and resumes when `resumeThreshold`
/// or all remaining media is loaded. Segments are added in timeline order: a gap between two loaded ranges, such as
/// EXT-X-GAP, is treated as permanent and skipped.
///
/// Times are durations since a fixed start; a time before the previous one counts as the previous one.
public struct BufferModel: Sendable {
    /// The thresholds for playback, in seconds of media.
    public struct Settings: Hashable, Sendable {
        /// The media to load before playback starts, initially and after a seek.
        public var startThreshold: Double
        /// The media to load before playback resumes after a stall.
        public var resumeThreshold: Double
        /// The longest gap that is ignored, because durations in playlists are rounded.
        public var joinTolerance: Double

        /// Creates settings, in seconds.
        public init(startThreshold: Double = 2, resumeThreshold: Double = 4, joinTolerance: Double = 0.25) {
            self.startThreshold = startThreshold
            self.resumeThreshold = resumeThreshold
            self.joinTolerance = joinTolerance
        }
    }

    /// The state of playback.
    public enum State: Hashable, Sendable {
        /// Playback has not started, or a seek has occurred.
        case starting
        /// The position advances, unless playback is paused.
        case playing
        /// The buffer is empty.
        case stalled
        /// All media has been played.
        case ended
    }

    /// A change of the state.
    public enum Transition: Hashable, Sendable {
        /// Playback starts at a position, after a wait.
        case started(position: Double, waited: Duration)
        /// The buffer became empty at a time.
        case stalled(position: Double, at: Duration)
        /// Playback resumes after a stall of this duration, without pauses.
        case resumed(position: Double, stalledFor: Duration)
        /// A gap was skipped.
        case jumped(from: Double, to: Double)
        /// All media has been played.
        case ended(position: Double)
    }

    /// The stalls of playback.
    public struct Stalls: Hashable, Sendable {
        /// The number of stalls, without starts and seeks.
        public internal(set) var count = 0
        /// The total duration of stalls, including the current one, without pauses.
        public internal(set) var total = Duration.zero
    }

    /// The thresholds for playback.
    public let settings: Settings
    /// The state of playback.
    public private(set) var state = State.starting
    /// True if playback is paused; a start waits until it is not.
    public private(set) var isPaused = false
    /// The current playback position, in seconds on the timeline.
    public private(set) var position: Double
    /// The stalls of playback.
    public private(set) var stalls = Stalls()
    /// True if all segments have been added.
    public private(set) var isComplete = false

    /// The loaded ranges that are not played, in order and separate.
    private var loaded: [LoadedRange] = []
    private var last: Duration
    /// The duration of the current stall or wait.
    private var waited = Duration.zero

    private struct LoadedRange {
        var start: Double
        var end: Double
    }

    /// Creates an empty buffer; `position` is in seconds.
    public init(position: Double = 0, settings: Settings = Settings(), now: Duration = .zero) {
        self.position = position.isFinite ? position : 0
        self.settings = settings
        last = now
    }

    /// The seconds loaded ahead of the position, up to the first gap.
    public var ahead: Double {
        guard let first = loaded.first, first.start <= position + settings.joinTolerance else { return 0 }
        return max(first.end - position, 0)
    }

    /// The seconds loaded and not played, including those after gaps.
    public var total: Double { loaded.reduce(0) { $0 + max($1.end - max($1.start, position), 0) } }

    /// The end of the loaded media, in seconds; the position if nothing is loaded.
    public var loadedEnd: Double { max(loaded.last?.end ?? position, position) }

    // MARK: Events

    /// Adds a segment. A segment that is already played or loaded, or whose position is not a number, has no effect.
    public mutating func segmentAdded(start: Double, duration: Double, now: Duration) -> [Transition] {
        var result = advance(to: now)
        if start.isFinite, duration > 0 {
            insert(LoadedRange(start: start, end: start + min(duration, PlaybackTime.maximum)))
        }
        result += updateState()
        return result
    }

    /// Advances the time.
    public mutating func timePassed(now: Duration) -> [Transition] { advance(to: now) + updateState() }

    /// Pauses or resumes playback.
    public mutating func setPaused(_ paused: Bool, now: Duration) -> [Transition] {
        let result = advance(to: now)
        isPaused = paused
        return result + updateState()
    }

    /// Sets whether all segments have been added: true after the last segment of a playlist that has ended.
    public mutating func setComplete(_ complete: Bool, now: Duration) -> [Transition] {
        let result = advance(to: now)
        isComplete = complete
        return result + updateState()
    }

    /// Seeks to another time. Media loaded there is kept; all other media is dropped.
    public mutating func seek(to time: Double, now: Duration) -> [Transition] {
        let result = advance(to: now)
        guard time.isFinite else { return result }
        let kept = loaded.first { $0.start <= time + settings.joinTolerance && time < $0.end }
        loaded = kept.map { [$0] } ?? []
        position = time
        state = .starting
        waited = .zero
        isComplete = false
        return result + updateState()
    }
}

extension BufferModel {
    /// Advances the position, or the duration of the wait.
    private mutating func advance(to now: Duration) -> [Transition] {
        guard now > last else { return [] }
        var result: [Transition] = []
        var left = now - last
        last = now
        guard !isPaused else { return [] }
        if state == .playing {
            // Each iteration consumes a range or the remaining time.
            while left > .zero, state == .playing {
                let ahead = ahead
                let step = min(PlaybackTime.seconds(left), ahead)
                position += step
                left = max(left - PlaybackTime.duration(step), .zero)
                guard step == ahead else { break }
                result += endLoadedRange(at: now - left)
            }
        }
        if state == .starting || state == .stalled { waited += left }
        if state == .stalled { stalls.total += left }
        removePlayed()
        return result
    }

    /// Handles the end of a loaded range.
    private mutating func endLoadedRange(at moment: Duration) -> [Transition] {
        removePlayed()
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

    /// Starts, resumes or ends playback if the conditions are met.
    private mutating func updateState() -> [Transition] {
        removePlayed()
        var result: [Transition] = []
        if state == .ended, !loaded.isEmpty { state = .starting }
        guard state == .starting || state == .stalled, !isPaused else { return result }
        if let first = loaded.first, first.start > position + settings.joinTolerance, canSkipGap {
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

    /// True if to skip a gap. Segments are loaded in order, so media loaded after a gap shows that the gap will not be
    /// filled.
    private var canSkipGap: Bool { total >= settings.startThreshold || isComplete }

    private mutating func removePlayed() {
        loaded.removeAll { $0.end <= position }
    }

    private mutating func insert(_ new: LoadedRange) {
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
