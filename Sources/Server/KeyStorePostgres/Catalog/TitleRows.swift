import KeyStore

// The rows of the tables `title` and `track`: reading and writing, in the order of the columns.

extension TitleRecord {
    private static let names = ["name", "title_id", "policy_name", "key_uri_template", "created", "updated"]
    static let columns = names.joined(separator: ", ")
    /// The columns qualified with the table name, for joins.
    static let qualifiedColumns = names.map { "title." + $0 }.joined(separator: ", ")
    static let columnCount = names.count

    /// Creates a title from the columns of a row from `index` on.
    init(_ row: PostgresRow, from index: Int = 0) throws(KeyStoreError) {
        self = try validatingStored { () throws(KeyStoreError) in
            try TitleRecord(
                name: try row.requiredText(index),
                titleID: try row.requiredBytes(index + 1),
                policyName: row.text(index + 2),
                keyURITemplate: row.text(index + 3),
                created: try row.requiredInteger(index + 4),
                updated: try row.requiredInteger(index + 5)
            )
        }
    }

    /// The statement that inserts the record, or replaces all columns of its row except the creation time.
    var writing: PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO title (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (name) DO UPDATE SET title_id = excluded.title_id, policy_name = excluded.policy_name,
                key_uri_template = excluded.key_uri_template, updated = excluded.updated
            """,
            [
                .text(name), .bytes(titleID), .init(policyName), .init(keyURITemplate), .integer(created),
                .integer(updated),
            ]
        )
    }
}

extension TrackRecord {
    private static let names = ["title_name", "name", "kind", "stream_id", "policy_name"]
    static let columns = names.joined(separator: ", ")
    /// The columns qualified with the table name, for joins.
    static let qualifiedColumns = names.map { "track." + $0 }.joined(separator: ", ")
    static let columnCount = names.count

    /// Creates a track from the columns of a row from `index` on.
    init(_ row: PostgresRow, from index: Int = 0) throws(KeyStoreError) {
        let (title, name) = (try row.requiredText(index), try row.requiredText(index + 1))
        guard let kind = ContentTrack(rawValue: try row.requiredText(index + 2)) else {
            throw KeyStoreError(.corrupt, place: "track \(title)/\(name), kind")
        }
        self = try validatingStored { () throws(KeyStoreError) in
            try TrackRecord(
                title: title,
                name: name,
                kind: kind,
                streamID: try row.requiredBytes(index + 3),
                policyName: row.text(index + 4)
            )
        }
    }

    /// The statement that inserts the record, or replaces its row.
    var writing: PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO track (\(Self.columns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (title_name, name) DO UPDATE SET kind = excluded.kind, stream_id = excluded.stream_id,
                policy_name = excluded.policy_name
            """,
            [.text(title), .text(name), .text(kind.rawValue), .bytes(streamID), .init(policyName)]
        )
    }
}
