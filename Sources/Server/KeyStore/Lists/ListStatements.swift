/// The SQL of a page of a list, in the dialect of a database.
package struct ListStatements: Sendable {
    /// The differences between databases.
    package struct Dialect: Sendable {
        /// Returns the parameter with a number, starting at 1.
        package let parameter: @Sendable (Int) -> String
        /// Returns the condition that a column contains the value of a parameter, ignoring the case of ASCII letters.
        package let contains: @Sendable (_ column: String, _ value: ListValue, _ parameter: String) -> String

        /// Creates a dialect.
        package init(
            parameter: @escaping @Sendable (Int) -> String,
            contains: @escaping @Sendable (_ column: String, _ value: ListValue, _ parameter: String) -> String
        ) {
            self.parameter = parameter
            self.contains = contains
        }
    }

    /// The part of the statement for the records from `WHERE` on.
    package let page: String
    /// The values of its parameters.
    package let pageValues: [ListValue]
    /// The statement for the number of records.
    package let count: String
    /// The values of its parameters.
    package let countValues: [ListValue]

    /// Creates the statements of a query.
    package init<Record>(_ table: ListedTable<Record>, _ query: ListQuery, _ dialect: Dialect) {
        var values: [ListValue] = []
        func parameter(_ value: ListValue) -> String {
            values.append(value)
            return dialect.parameter(values.count)
        }
        var conditions = query.conditions.map { condition in
            switch condition {
            case .equal(let column, let value): "\(column.rawValue) = \(parameter(value))"
            case .prefix(let column, let value):
                "\(column.rawValue) >= \(parameter(value)) AND \(column.rawValue) < \(parameter(value.prefixEnd))"
            case .contains(let column, let value): dialect.contains(column.rawValue, value, parameter(value))
            case .greater(let column, let value): "\(column.rawValue) > \(parameter(.integer(value)))"
            case .nullOrGreater(let column, let value):
                "(\(column.rawValue) IS NULL OR \(column.rawValue) > \(parameter(.integer(value))))"
            case .nullOrEqual(let column, let value):
                "(\(column.rawValue) IS NULL OR \(column.rawValue) = \(parameter(value)))"
            }
        }
        func filter() -> String { conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))" }
        count = "SELECT count(*) FROM \(table.name) \(filter())"
        countValues = values
        let order = table.order(query).map(\.rawValue)
        if let after = query.after {
            let position = after.map { parameter($0) }.joined(separator: ", ")
            conditions.append("(\(order.joined(separator: ", "))) \(query.isDescending ? "<" : ">") (\(position))")
        }
        let directed = order.map { query.isDescending ? "\($0) DESC" : $0 }.joined(separator: ", ")
        page = "\(filter()) ORDER BY \(directed) LIMIT \(parameter(.integer(Int64(pageSize(query.limit)))))"
        pageValues = values
    }
}

extension ListValue {
    /// The end of the values that begin with this one: longer and greater than all of them.
    fileprivate var prefixEnd: ListValue {
        switch self {
        case .integer: self
        case .text(let text): .text(text + "\u{10FFFF}")
        // Columns have at most 201 bytes.
        case .bytes(let bytes): .bytes(bytes + [UInt8](repeating: 0xFF, count: 202))
        }
    }
}
