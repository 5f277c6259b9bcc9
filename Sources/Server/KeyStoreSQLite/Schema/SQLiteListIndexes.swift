import KeyStore

/// The second migration: indexes for filters and the order of lists. A list that is filtered by a column of low
/// selectivity is sorted by its index, too, because an SQLite index ends with the primary key.
enum SQLiteListIndexes {
    /// The statements.
    static let script =
        audit + """
            CREATE INDEX audit_by_milliseconds ON audit (milliseconds);

            CREATE INDEX title_by_updated ON title (updated);
            CREATE INDEX content_by_updated ON content (updated);
            CREATE INDEX device_by_device ON device (device);
            CREATE INDEX device_by_class ON device (device_class);
            CREATE INDEX rental_by_subject ON rental (subject);
            CREATE INDEX offline_license_by_device ON offline_license (device);
            CREATE INDEX offline_license_by_asset ON offline_license (asset_id);
            """

    private static let audit = AuditIndex.allCases.map { index in
        let condition = index.isRequired ? "" : " WHERE \(index.column) IS NOT NULL"
        return "CREATE INDEX \(index.name) ON audit (\(index.column))\(condition);\n"
    }.joined()
}
