internal import Foundation
import Locking

/// What a device takes for the time. It trusts its clock, as a device with a secure clock may.
public protocol DeviceClock: Sendable {
    /// Seconds since 1 January 1970, UTC.
    var now: Int64 { get }
}

/// The system's clock.
public struct SystemDeviceClock: DeviceClock {
    /// Makes the clock.
    public init() {}

    /// Seconds since 1970, rounded down.
    public var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// A clock that stands still until a test moves it.
public final class ManualDeviceClock: DeviceClock {
    private let time: Lock<Int64>

    /// Makes a clock that shows `now`, in seconds since 1970.
    public init(now: Int64) { time = Lock(now) }

    /// The time that was set, in seconds since 1970.
    public var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Moves the clock by `seconds`, backwards if that is negative.
    public func advance(by seconds: Int64) { time.withLock { $0 &+= seconds } }
}
