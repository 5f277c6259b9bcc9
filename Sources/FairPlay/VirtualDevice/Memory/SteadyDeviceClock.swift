import Locking

/// A clock that never goes back, as a device with a secure clock has: when the system's is set back, it stands still until
/// the system's has caught up.
public final class SteadyDeviceClock: DeviceClock {
    private let system: any DeviceClock
    private let latest: Lock<Int64>

    /// Makes a clock that shows `latest` at least, in seconds since 1970.
    public init(_ system: any DeviceClock, latest: Int64) {
        self.system = system
        self.latest = Lock(latest)
    }

    /// Seconds since 1970.
    public var now: Int64 {
        let now = system.now
        return latest.withLock { latest in
            latest = max(latest, now)
            return latest
        }
    }
}
