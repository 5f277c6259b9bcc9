import KeyStore

/// A row of the table `spc`.
enum PostgresSPCRow {
    static func selection(_ key: [UInt8]) -> PostgresQuery {
        PostgresQuery("SELECT digest, expires FROM spc WHERE key = $1", [.bytes(key)])
    }

    /// Creates a record from a row of ``selection(_:)``.
    static func record(_ row: PostgresRow, _ key: [UInt8]) throws(KeyStoreError) -> SPCFingerprint {
        SPCFingerprint(key: key, digest: try row.requiredBytes(0), expires: try row.requiredInteger(1))
    }

    static func writing(_ sighting: SPCFingerprint) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO spc (key, digest, expires) VALUES ($1, $2, $3)
            ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, expires = excluded.expires, number = DEFAULT
            """,
            [.bytes(sighting.key), .bytes(sighting.digest), .integer(sighting.expires)]
        )
    }
}

/// A row of the table `device_report`: one fact.
enum PostgresDeviceReportRow {
    static func selection(_ device: DeviceHash) -> PostgresQuery {
        PostgresQuery("SELECT fact, value, until FROM device_report WHERE device = $1", [.bytes(device.bytes)])
    }

    /// Creates a report from the rows of ``selection(_:)``.
    static func report(_ rows: [PostgresRow]) throws(KeyStoreError) -> DeviceReport {
        var report = DeviceReport()
        for row in rows {
            report.entries[.init(rawValue: try row.requiredText(0))] = DeviceReport.Entry(
                value: try row.requiredInteger(1),
                until: try row.requiredInteger(2)
            )
        }
        return report
    }

    static func writing(_ device: DeviceHash, _ fact: DeviceReport.Fact, _ entry: DeviceReport.Entry) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO device_report (device, fact, value, until) VALUES ($1, $2, $3, $4)
            ON CONFLICT (device, fact) DO UPDATE SET value = excluded.value, until = excluded.until
            """,
            [.bytes(device.bytes), .text(fact.rawValue), .integer(entry.value), .integer(entry.until)]
        )
    }
}

extension SPCEvidence {
    /// The locks for a decision that involves the SPC and its device.
    var locks: [LockKey] {
        [LockKey(.spc, sighting.key)] + (device.map { [LockKey(.device, $0.bytes)] } ?? [])
    }
}

extension StateReads {
    /// Adds the reads of an SPC and its device.
    mutating func add(_ evidence: SPCEvidence?, to memory: any WritableKeyPath<State, SPCState> & Sendable) {
        guard let evidence else { return }
        let key = evidence.sighting.key
        add(PostgresSPCRow.selection(key)) { state, rows in
            state[keyPath: memory].sighting = try rows.first.map { try PostgresSPCRow.record($0, key) }
        }
        guard let device = evidence.device else { return }
        add(PostgresDeviceReportRow.selection(device)) { state, rows in
            state[keyPath: memory].report = try PostgresDeviceReportRow.report(rows)
        }
    }
}

extension StateReads where State == SPCState {
    /// Creates the reads of an SPC and its device.
    init(for evidence: SPCEvidence) {
        self.init(SPCState())
        add(evidence, to: \.self)
    }
}

extension SPCState {
    /// Returns the writes of the records that differ from `previous`.
    func writes(since previous: SPCState, of evidence: SPCEvidence?) -> [PostgresQuery] {
        guard let evidence else { return [] }
        var writes: [PostgresQuery] = []
        if let sighting, sighting != previous.sighting { writes.append(PostgresSPCRow.writing(sighting)) }
        guard let device = evidence.device else { return writes }
        for (fact, entry) in report.entries where previous.report.entries[fact] != entry {
            writes.append(PostgresDeviceReportRow.writing(device, fact, entry))
        }
        return writes
    }
}
