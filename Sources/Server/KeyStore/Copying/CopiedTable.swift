/// A table that is copied from one kind of store to another, row by row and byte by byte: encrypted values stay
/// encrypted, and the same key-encryption key decrypts them.
///
/// Tables that belong to one database only are not copied: the schema's version, commit marks, and the catalog's
/// version.
package struct CopiedTable: Sendable {
    /// The type of a column's values.
    package enum Kind: Sendable {
        case bytes
        case text
        case integer
        case boolean
    }

    /// A column. It has the same name in both databases.
    package struct Column: Sendable {
        package let name: String
        package let kind: Kind
    }

    /// The table's name in both databases.
    package let name: String
    /// The columns. Those of the primary key come first.
    package let columns: [Column]
    /// The number of columns in the primary key, which determines the order of rows in both databases.
    package let keyCount: Int

    /// All tables. A table follows those that it refers to.
    package static let all: [CopiedTable] = [
        .init("encryption", [("id", .integer)], [("kek_id", .bytes), ("device_hash_key", .bytes)]),
        .init("policy", [("name", .text)], [("document", .bytes)]),
        .init(
            "policy_change",
            [("policy_name", .text), ("number", .integer)],
            [("milliseconds", .integer), ("actor", .text), ("change", .text), ("document", .bytes)]
        ),
        .init(
            "title",
            [("name", .text)],
            [
                ("title_id", .bytes), ("policy_name", .text), ("key_uri_template", .text), ("created", .integer),
                ("updated", .integer),
            ]
        ),
        .init(
            "track",
            [("title_name", .text), ("name", .text)],
            [("kind", .text), ("stream_id", .bytes), ("policy_name", .text)]
        ),
        .init(
            "content",
            [("asset_id", .bytes)],
            [
                ("key_id", .bytes), ("content_key", .bytes), ("iv", .bytes), ("track_kind", .text),
                ("policy_name", .text),
                ("stream_id", .bytes), ("title_id", .bytes), ("title_name", .text), ("track_name", .text),
                ("valid_from", .integer), ("valid_until", .integer), ("created", .integer), ("updated", .integer),
            ]
        ),
        .init(
            "channel",
            [("title_name", .text)],
            [
                ("period_length", .integer), ("ahead", .integer), ("starts", .integer), ("is_paused", .boolean),
                ("created", .integer), ("updated", .integer),
            ]
        ),
        .init("channel_track", [("title_name", .text), ("track_name", .text)], []),
        .init(
            "certificate_bundle",
            [("name", .text)],
            [
                ("kind", .text), ("certificate", .bytes), ("scope", .bytes), ("private_key_kind", .text),
                ("private_key", .bytes), ("dask_kind", .text), ("dask_secret", .bytes), ("plugin_path", .bytes),
                ("plugin_configuration", .bytes), ("provisioning_data", .bytes),
            ]
        ),
        .init(
            "admin_token",
            [("name", .text)],
            [("role", .text), ("hash", .bytes), ("created", .integer), ("last_used_day", .integer)]
        ),
        .init(
            "lease",
            [("account", .bytes), ("client", .bytes)],
            [
                ("session_id", .integer), ("asset_id", .bytes), ("since", .integer), ("until", .integer),
                ("purpose", .text), ("ended", .integer),
            ]
        ),
        .init(
            "ended_session",
            [("account", .bytes), ("client", .bytes), ("session", .bytes)],
            [("expires", .integer)]
        ),
        .init(
            "device",
            [("account", .bytes), ("device", .bytes)],
            [("device_class", .text), ("first_seen", .integer), ("last_seen", .integer)]
        ),
        .init(
            "rental",
            [("account", .bytes), ("subject", .bytes)],
            [("starts", .integer), ("ends", .integer), ("client", .bytes)]
        ),
        .init(
            "offline_license",
            [("account", .bytes), ("device", .bytes), ("stream_id", .bytes)],
            [
                ("title_id", .bytes), ("asset_id", .bytes), ("granted", .integer), ("storage_until", .integer),
                ("playback_duration", .integer), ("until", .integer), ("first_play_seen", .integer),
                ("reported", .integer),
                ("end_reason", .text), ("ended", .integer),
            ]
        ),
        .init(
            "replay",
            [("key", .bytes)],
            [
                ("retry_until", .integer), ("expires", .integer), ("ckc", .bytes), ("is_persistable", .boolean),
                ("has_dual_expiry", .boolean),
            ]
        ),
        .init(
            "token_binding",
            [("token", .bytes)],
            [("account", .bytes), ("client", .bytes), ("session_id", .integer), ("expires", .integer)]
        ),
        .init("challenge", [("challenge", .integer)], [("account", .bytes), ("expires", .integer)]),
        .init("spc", [("key", .bytes)], [("digest", .bytes), ("expires", .integer)]),
        .init(
            "device_report",
            [("device", .bytes), ("fact", .text)],
            [("value", .integer), ("until", .integer)]
        ),
        .init(
            "activity",
            [
                ("step", .integer), ("title_name", .text), ("starts", .integer), ("node", .bytes),
                ("device_class", .text), ("outcome", .text), ("reason", .text),
            ],
            [("requests", .integer), ("latency", .bytes)]
        ),
        .init(
            "audit",
            [("number", .integer)],
            [
                ("node", .bytes), ("sequence", .integer), ("hash", .bytes), ("milliseconds", .integer),
                ("route", .text), ("outcome", .text), ("detail", .text), ("transaction_id", .integer),
                ("session_id", .integer), ("asset_id", .bytes), ("device", .bytes), ("device_class", .text),
                ("bundle_name", .text), ("policy_name", .text), ("request_id", .text), ("remote_address", .text),
                ("microseconds", .integer), ("account", .text),
            ]
        ),
        .init("audit_head", [("id", .integer)], [("node", .bytes), ("sequence", .integer), ("hash", .bytes)]),
    ]

    private init(_ name: String, _ key: [(String, Kind)], _ others: [(String, Kind)]) {
        self.name = name
        columns = (key + others).map { Column(name: $0.0, kind: $0.1) }
        keyCount = key.count
    }
}

/// A value of a row that is copied.
package enum CopiedValue: Sendable, Equatable {
    case null
    case bytes([UInt8])
    case text(String)
    case integer(Int64)
    case boolean(Bool)

    /// A byte for the type, then the length and the value, so that different rows have different encodings.
    fileprivate var encoded: [UInt8] {
        switch self {
        case .null: [0]
        case .bytes(let bytes): [1] + bigEndianBytes(UInt64(bytes.count)) + bytes
        case .text(let text): [2] + bigEndianBytes(UInt64(text.utf8.count)) + Array(text.utf8)
        case .integer(let number): [3] + bigEndianBytes(number)
        case .boolean(let flag): [4, flag ? 1 : 0]
        }
    }
}

/// The values of a row that is copied, in the order of its table's columns.
package typealias CopiedRow = [CopiedValue]

extension CopiedTable {
    /// Returns the encoding of a row for the digest of its table.
    package static func encoded(_ row: CopiedRow) -> [UInt8] { row.flatMap(\.encoded) }
}
