/// The SQL of a filtered query of the audit log, in the dialect of a database.
///
/// Parameters 1 to 5 have the same meaning in all statements: the value of the index or the title's name, the number
/// before which entries are, the number after which they are, the maximum number of candidates, and the maximum number
/// of entries. The other conditions follow as ``conditions``.
package struct AuditStatements: Sendable {
    /// The differences between databases.
    package struct Dialect: Sendable {
        /// Returns the parameter with a number, starting at 1.
        package let parameter: @Sendable (Int) -> String
        /// Returns a parameter with a type, for comparisons with NULL.
        package let typedParameter: @Sendable (Int, AuditIndex?) -> String
        /// Returns the columns of the entries that are found by an index, or by number if it is nil: the part of a
        /// statement from `FROM` on, in the order of the index, newest first.
        package let candidates: @Sendable (AuditIndex?) -> String
        /// Returns the same for the assets of a title.
        package let candidatesOfTitle: String

        /// Creates a dialect.
        package init(
            parameter: @escaping @Sendable (Int) -> String,
            typedParameter: @escaping @Sendable (Int, AuditIndex?) -> String,
            candidates: @escaping @Sendable (AuditIndex?) -> String,
            candidatesOfTitle: String
        ) {
            self.parameter = parameter
            self.typedParameter = typedParameter
            self.candidates = candidates
            self.candidatesOfTitle = candidatesOfTitle
        }
    }

    /// Returns the matching entries, newest first. Parameters: 1 to 5, then ``conditions``.
    package let page: String
    /// Returns the count of the candidates and the smallest number. Parameters: 1 to 4.
    package let extent: String
    /// The value of parameter 1.
    package let key: ListValue?
    /// The values of the parameters from 6 on; nil is NULL, which excludes nothing.
    package let conditions: [ListValue?]

    /// Creates the statements of a filter. The number of different statements is small: one for each index.
    ///
    /// - Parameter columns: The columns of an entry.
    package init(_ filter: AuditFilter, columns: String, _ dialect: Dialect) {
        let index = filter.index
        let source = filter.title == nil ? dialect.candidates(index) : dialect.candidatesOfTitle
        var tests = [
            "(\(dialect.typedParameter(6, nil)) IS NULL OR milliseconds >= \(dialect.parameter(6)))",
            "(\(dialect.typedParameter(7, nil)) IS NULL OR milliseconds < \(dialect.parameter(7)))",
        ]
        for (offset, other) in AuditIndex.allCases.enumerated() {
            let number = 8 + offset
            tests.append(
                "(\(dialect.typedParameter(number, other)) IS NULL OR \(other.column) = \(dialect.parameter(number)))"
            )
        }
        page = """
            SELECT \(columns) FROM (SELECT \(columns) \(source) LIMIT \(dialect.parameter(4))) AS candidate
            WHERE \(tests.joined(separator: " AND ")) ORDER BY number DESC LIMIT \(dialect.parameter(5))
            """
        extent =
            "SELECT count(*), min(number) FROM (SELECT number \(source) LIMIT \(dialect.parameter(4))) AS candidate"
        key = filter.title.map { .text($0) } ?? index.flatMap { filter.value($0) }
        conditions =
            [filter.from.map { .integer($0) }, filter.until.map { .integer($0) }]
            + AuditIndex.allCases.map { $0 == index ? nil : filter.value($0) }
    }
}
