package import KeyStore

extension InMemoryKeyStore {
    /// Writes rows of the history of activity.
    package func writeActivity(_ records: [ActivityRecord]) async throws(KeyStoreError) {
        let keys = Set(records.map(\.key))
        activityRecords.removeAll { keys.contains($0.key) }
        activityRecords += records
    }

    /// Returns rows of the history of activity.
    package func activity(_ query: ActivityQuery) async throws(KeyStoreError) -> [ActivityRecord] {
        activityRecords.filter { record in
            record.step == query.step && record.title == query.title && record.start >= query.from
                && record.start < query.until && (query.deviceClass.map { $0 == record.deviceClass } ?? true)
        }.sorted { $0.start < $1.start }
    }

    /// Deletes old rows of the history of activity.
    @discardableResult
    package func pruneActivity(before time: Int64) async throws(KeyStoreError) -> Int {
        let before = activityRecords.count
        activityRecords.removeAll { $0.start < time }
        return before - activityRecords.count
    }
}
