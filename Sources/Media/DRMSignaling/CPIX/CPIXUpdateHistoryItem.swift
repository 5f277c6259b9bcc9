import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A change of the document.
    ///
    ///     UpdateHistoryItem @updateVersion @index @source @date
    public struct UpdateHistoryItem: Sendable, Equatable {
        /// The version after the change.
        public var updateVersion: Int
        /// A description of the change by its author.
        public var index: String
        /// The author of the change.
        public var source: String
        /// The time of the change in Unix seconds.
        public var date: Int64

        /// Creates an item.
        public init(updateVersion: Int, index: String, source: String, date: Int64) {
            self.updateVersion = updateVersion
            self.index = index
            self.source = source
            self.date = date
        }

        init(_ element: XMLTree.Element, _: ExtensionNamespaces) throws(SignalingError) {
            guard let updateVersion = try element.cpixNumber("updateVersion"),
                let index = try element.cpixText("index"), let source = try element.cpixText("source"),
                let date = try element.cpixTime("date")
            else { throw element.cpixError("updateVersion, index, source and date are required") }
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
