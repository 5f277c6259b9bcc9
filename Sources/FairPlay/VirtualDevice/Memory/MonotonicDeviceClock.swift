import Locking

/// A clock that never goes back, like a device's secure clock: if the system clock is set back, this clock stops until
/// the system clock has reached its time again.
public final class MonotonicDeviceClock: DeviceClock {
    private let system: any DeviceClock
    private let latest: Lock<Int64>

    /// Creates a clock whose time is at least `latest`, in seconds since 1970.
    public init(_ system: any DeviceClock, latest: Int64) {
        self.system = system
        self.latest = Lock(latest)
    }

    /// The time in seconds since 1970.
    public var now: Int64 {
        let now = system.now
        return latest.withLock { latest in
            latest = max(latest, now)
            return latest
        }
    }
}
