// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The times of CoreMedia that AVFoundation's declarations use.

public import Foundation

public struct CMTime: Hashable, Sendable {
    public var value: Int64
    public var timescale: Int32
    private var kind = Kind.numeric
    private enum Kind { case numeric, invalid, indefinite }

    public init(value: Int64, timescale: Int32) { (self.value, self.timescale) = (value, timescale) }
    public init(seconds: Double, preferredTimescale: Int32) {
        (value, timescale) = (Int64((seconds * Double(preferredTimescale)).rounded()), preferredTimescale)
    }
    private init(_ kind: Kind) { (value, timescale, self.kind) = (0, 0, kind) }

    public static let zero = CMTime(value: 0, timescale: 1)
    public static let invalid = CMTime(.invalid)
    public static let indefinite = CMTime(.indefinite)

    public var seconds: Double { isNumeric && timescale != 0 ? Double(value) / Double(timescale) : .nan }
    public var isValid: Bool { kind != .invalid }
    public var isIndefinite: Bool { kind == .indefinite }
    public var isNumeric: Bool { kind == .numeric }
}

extension CMTime: Comparable {
    public static func < (left: CMTime, right: CMTime) -> Bool { left.seconds < right.seconds }
}

public struct CMTimeRange: Hashable, Sendable {
    public var start: CMTime
    public var duration: CMTime
    public init(start: CMTime, duration: CMTime) { (self.start, self.duration) = (start, duration) }
    public init(start: CMTime, end: CMTime) {
        let seconds = end.seconds - start.seconds
        self.init(start: start, duration: CMTime(seconds: seconds, preferredTimescale: 600))
    }
    public var end: CMTime { CMTime(seconds: start.seconds + duration.seconds, preferredTimescale: 600) }
}

// Foundation on Linux boxes no structures of other modules; a rectangle has enough room.
extension NSValue {
    public convenience init(timeRange: CMTimeRange) {
        self.init(rect: NSRect(x: timeRange.start.seconds, y: 0, width: timeRange.duration.seconds, height: 0))
    }
    public var timeRangeValue: CMTimeRange {
        CMTimeRange(
            start: CMTime(seconds: rectValue.origin.x, preferredTimescale: 600),
            duration: CMTime(seconds: rectValue.size.width, preferredTimescale: 600)
        )
    }
}
