import XMLDocuments

extension CPIXDocument {
    /// What a key encrypts. Filters of one kind are alternatives; those of different kinds hold together.
    ///
    ///     ContentKeyUsageRule @kid @intendedTrackType
    ///       KeyPeriodFilter @periodId
    ///       LabelFilter @label
    ///       VideoFilter, AudioFilter, BitrateFilter
    public struct UsageRule: Sendable, Equatable {
        /// The key.
        public var keyID: ContentKeyID
        /// The track, in whatever words the document has: `SD`, `HD`, `UHD`, `AUDIO`.
        public var intendedTrackType: String?
        /// The periods in which it is used, by their IDs; none means always.
        public var periodIDs: [String]
        /// Labels that tracks have.
        public var labels: [String] = []
        /// What video it is for.
        public var videoFilters: [VideoFilter]
        /// What audio it is for.
        public var audioFilters: [AudioFilter]
        /// What bit rates it is for.
        public var bitrateFilters: [BitrateFilter] = []
        /// The line in which its start tag ends, for messages; 0 in a document that was not read.
        @IgnoredInComparison public var line = 0

        /// Makes a rule.
        public init(
            keyID: ContentKeyID,
            intendedTrackType: String?,
            periodIDs: [String] = [],
            videoFilters: [VideoFilter] = [],
            audioFilters: [AudioFilter] = []
        ) {
            self.keyID = keyID
            self.intendedTrackType = intendedTrackType
            self.periodIDs = periodIDs
            self.videoFilters = videoFilters
            self.audioFilters = audioFilters
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            keyID = try element.cpixKeyID()
            intendedTrackType = try element.cpixText("intendedTrackType")
            periodIDs = try Self.filters("KeyPeriodFilter", in: element) { filter throws(SignalingError) in
                guard let id = try filter.cpixText("periodId") else { throw filter.cpixError("it has no periodId") }
                return id
            }
            labels = try Self.filters("LabelFilter", in: element) { filter throws(SignalingError) in
                guard let label = try filter.cpixText("label") else { throw filter.cpixError("it has no label") }
                return label
            }
            videoFilters = try Self.filters("VideoFilter", in: element, VideoFilter.init)
            audioFilters = try Self.filters("AudioFilter", in: element, AudioFilter.init)
            bitrateFilters = try Self.filters("BitrateFilter", in: element, BitrateFilter.init)
            line = element.line
        }

        private static func filters<Filter>(
            _ name: String,
            in element: XMLTree.Element,
            _ read: (XMLTree.Element) throws(SignalingError) -> Filter
        ) throws(SignalingError) -> [Filter] {
            var filters: [Filter] = []
            for element in element.cpixChildren(name) {
                guard filters.count < Limit.filters else {
                    throw element.cpixError("there are more than \(Limit.filters)")
                }
                filters.append(try read(element))
            }
            return filters
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [("kid", keyID.uuid), ("intendedTrackType", intendedTrackType)]
            writer.element("ContentKeyUsageRule", attributes) { writer in
                for id in periodIDs { writer.element("KeyPeriodFilter", [("periodId", id)]) }
                for label in labels { writer.element("LabelFilter", [("label", label)]) }
                for filter in videoFilters { filter.write(to: &writer) }
                for filter in audioFilters { filter.write(to: &writer) }
                for filter in bitrateFilters { filter.write(to: &writer) }
            }
        }
    }
}
