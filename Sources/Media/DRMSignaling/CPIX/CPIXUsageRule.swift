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
        /// The unused attributes and elements.
        public var extensions = Extensions()
        /// The unused attributes and elements of KeyPeriodFilter and LabelFilter, by name, in the order of the filters.
        private var filterExtensions: [String: [Extensions]] = [:]
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

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
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
            videoFilters = try Self.filters("VideoFilter", in: element) { filter throws(SignalingError) in
                try VideoFilter(filter, namespaces)
            }
            audioFilters = try Self.filters("AudioFilter", in: element) { filter throws(SignalingError) in
                try AudioFilter(filter, namespaces)
            }
            bitrateFilters = try Self.filters("BitrateFilter", in: element) { filter throws(SignalingError) in
                try BitrateFilter(filter, namespaces)
            }
            line = element.line
            extensions = Extensions(element, namespaces)
            for name in ["KeyPeriodFilter", "LabelFilter"] {
                let found = element.cpixChildren(name).map { Extensions($0, namespaces) }
                if found.contains(where: { !$0.isEmpty }) { filterExtensions[name] = found }
            }
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

        private func write(_ name: String, _ attribute: String, _ values: [String], to writer: inout XMLWriter) {
            let known = filterExtensions[name] ?? []
            for (index, value) in values.enumerated() {
                writer.element(name, [(attribute, value)], known.count == values.count ? known[index] : Extensions())
            }
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [("kid", keyID.uuid), ("intendedTrackType", intendedTrackType)]
            writer.element("ContentKeyUsageRule", attributes, extensions) { writer in
                write("KeyPeriodFilter", "periodId", periodIDs, to: &writer)
                write("LabelFilter", "label", labels, to: &writer)
                for filter in videoFilters { filter.write(to: &writer) }
                for filter in audioFilters { filter.write(to: &writer) }
                for filter in bitrateFilters { filter.write(to: &writer) }
            }
        }
    }
}
