import FoundationEssentials
import GRDB
import KeyStore

// The rows of the tables `title` and `track`: reading and writing, in the order of the columns.

extension TitleRecord {
    private static let names = ["name", "title_id", "policy_name", "key_uri_template", "created", "updated"]
    static let columns = names.joined(separator: ", ")
    /// The columns qualified with the table name, for joins.
    static let qualifiedColumns = names.map { "title." + $0 }.joined(separator: ", ")
    static let columnCount = names.count

    /// Creates a title from the columns of a row from `index` on.
    init(_ row: Row, from index: Int = 0) throws {
        self = try validatingStored { () throws(KeyStoreError) in
            try TitleRecord(
                name: row[index],
                titleID: row.bytes(index + 1) ?? [],
                policyName: row[index + 2],
                keyURITemplate: row[index + 3],
                created: row[index + 4],
                updated: row[index + 5]
            )
        }
    }

    /// Inserts the record, or replaces all columns of its row except the creation time.
    func write(_ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO title (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET title_id = excluded.title_id, policy_name = excluded.policy_name,
                    key_uri_template = excluded.key_uri_template, updated = excluded.updated
                """
        )
        try statement.execute(arguments: [name, Data(titleID), policyName, keyURITemplate, created, updated])
    }
}

extension TrackRecord {
    private static let names = ["title_name", "name", "kind", "stream_id", "policy_name"]
    static let columns = names.joined(separator: ", ")
    /// The columns qualified with the table name, for joins.
    static let qualifiedColumns = names.map { "track." + $0 }.joined(separator: ", ")

    /// Creates a track from the columns of a row from `index` on.
    init(_ row: Row, from index: Int = 0) throws {
        let (title, name): (String, String) = (row[index], row[index + 1])
        guard let kind = ContentTrack(rawValue: row[index + 2]) else {
            throw KeyStoreError(.corrupt, place: "track \(title)/\(name), kind")
        }
        self = try validatingStored { () throws(KeyStoreError) in
            try TrackRecord(
                title: title,
                name: name,
                kind: kind,
                streamID: row.bytes(index + 3) ?? [],
                policyName: row[index + 4]
            )
        }
    }

    /// Inserts the record, or replaces its row.
    func write(_ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO track (\(Self.columns)) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (title_name, name) DO UPDATE SET kind = excluded.kind, stream_id = excluded.stream_id,
                    policy_name = excluded.policy_name
                """
        )
        try statement.execute(arguments: [title, name, kind.rawValue, Data(streamID), policyName])
    }
}
