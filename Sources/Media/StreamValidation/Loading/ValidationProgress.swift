import Locking

/// The progress of loading a presentation.
public struct ValidationProgress: Hashable, Sendable {
    /// The number of segments that were loaded, or could not be.
    public var segments = 0
    /// The number of segments to load in the Media Playlists that were loaded so far.
    public var allSegments = 0
    /// The number of bytes of segments that were loaded.
    public var byteCount: UInt64 = 0
    /// The number of seconds of media that were loaded, by EXTINF, over all Media Playlists.
    public var seconds = 0.0
    /// The number of seconds of media to load in the Media Playlists that were loaded so far.
    public var allSeconds = 0.0

    /// Creates the progress before anything was loaded.
    public init() {}

    /// The share of the media that was loaded, 0 to 1.
    public var fraction: Double { allSeconds > 0 ? min(1, seconds / allSeconds) : 0 }
}

/// The progress of a validation, shared by the tasks that load its Media Playlists.
final class ProgressTally: Sendable {
    private let state = Lock(ValidationProgress())
    private let byteLimit: UInt64?
    private let report: (@Sendable (ValidationProgress) -> Void)?

    init(byteLimit: UInt64?, report: (@Sendable (ValidationProgress) -> Void)?) {
        (self.byteLimit, self.report) = (byteLimit, report)
    }

    /// True if as many bytes were loaded as the validation may load.
    var isAtLimit: Bool { byteLimit.map { limit in state.withLock { $0.byteCount >= limit } } ?? false }

    /// Adds segments that will be loaded.
    func plan(_ count: Int, seconds: Double) {
        state.withLock { state in
            state.allSegments += count
            state.allSeconds += seconds
        }
    }

    /// Adds a segment that was loaded, or could not be.
    func add(seconds: Double, byteCount: Int) {
        let progress = state.withLock { state in
            state.segments += 1
            state.seconds += seconds
            state.byteCount += UInt64(byteCount)
            return state
        }
        report?(progress)
    }
}
