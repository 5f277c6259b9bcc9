internal import Foundation
import Locking

/// The clock of a device. The device trusts its clock, like a device with a secure clock.
public protocol DeviceClock: Sendable {
    /// The time in seconds since 1 January 1970, UTC.
    var now: Int64 { get }
}

/// The system's clock.
public struct SystemDeviceClock: DeviceClock {
    /// Creates the clock.
    public init() {}

    /// The time in seconds since 1970, rounded down.
    public var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// A clock that changes only when a test advances it.
public final class ManualDeviceClock: DeviceClock {
    private let time: Lock<Int64>

    /// Creates a clock with the time `now`, in seconds since 1970.
    public init(now: Int64) { time = Lock(now) }

    /// The time of the clock, in seconds since 1970.
    public var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Advances the clock by `seconds`, or sets it back if `seconds` is negative.
    public func advance(by seconds: Int64) { time.withLock { $0 &+= seconds } }
}
