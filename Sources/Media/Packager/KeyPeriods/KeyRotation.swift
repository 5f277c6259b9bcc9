/// The options of key rotation: how often keys change, and how far ahead they are announced.
///
///     rotation = count [ "s" ]          10: every ten segments; 60s: every sixty seconds, at the next segment
///     count    = a whole number above 0
package struct KeyRotation: Hashable, Sendable {
    /// The length of a key period.
    package enum Length: Hashable, Sendable {
        /// A number of segments of the leading rendition.
        case segments(Int)
        /// A number of seconds; the period ends with the segment in which they have elapsed.
        case seconds(Int)
    }

    /// The length of a period.
    package var length: Length
    /// The number of seconds before a live period at which its keys are announced; nil to announce them as soon as they
    /// arrive.
    package var lead: Double?
    /// The number of seconds for which a segment waits for its keys before the run fails.
    package var timeout: Double = 30

    /// The maximum number of seconds for the length, the lead and the timeout: one day.
    package static let maximumSeconds = 86_400

    /// Creates a rotation.
    package init(_ length: Length) { self.length = length }

    /// Parses a rotation in the syntax of the command line.
    ///
    /// - Throws: ``JobFailure``.
    package init(parsing text: String) throws(JobFailure) {
        let isSeconds = text.hasSuffix("s")
        let digits = isSeconds ? text.dropLast() : text[...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits),
            (1...Self.maximumSeconds).contains(count)
        else {
            throw JobFailure(
                "rotate-keys",
                "“\(text)” is not valid: expected a number of segments such as 10, or of seconds such as 60s"
            )
        }
        length = isSeconds ? .seconds(count) : .segments(count)
    }

    /// Returns the approximate duration of a period in seconds.
    ///
    /// - Parameter segment: The target duration of segments.
    package func seconds(segment: RationalTime) -> Double {
        switch length {
        case .segments(let count): Double(count) * segment.seconds
        case .seconds(let count): Double(count)
        }
    }
}
