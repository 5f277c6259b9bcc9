package import KeyStore

extension InMemoryKeyStore {
    /// Returns the schedule of a title, or nil.
    package func channel(title: String) async throws(KeyStoreError) -> ChannelRecord? { schedules[title] }

    /// Returns schedules, sorted by title.
    package func channels(after title: String?, limit: Int) async throws(KeyStoreError) -> [ChannelRecord] {
        let found = schedules.values.filter { channel in title.map { $0 < channel.title } ?? true }
        return Array(found.sorted { $0.title < $1.title }.prefix(pageSize(limit)))
    }

    /// Keeps a schedule.
    @discardableResult
    package func putChannel(
        _ record: ChannelRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome {
        let previous = schedules[record.title]
        guard previous == nil || replacing else { throw .exists(record.place) }
        guard catalog.titles[record.title] != nil else { throw .noTitle(record.title, record.place) }
        for track in record.tracks where catalog.tracks[record.title]?[track] == nil {
            throw .noTrack(track, of: record.title, record.place)
        }
        var record = record
        if let previous { record.created = previous.created }
        schedules[record.title] = record
        return auditing(audit, previous == nil ? .created : .replaced)
    }

    /// Forgets a schedule.
    @discardableResult
    package func deleteChannel(title: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        auditing(audit, schedules.removeValue(forKey: title) != nil)
    }
}
