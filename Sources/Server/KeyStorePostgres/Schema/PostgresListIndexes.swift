import KeyStore

/// The second migration: indexes for filters and the order of lists. The indexes are those of `SQLiteListIndexes`.
enum PostgresListIndexes {
    /// The statements.
    static let script =
        audit + """
            CREATE INDEX audit_by_milliseconds ON audit (milliseconds);

            CREATE INDEX title_by_updated ON title (updated, name);
            CREATE INDEX content_by_updated ON content (updated, asset_id);
            CREATE INDEX device_by_device ON device (device, account);
            CREATE INDEX device_by_class ON device (device_class, account, device);
            CREATE INDEX rental_by_subject ON rental (subject, account);
            CREATE INDEX offline_license_by_device ON offline_license (device);
            CREATE INDEX offline_license_by_asset ON offline_license (asset_id);
            """

    /// Text has the collation "C", so that an update of the system's locales does not damage an index.
    private static let audit = AuditIndex.allCases.map { index in
        let column = index.isBytes ? index.column : "\(index.column) COLLATE \"C\""
        let condition = index.isRequired ? "" : " WHERE \(index.column) IS NOT NULL"
        return "CREATE INDEX \(index.name) ON audit (\(column), number)\(condition);\n"
    }.joined()
}
