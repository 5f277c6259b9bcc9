import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A period in which a key is used.
    ///
    ///     ContentKeyPeriod @id @index @start @end
    ///
    /// The attribute `id` is optional in the schema, but required here, because usage rules could not reference a
    /// period without it.
    public struct KeyPeriod: Sendable, Equatable {
        /// The ID, which usage rules reference.
        public var id: String
        /// The number of the period; nil if periods are not numbered.
        public var index: Int?
        /// The start in Unix seconds.
        public var start: Int64?
        /// The end in Unix seconds.
        public var end: Int64?
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed.
        @IgnoredInComparison public var line = 0

        /// Creates a period.
        public init(id: String, index: Int? = nil, start: Int64? = nil, end: Int64? = nil) {
            self.id = id
            self.index = index
            self.start = start
            self.end = end
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            guard let id = try element.cpixText("id"), !id.isEmpty else { throw element.cpixError("id is missing") }
            self.id = id
            index = try element.cpixNumber("index")
            start = try element.cpixTime("start")
            end = try element.cpixTime("end")
            line = element.line
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("id", id), ("index", index.map { "\($0)" }), ("start", start.map { Timestamp.text(seconds: $0) }),
                ("end", end.map { Timestamp.text(seconds: $0) }),
            ]
            writer.element("ContentKeyPeriod", attributes)
        }
    }
}
