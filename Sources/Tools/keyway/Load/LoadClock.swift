import Foundation

/// The current time.
enum LoadClock {
    /// The current time, in seconds since 1970.
    static var now: Double { Date().timeIntervalSince1970 }
}
