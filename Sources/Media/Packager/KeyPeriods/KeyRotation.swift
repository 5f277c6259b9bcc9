/// The options of key rotation: how often keys change, and how far ahead they are announced.
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
