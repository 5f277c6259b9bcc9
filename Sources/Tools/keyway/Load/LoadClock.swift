import Foundation

/// The time of day.
enum LoadClock {
    /// In seconds since 1970.
    static var now: Double { Date().timeIntervalSince1970 }
}
