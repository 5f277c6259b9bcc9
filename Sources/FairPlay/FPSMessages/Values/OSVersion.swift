/// The version of an operating system: a zero byte, then one byte each for major, minor and patch (Tables 3-3, 3-4,
/// 3-14).
public struct OSVersion: RawRepresentable, Hashable, Sendable {
    /// The number in the message, 4 bytes.
    public let rawValue: UInt32

    /// Creates a version from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a version from its parts.
    public init(_ major: UInt8, _ minor: UInt8 = 0, _ patch: UInt8 = 0) {
        rawValue = UInt32(major) << 16 | UInt32(minor) << 8 | UInt32(patch)
    }

    /// True if the version is plausible: the first byte is zero, and the major version is below 100. A damaged block
    /// can contain any number.
    public var isPlausible: Bool { rawValue >> 16 < 100 }

    /// Parses `major`, `major.minor` or `major.minor.patch`, with each part from 0 to 255. Returns nil for any other
    /// text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? UInt8($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }
}

extension OSVersion: Comparable, CustomStringConvertible {
    /// Compares the major, minor and patch versions, in this order.
    public static func < (left: OSVersion, right: OSVersion) -> Bool { left.rawValue < right.rawValue }

    /// The version in the form `major.minor.patch`.
    public var description: String { "\(rawValue >> 16 & 0xff).\(rawValue >> 8 & 0xff).\(rawValue & 0xff)" }
}
