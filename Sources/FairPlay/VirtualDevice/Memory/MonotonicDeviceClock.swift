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
    public var now: Int64 { advance(to: .min) }

    /// The time of the system clock, in seconds since 1970. It may be earlier than ``now``.
    var systemTime: Int64 { system.now }

    /// Advances the clock to a time that another process has seen, and returns the time. An earlier time is ignored.
    @discardableResult
    func advance(to time: Int64) -> Int64 {
        let now = max(system.now, time)
        return latest.withLock { latest in
            latest = max(latest, now)
            return latest
        }
    }

    /// Sets the clock, also to an earlier time. Only ``FPSDevice/setClock(backTo:)`` permits this.
    func set(to time: Int64) { latest.withLock { $0 = time } }
}
