/// A value of a column, in conditions and positions of lists. Values of one column have the same case.
package enum ListValue: Sendable, Equatable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// The bytes of a text or bytes; empty for an integer.
    var content: [UInt8] {
        switch self {
        case .integer: []
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}

extension ListValue: Comparable {
    /// Compares integers by value, and text by its bytes, as the databases do.
    package static func < (left: ListValue, right: ListValue) -> Bool {
        if case .integer(let left) = left, case .integer(let right) = right { return left < right }
        return left.content.lexicographicallyPrecedes(right.content)
    }

    package static func == (left: ListValue, right: ListValue) -> Bool {
        if case .integer(let left) = left, case .integer(let right) = right { return left == right }
        return left.content == right.content
    }
}

/// The columns by which lists are filtered and sorted, with their names in SQL.
package enum ListColumn: String, Sendable {
    case name
    case titleName = "title_name"
    case assetID = "asset_id"
    case account
    case client
    case device
    case deviceClass = "device_class"
    case streamID = "stream_id"
    case subject
    case policyName = "policy_name"
    case updated
    case until
    case endReason = "end_reason"

    /// Returns whether a value has the type of the column.
    package func accepts(_ value: ListValue) -> Bool {
        switch (self, value) {
        case (.updated, .integer), (.until, .integer): true
        case (.name, .text), (.titleName, .text), (.deviceClass, .text), (.policyName, .text), (.endReason, .text): true
        case (.assetID, .bytes), (.account, .bytes), (.client, .bytes), (.device, .bytes), (.streamID, .bytes),
            (.subject, .bytes):
            true
        default: false
        }
    }
}
