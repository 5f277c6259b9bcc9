/// A column that a search for names reads, with an index.
package enum SearchedColumn: Sendable, CaseIterable {
    case account
    case title
    case asset
    case device
    case policy
    case requestID

    /// The differences between databases.
    package struct Dialect: Sendable {
        /// Returns the parameter with a number, starting at 1.
        package let parameter: @Sendable (Int) -> String
        /// Returns a column of text with the collation that compares bytes.
        package let collated: @Sendable (String) -> String

        /// Creates a dialect.
        package init(parameter: @escaping @Sendable (Int) -> String, collated: @escaping @Sendable (String) -> String) {
            self.parameter = parameter
            self.collated = collated
        }
    }

    private var place: (table: String, column: String, isText: Bool) {
        switch self {
        case .account: ("audit", "account", true)
        case .title: ("title", "name", true)
        case .asset: ("content", "asset_id", false)
        case .device: ("audit", "device", false)
        case .policy: ("policy", "name", true)
        case .requestID: ("audit", "request_id", true)
        }
    }

    /// Returns the first and last value that a search matches; nil if no value can match.
    package func range(_ text: SearchText) -> (first: ListValue, last: ListValue)? {
        switch self {
        case .device: text.devices.map { ($0.lowerBound, $0.upperBound) }
        // An asset ID has at most 200 bytes.
        case .asset: (.bytes(text.assetPrefix), .bytes(text.assetPrefix + [UInt8](repeating: 0xFF, count: 201)))
        default: (.text(text.text), .text(text.text + "\u{10FFFF}"))
        }
    }

    /// Returns the statement for the different values in a range, sorted. Each of them is found by one access to the
    /// index, so that many entries with the same value cost nothing.
    package func statement(limit: Int, _ dialect: Dialect) -> String {
        let (table, name, isText) = place
        let column = isText ? dialect.collated(name) : name
        let last = dialect.parameter(2)
        func next(_ condition: String) -> String {
            """
            (SELECT \(column) FROM \(table) WHERE \(name) IS NOT NULL AND \(column) \(condition) AND \(column) <= \(last)
                ORDER BY \(column) LIMIT 1)
            """
        }
        return """
            WITH RECURSIVE found (value, place) AS (
                SELECT \(next(">= \(dialect.parameter(1))")), 1
                UNION ALL
                SELECT \(next("> found.value")), place + 1 FROM found
                WHERE value IS NOT NULL AND place < \(limit)
            )
            SELECT value FROM found WHERE value IS NOT NULL ORDER BY place
            """
    }
}
