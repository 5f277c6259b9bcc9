import GRDB
import KeyStore

/// The rows of one SPC in the tables `spc` and `device_report`.
enum SPCStateRows {
    static func fetch(_ evidence: SPCEvidence, _ db: Database) throws -> SPCState {
        var memory = SPCState()
        memory.sighting = try SQLiteSPCRow.fetch(evidence.sighting.key, db)
        if let device = evidence.device { memory.report = try SQLiteDeviceReportRow.fetch(device, db) }
        return memory
    }

    /// Writes the records that differ from `previous`.
    static func write(
        _ memory: SPCState,
        since previous: SPCState,
        of evidence: SPCEvidence,
        _ db: Database
    ) throws {
        if let sighting = memory.sighting, sighting != previous.sighting { try SQLiteSPCRow.write(sighting, db) }
        guard let device = evidence.device else { return }
        for (fact, entry) in memory.report.entries where previous.report.entries[fact] != entry {
            try SQLiteDeviceReportRow.write(device, fact, entry, db)
        }
    }
}

/// A row of the table `spc`.
enum SQLiteSPCRow {
    static func fetch(_ key: [UInt8], _ db: Database) throws -> SPCFingerprint? {
        let sql = "SELECT digest, expires FROM spc WHERE key = ?"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [key.data]) else { return nil }
        return SPCFingerprint(key: key, digest: row.bytes(0) ?? [], expires: row[1])
    }

    static func write(_ sighting: SPCFingerprint, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO spc (key, digest, expires) VALUES (?, ?, ?)")
            .execute(arguments: [sighting.key.data, sighting.digest.data, sighting.expires])
    }
}

/// A row of the table `device_report`: one fact.
enum SQLiteDeviceReportRow {
    static func fetch(_ device: DeviceHash, _ db: Database) throws -> DeviceReport {
        let sql = "SELECT fact, value, until FROM device_report WHERE device = ?"
        var report = DeviceReport()
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [device.bytes.data])
        while let row = try rows.next() {
            report.entries[.init(rawValue: row[0])] = DeviceReport.Entry(value: row[1], until: row[2])
        }
        return report
    }

    static func write(
        _ device: DeviceHash,
        _ fact: DeviceReport.Fact,
        _ entry: DeviceReport.Entry,
        _ db: Database
    ) throws {
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO device_report (device, fact, value, until) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [device.bytes.data, fact.rawValue, entry.value, entry.until])
    }
}
