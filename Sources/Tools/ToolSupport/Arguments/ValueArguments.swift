import ArgumentParser
import TextCoding

/// A point in time on the command line.
///
///     time = RFC 3339 timestamp | seconds since 1970
package struct TimeArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The whole seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64
    /// The nanoseconds after ``seconds``.
    package let nanoseconds: Int32
    /// The offset of the given time zone from UTC, in minutes.
    package let utcOffset: Int

    package init?(argument: String) {
        if let seconds = Int64(argument) {
            (self.seconds, nanoseconds, utcOffset) = (seconds, 0, 0)
        } else if let time = Timestamp(argument), let offset = time.utcOffset {
            (seconds, nanoseconds, utcOffset) = (time.seconds, time.nanoseconds, offset)
        } else {
            return nil
        }
    }

    package var defaultValueDescription: String { Timestamp.text(seconds: seconds) }
}

/// An asset ID on the command line: text, or `0x` and hexadecimal digits.
package struct AssetIDArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The bytes of the asset ID.
    package let bytes: [UInt8]

    package init?(argument: String) {
        guard argument.hasPrefix("0x") else {
            bytes = Array(argument.utf8)
            return
        }
        guard let bytes = HexArgument.decode(argument.utf8) else { return nil }
        self.bytes = bytes
    }
}

/// An account on the command line, 1 to 200 bytes.
package struct AccountArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The name of the account.
    package let name: String

    package init?(argument: String) {
        guard 1...200 ~= argument.utf8.count else { return nil }
        name = argument
    }
}

/// A number of bytes on the command line.
///
///     size = 1*18DIGIT [ "kB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB" ]
package struct SizeArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The number of bytes.
    package let bytes: UInt64

    /// Creates an argument, for defaults.
    package init(bytes: UInt64) { self.bytes = bytes }

    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard (1...18).contains(digits.count), let number = UInt64(digits),
            let unit = Self.units.first(where: { $0.name == argument.dropFirst(digits.count) })
        else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit.bytes)
        guard !overflows else { return nil }
        self.bytes = bytes
    }

    package var defaultValueDescription: String {
        let unit = Self.units.last { bytes > 0 && bytes.isMultiple(of: $0.bytes) }
        return unit.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes)"
    }

    private static let units: [(name: Substring, bytes: UInt64)] = [
        ("", 1), ("kB", 1000), ("KiB", 1 << 10), ("MB", 1_000_000), ("MiB", 1 << 20), ("GB", 1_000_000_000),
        ("GiB", 1 << 30), ("TB", 1_000_000_000_000), ("TiB", 1 << 40),
    ]
}
