import XMLDocuments

extension CPIXDocument {
    /// The tracks that a key encrypts. Filters of the same kind are alternatives; filters of different kinds must all
    /// match.
    ///
    ///     ContentKeyUsageRule @kid @intendedTrackType
    ///       KeyPeriodFilter @periodId
    ///       LabelFilter @label
    ///       VideoFilter, AudioFilter, BitrateFilter
    public struct UsageRule: Sendable, Equatable {
        /// The key ID.
        public var keyID: ContentKeyID
        /// The track type; any text in a document, such as `SD`, `HD`, `UHD`, `AUDIO`.
        public var intendedTrackType: String?
        /// The IDs of the periods in which the key is used; empty for all.
        public var periodIDs: [String]
        /// The labels of the tracks.
        public var labels: [String] = []
        /// The video filters.
        public var videoFilters: [VideoFilter]
        /// The audio filters.
        public var audioFilters: [AudioFilter]
        /// The bit rate filters.
        public var bitrateFilters: [BitrateFilter] = []
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed.
        @IgnoredInComparison public var line = 0

        /// Creates a rule.
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
                guard let id = try filter.cpixText("periodId") else { throw filter.cpixError("periodId is missing") }
                return id
            }
            labels = try Self.filters("LabelFilter", in: element) { filter throws(SignalingError) in
                guard let label = try filter.cpixText("label") else { throw filter.cpixError("label is missing") }
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
                    throw element.cpixError("there are more than \(Limit.filters) \(name) elements")
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
