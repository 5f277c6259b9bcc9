import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A time in which a key is used.
    ///
    ///     ContentKeyPeriod @id @index @start @end
    ///
    /// The schema lets `id` be missing; here it may not, since no usage rule could refer to such a period.
    public struct KeyPeriod: Sendable, Equatable {
        /// What usage rules call it.
        public var id: String
        /// Its number, where periods are counted.
        public var index: Int?
        /// When it begins, in Unix seconds.
        public var start: Int64?
        /// When it ends, in Unix seconds.
        public var end: Int64?
        /// The line in which its start tag ends, for messages; 0 in a document that was not read.
        @IgnoredInComparison public var line = 0

        /// Makes a period.
        public init(id: String, index: Int? = nil, start: Int64? = nil, end: Int64? = nil) {
            self.id = id
            self.index = index
            self.start = start
            self.end = end
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            guard let id = try element.cpixText("id"), !id.isEmpty else { throw element.cpixError("it has no id") }
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
