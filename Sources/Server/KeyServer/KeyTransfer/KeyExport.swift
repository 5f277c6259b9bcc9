import DRMSignaling
package import FPSCrypto
package import KeyStore

/// Exports keys to a file: unencrypted, or encrypted for recipients.
package enum KeyExport {
    /// The format of the file.
    package enum Format: String, Sendable, CaseIterable {
        /// A CSV file with a row for each key, with everything that ``KeyImport`` reads.
        case csv
        /// A CPIX 2.3 document with the keys of one title. It contains no policies, stream IDs and title IDs.
        case cpix
    }

    /// Exports the keys of a title, or all keys.
    ///
    /// - Parameters:
    ///   - recipients: The certificates for which the keys of a CPIX document are encrypted; empty means unencrypted
    ///     keys.
    ///   - write: Writes a part of the file.
    /// - Returns: The number of exported keys.
    /// - Throws: `KeyStoreError`, `SignalingError`, ``KeyFileError``, and the errors of `write`.
    package static func write(
        title: String?,
        as format: Format,
        encryptedTo recipients: [X509Certificate] = [],
        from store: any KeyServerStore,
        to write: ([UInt8]) throws -> Void
    ) async throws -> Int {
        switch format {
        case .csv:
            var count = 0
            try write(Array(KeyRow.csvHeader.utf8))
            try await forEachRow(title: title, store) { row in
                count += 1
                try write(Array(row.csvLine.utf8))
            }
            return count
        case .cpix:
            guard let title else {
                throw KeyFileError(line: 1, reason: "a CPIX document contains the keys of one title: give its name")
            }
            var rows: [KeyRow] = []
            try await forEachRow(title: title, store) { rows.append($0) }
            var document = try KeyRow.document(of: rows, title: title)
            document.deliveryData = recipients.map { .init(name: $0.subject, certificate: $0.der) }
            if !recipients.isEmpty { try document.encryptKeys(at: systemMilliseconds() / 1_000) }
            try write(document.xml)
            return rows.count
        }
    }

    private static func forEachRow(
        title: String?,
        _ store: any KeyServerStore,
        _ body: (KeyRow) throws -> Void
    ) async throws {
        var line = 1
        func export(_ infos: [ContentInfo]) async throws {
            for info in infos {
                // The key may have been deleted since the page was read.
                guard let found = try await store.lookup(assetID: info.assetID) else { continue }
                line += 1
                try body(KeyRow(found, line: line))
            }
        }
        guard let title else {
            var last: [UInt8]?
            repeat {
                let page = try await store.contents(after: last, limit: 500)
                try await export(page)
                last = page.last?.assetID
            } while last != nil
            return
        }
        guard try await store.title(name: title) != nil else { throw KeyStoreError.noTitle(title, "keys") }
        for track in try await store.tracks(title: title) {
            var last: ContentInfo?
            repeat {
                let page = try await store.keyPeriods(title: title, track: track.name, after: last, limit: 500)
                try await export(page)
                last = page.last
            } while last != nil
        }
    }
}

extension KeyRow {
    /// Creates a row from a stored key.
    init(_ found: ContentLookup, line: Int) {
        let (record, info) = (found.record, found.record.info)
        self.init(line: line, key: record.contentKey, iv: record.iv)
        title = info.titleName
        track = info.trackName
        kind = found.kind
        assetID = info.assetID
        keyID = info.keyID
        policy = info.policyName
        streamID = found.streamID
        validFrom = info.validFrom
        validUntil = info.validUntil
        titleID = found.titleID
        titlePolicy = found.title?.policyName
        trackPolicy = found.track?.policyName
        template = found.title?.keyURITemplate
    }
}
