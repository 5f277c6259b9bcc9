extension ListedTable {
    /// Returns the page of a query from all records, for a store without SQL and for lists of only a few records.
    package func page(_ query: ListQuery, of records: some Sequence<Record>) -> ListPage<Record> {
        let all = records.filter { record in query.conditions.allSatisfy { $0.holds { value(record, $0) } } }
        func precedes(_ left: [ListValue], _ right: [ListValue]) -> Bool {
            query.isDescending ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
        }
        let rest = all.map { (position: position(of: $0, in: query), record: $0) }
            .filter { item in query.after.map { precedes($0, item.position) } ?? true }
            .sorted { precedes($0.position, $1.position) }
        return ListPage(items: rest.prefix(pageSize(query.limit)).map(\.record), total: all.count)
    }
}

extension ListCondition {
    /// Returns whether a record fulfills the condition.
    ///
    /// - Parameter value: Returns the value of a column of the record.
    fileprivate func holds(_ value: (ListColumn) -> ListValue?) -> Bool {
        switch self {
        case .equal(let column, let wanted): value(column) == wanted
        case .prefix(let column, let prefix): value(column)?.content.starts(with: prefix.content) ?? false
        case .contains(let column, let part):
            value(column).map {
                ASCIIText.contains(ASCIIText.lowercased($0.content), ASCIIText.lowercased(part.content))
            }
                ?? false
        case .greater(let column, let bound): value(column).map { $0 > .integer(bound) } ?? false
        case .nullOrGreater(let column, let bound): value(column).map { $0 > .integer(bound) } ?? true
        case .nullOrEqual(let column, let wanted): value(column).map { $0 == wanted } ?? true
        }
    }
}

/// Text as bytes, of which only ASCII letters have a case.
package enum ASCIIText {
    /// Returns the text with uppercase ASCII letters replaced.
    package static func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
    }

    /// Returns whether a text contains another.
    package static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}
