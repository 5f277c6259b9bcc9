import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A period in which a key is used.
    ///
    ///     ContentKeyPeriod @id @index @start @end @startOffset @endOffset @duration
    ///
    /// A period has a number, or one of these intervals (CPIX 2.4, 7.4.14): start and end or duration, for live content;
    /// startOffset and endOffset or duration, for VOD. The attribute `id` is optional in the schema, but required here,
    /// because usage rules could not reference a period without it.
    public struct KeyPeriod: Sendable, Equatable {
        /// The ID, which usage rules reference.
        public var id: String
        /// The number of the period; nil if periods are not numbered.
        public var index: Int?
        /// The start in Unix seconds.
        public var start: Int64?
        /// The end in Unix seconds.
        public var end: Int64?
        /// The start in seconds from the beginning of the content.
        public var startOffset: Double?
        /// The end in seconds from the beginning of the content.
        public var endOffset: Double?
        /// The duration in seconds.
        public var duration: Double?
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed.
        @IgnoredInComparison public var line = 0
        /// The unused attributes and elements.
        public var extensions = Extensions()
        /// The parsed attributes: a time or a duration has several forms, and the parsed form is written.
        @IgnoredInComparison private var parsed: [String: String] = [:]

        /// The wall clock time in Unix seconds at which the period ends, from its end or its duration; nil if neither is
        /// known. A fraction of a second is rounded up.
        public var endTime: Int64? {
            if let end { return end }
            guard let start, let duration, duration < 1e12 else { return nil }
            return start + Int64(duration.rounded(.up))
        }

        /// Creates a period.
        public init(id: String, index: Int? = nil, start: Int64? = nil, end: Int64? = nil) {
            self.id = id
            self.index = index
            self.start = start
            self.end = end
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            guard let id = try element.cpixText("id"), !id.isEmpty else { throw element.cpixError("id is missing") }
            self.id = id
            index = try element.cpixNumber("index")
            start = try element.cpixTime("start")
            end = try element.cpixTime("end")
            startOffset = try element.cpixDuration("startOffset")
            endOffset = try element.cpixDuration("endOffset")
            duration = try element.cpixDuration("duration")
            parsed = element.attributes
            line = element.line
            extensions = Extensions(element, namespaces)
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("id", id), ("index", index.map { "\($0)" }),
                ("start", time(start, "start")), ("end", time(end, "end")),
                ("startOffset", length(startOffset, "startOffset")), ("endOffset", length(endOffset, "endOffset")),
                ("duration", length(duration, "duration")),
            ]
            writer.element("ContentKeyPeriod", attributes, extensions)
        }

        private func time(_ seconds: Int64?, _ name: String) -> String? {
            guard let seconds else { return nil }
            if let text = parsed[name], UnixTime.seconds(iso8601: text) == seconds { return text }
            return Timestamp.text(seconds: seconds)
        }

        private func length(_ seconds: Double?, _ name: String) -> String? {
            guard let seconds else { return nil }
            if let text = parsed[name], ISO8601Duration(text)?.inSeconds == seconds { return text }
            let milliseconds = Int64((min(max(seconds, 0), 1e12) * 1_000).rounded())
            let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
            return "PT\(milliseconds / 1_000)" + (milliseconds % 1_000 == 0 ? "" : ".\(fraction)") + "S"
        }
    }
}

extension ISO8601Duration {
    /// The duration in seconds with its fraction.
    var inSeconds: Double { Double(seconds) + Double(microseconds) / 1_000_000 }
}
