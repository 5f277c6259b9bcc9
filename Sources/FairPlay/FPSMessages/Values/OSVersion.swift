/// An operating system's version: a zero byte, then one byte each of major, minor and patch (Tables 3-3, 3-4, 3-14).
public struct OSVersion: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, 4 bytes.
    public let rawValue: UInt32

    /// Makes a version from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes a version from its parts.
    public init(_ major: UInt8, _ minor: UInt8 = 0, _ patch: UInt8 = 0) {
        rawValue = UInt32(major) << 16 | UInt32(minor) << 8 | UInt32(patch)
    }

    /// Whether it can be one: the first byte is zero, and the major version below 100. A block that was damaged holds any
    /// number.
    public var isPlausible: Bool { rawValue >> 16 < 100 }

    /// Reads `major`, `major.minor` or `major.minor.patch`, each from 0 to 255; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? UInt8($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }
}

extension OSVersion: Comparable, CustomStringConvertible {
    /// Major, then minor, then patch.
    public static func < (left: OSVersion, right: OSVersion) -> Bool { left.rawValue < right.rawValue }

    /// `major.minor.patch`.
    public var description: String { "\(rawValue >> 16 & 0xff).\(rawValue >> 8 & 0xff).\(rawValue & 0xff)" }
}
