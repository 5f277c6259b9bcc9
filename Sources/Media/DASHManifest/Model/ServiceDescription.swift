import XMLDocuments

/// `ServiceDescription`: the latency that the provider of a live presentation intends (ISO/IEC 23009-1, annex K).
///
///     ServiceDescription   id
///       Latency            referenceId, target, max, min
///       PlaybackRate       max, min
public struct ServiceDescription: Hashable, Sendable {
    /// The time from the production of media to its presentation, in milliseconds.
    public struct Latency: Hashable, Sendable {
        /// The identifier of the ``ProducerReferenceTime`` from which the latency is measured; nil when the attribute is
        /// absent.
        public var referenceID: UInt32?
        /// The latency that players should keep, in milliseconds; nil when the attribute is absent.
        public var target: UInt64?
        /// The minimum latency in milliseconds; nil when the attribute is absent.
        public var minimum: UInt64?
        /// The maximum latency in milliseconds; nil when the attribute is absent.
        public var maximum: UInt64?

        /// Creates a latency.
        public init(referenceID: UInt32?, target: UInt64?, minimum: UInt64?, maximum: UInt64?) {
            self.referenceID = referenceID
            self.target = target
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// The identifier; nil when the attribute is absent.
    public var id: UInt32?
    /// The latency; nil without a `Latency` element.
    public var latency: Latency?
    /// The playback rates between which players may choose to reach the latency, where 1 is normal; nil when there are
    /// none.
    public var playbackRates: ClosedRange<Double>?

    /// Creates a service description.
    public init(id: UInt32?, latency: Latency?, playbackRates: ClosedRange<Double>?) {
        self.id = id
        self.latency = latency
        self.playbackRates = playbackRates
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        id = try element.number("id")
        if let child = element.child("Latency") {
            latency = Latency(
                referenceID: try child.number("referenceId"),
                target: try child.number("target"),
                minimum: try child.number("min"),
                maximum: try child.number("max")
            )
        }
        guard let child = element.child("PlaybackRate") else { return }
        let (low, high) = (try child.decimal("min") ?? 1, try child.decimal("max") ?? 1)
        guard low <= high else { throw child.invalid("min", "at most max") }
        playbackRates = low...high
    }

    func write(to writer: inout XMLWriter) {
        writer.element("ServiceDescription", [("id", id.map { "\($0)" })]) { writer in
            if let latency {
                writer.element(
                    "Latency",
                    [
                        ("referenceId", latency.referenceID.map { "\($0)" }),
                        ("target", latency.target.map { "\($0)" }),
                        ("max", latency.maximum.map { "\($0)" }), ("min", latency.minimum.map { "\($0)" }),
                    ]
                )
            }
            if let playbackRates {
                writer.element(
                    "PlaybackRate",
                    [("max", "\(playbackRates.upperBound)"), ("min", "\(playbackRates.lowerBound)")]
                )
            }
        }
    }
}
