/// How often keys change, and what is done ahead of that.
///
///     rotation = count [ "s" ]          10: every ten segments; 60s: every sixty seconds, at the next segment
///     count    = a whole number above 0
package struct KeyRotation: Hashable, Sendable {
    /// How long a period is.
    package enum Length: Hashable, Sendable {
        /// So many segments of the leading rendition.
        case segments(Int)
        /// So many seconds; it ends with the segment in which they are over.
        case seconds(Int)
    }

    /// How long a period is.
    package var length: Length
    /// How many seconds before a live period its keys are announced; nil: as soon as they are there.
    package var lead: Double?
    /// How many seconds a segment waits for its keys before the run fails.
    package var patience: Double = 30

    /// How long seconds of rotation, lead and patience may be: a day.
    package static let greatest = 86_400

    /// Describes a rotation.
    package init(_ length: Length) { self.length = length }

    /// Reads a rotation as it is written on a command line.
    ///
    /// - Throws: ``JobFailure``.
    package init(parsing text: String) throws(JobFailure) {
        let isSeconds = text.hasSuffix("s")
        let digits = isSeconds ? text.dropLast() : text[...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits),
            (1...Self.greatest).contains(count)
        else {
            throw JobFailure(
                "rotate-keys",
                "“\(text)” is no rotation: write a number of segments, such as 10, or of seconds, such as 60s"
            )
        }
        length = isSeconds ? .seconds(count) : .segments(count)
    }

    /// How long a period lasts, more or less, in seconds.
    ///
    /// - Parameter segment: How long segments are aimed to be.
    package func seconds(segment: MediaTime) -> Double {
        switch length {
        case .segments(let count): Double(count) * segment.seconds
        case .seconds(let count): Double(count)
        }
    }
}
