import ArgumentParser
import TextCoding

/// A duration on the command line.
///
///     duration = number ( "ms" | "s" | "m" | "h" | "d" ) | ISO 8601 duration
///     number   = 1*10DIGIT [ "." 1*9DIGIT ]
///
/// A number without a unit is not a duration, because its unit could be mistaken.
package struct DurationArgument: ExpressibleByArgument, Hashable, Comparable, Sendable {
    /// The duration.
    package let value: Duration

    /// Creates an argument, for defaults.
    package init(_ value: Duration) { self.value = value }

    package init?(argument: String) {
        if let duration = ISO8601Duration(argument) {
            value = .seconds(Int64(duration.seconds)) + .microseconds(duration.microseconds)
            return
        }
        let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let unit = Self.units.first(where: { $0.name == argument.dropFirst(number.count) }),
            (1...2).contains(parts.count), (1...10).contains(parts[0].count), let whole = Int64(parts[0])
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard (1...9).contains(fraction.count),
            let nanoseconds = Int64(fraction + String(repeating: "0", count: 9 - fraction.count))
        else { return nil }
        value =
            .milliseconds(whole * unit.milliseconds)
            + .nanoseconds(nanoseconds / 1000 * unit.milliseconds + nanoseconds % 1000 * unit.milliseconds / 1000)
    }

    /// Returns a number of seconds, for defaults.
    package static func seconds(_ seconds: Int64) -> DurationArgument { DurationArgument(.seconds(seconds)) }

    /// The duration in seconds.
    package var seconds: Double { value / .seconds(1) }
    /// True if the duration is a whole number of seconds.
    package var hasWholeSeconds: Bool { value.components.attoseconds == 0 }
    /// The whole seconds of the duration.
    package var wholeSeconds: Int64 { value.components.seconds }

    /// The duration with the largest unit that divides it, such as `90s` and `10m`.
    package var description: String {
        guard value != .zero else { return "0s" }
        // Integers, because the quotient of two durations is rounded.
        let (milliseconds, rest) = value.components.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        let count = value.components.seconds * 1000 + milliseconds
        guard rest == 0, let unit = Self.units.last(where: { count.isMultiple(of: $0.milliseconds) }),
            count / unit.milliseconds < 10_000_000_000
        else { return "\(seconds)s" }
        return "\(count / unit.milliseconds)\(unit.name)"
    }

    package var defaultValueDescription: String { description }

    /// Requires that the duration is within bounds.
    ///
    /// - Throws: `ValidationError`, which names the option.
    package func require(_ range: ClosedRange<Duration>, option: String) throws {
        guard range.contains(value) else {
            let (least, most) = (DurationArgument(range.lowerBound), DurationArgument(range.upperBound))
            throw ValidationError("\(option): expected a duration from \(least) to \(most), not \(self)")
        }
    }

    package static func < (left: DurationArgument, right: DurationArgument) -> Bool { left.value < right.value }

    private static let units: [(name: Substring, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
}

extension DurationArgument: CustomStringConvertible {}
