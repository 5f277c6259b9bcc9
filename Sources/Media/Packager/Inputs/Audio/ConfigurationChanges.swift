/// Distinguishes changes of an audio stream's configuration from damaged frames: the first frames of a new configuration
/// wait until there are enough of them. A value type without I/O.
struct ConfigurationChanges<Frame> {
    /// The number of consecutive frames that confirm a configuration.
    private static var requiredFrames: Int { 3 }

    private var identity: UInt64?
    private var candidate: UInt64?
    private var waiting: [Frame] = []
    /// The number of the current configuration, from 1.
    private(set) var number = 0
    /// The number of frames that were dropped as damaged.
    private(set) var droppedCount = 0

    /// Adds the next frame.
    ///
    /// - Parameter identity: Its configuration.
    /// - Returns: The frames that are confirmed, all of which have the current configuration.
    mutating func add(_ frame: Frame, identity new: UInt64) -> [Frame] {
        if identity == nil { (identity, number) = (new, 1) }
        if new == identity {
            drop()
            return [frame]
        }
        if new != candidate { drop() }
        candidate = new
        waiting.append(frame)
        guard waiting.count == Self.requiredFrames else { return [] }
        identity = new
        return confirm()
    }

    /// Returns the frames that still wait at the end of the stream. A single one is regarded as damaged.
    mutating func finish() -> [Frame] {
        if waiting.count > 1 { return confirm() }
        drop()
        return []
    }

    private mutating func confirm() -> [Frame] {
        number += 1
        defer { (waiting, candidate) = ([], nil) }
        return waiting
    }

    private mutating func drop() {
        droppedCount += waiting.count
        (waiting, candidate) = ([], nil)
    }
}
