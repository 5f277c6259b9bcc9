import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// Who changed the document, and when.
    ///
    ///     UpdateHistoryItem @updateVersion @index @source @date
    public struct UpdateHistoryItem: Sendable, Equatable {
        /// The version that the change led to.
        public var updateVersion: Int
        /// What was changed, in the words of who did.
        public var index: String
        /// Who did.
        public var source: String
        /// When, in Unix seconds.
        public var date: Int64

        /// Makes an item.
        public init(updateVersion: Int, index: String, source: String, date: Int64) {
            self.updateVersion = updateVersion
            self.index = index
            self.source = source
            self.date = date
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            guard let updateVersion = try element.cpixNumber("updateVersion"),
                let index = try element.cpixText("index"), let source = try element.cpixText("source"),
                let date = try element.cpixTime("date")
            else { throw element.cpixError("it has an updateVersion, an index, a source and a date") }
            self.init(updateVersion: updateVersion, index: index, source: source, date: date)
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("updateVersion", "\(updateVersion)"), ("index", index), ("source", source),
                ("date", Timestamp.text(seconds: date)),
            ]
            writer.element("UpdateHistoryItem", attributes)
        }
    }
}
