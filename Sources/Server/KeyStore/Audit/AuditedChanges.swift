/// Creates the audit record of a write from the write's outcome. The record is written in the same transaction. The
/// closure may be called several times; only the last result is used.
package typealias AuditRecordProvider = @Sendable (WriteOutcome) -> AuditRecord

// The same changes without an audit record: for an import, which is audited as a whole, and for tests.

extension ContentStore {
    /// Stores a record; see ``putContent(_:replacing:audit:)``.
    @discardableResult
    package func putContent(_ record: ContentRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        try await putContent(record, replacing: replacing, audit: nil)
    }

    /// Deletes an asset's key; see ``deleteContent(assetID:audit:)``.
    @discardableResult
    package func deleteContent(assetID: [UInt8]) async throws(KeyStoreError) -> Bool {
        try await deleteContent(assetID: assetID, audit: nil)
    }
}

extension TitleStore {
    /// Keeps a title; see ``putTitle(_:replacing:audit:)``.
    @discardableResult
    package func putTitle(_ record: TitleRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        try await putTitle(record, replacing: replacing, audit: nil)
    }

    /// Forgets a title; see ``deleteTitle(name:audit:)``.
    @discardableResult
    package func deleteTitle(name: String) async throws(KeyStoreError) -> Bool {
        try await deleteTitle(name: name, audit: nil)
    }

    /// Keeps a track; see ``putTrack(_:replacing:audit:)``.
    @discardableResult
    package func putTrack(_ record: TrackRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        try await putTrack(record, replacing: replacing, audit: nil)
    }

    /// Forgets a track; see ``deleteTrack(title:name:audit:)``.
    @discardableResult
    package func deleteTrack(title: String, name: String) async throws(KeyStoreError) -> Bool {
        try await deleteTrack(title: title, name: name, audit: nil)
    }

    /// Keeps many records at once; see ``put(_:replacing:audit:)``.
    package func put(_ batch: ContentBatch, replacing: Bool) async throws(KeyStoreError) {
        try await put(batch, replacing: replacing, audit: nil)
    }
}

extension PolicyStore {
    /// Keeps a policy; see ``putPolicy(_:replacing:audit:)``.
    @discardableResult
    package func putPolicy(_ record: PolicyRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        try await putPolicy(record, replacing: replacing, audit: nil)
    }

    /// Forgets a policy; see ``deletePolicy(name:audit:)``.
    @discardableResult
    package func deletePolicy(name: String) async throws(KeyStoreError) -> Bool {
        try await deletePolicy(name: name, audit: nil)
    }
}

extension CertificateStore {
    /// Keeps a bundle; see ``putCertificateBundle(_:replacing:audit:)``.
    @discardableResult
    package func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool
    ) async throws(KeyStoreError) -> WriteOutcome {
        try await putCertificateBundle(record, replacing: replacing, audit: nil)
    }

    /// Forgets a bundle; see ``deleteCertificateBundle(name:audit:)``.
    @discardableResult
    package func deleteCertificateBundle(name: String) async throws(KeyStoreError) -> Bool {
        try await deleteCertificateBundle(name: name, audit: nil)
    }
}

extension AdminTokenStore {
    /// Keeps a token; see ``addAdminToken(_:audit:)``.
    package func addAdminToken(_ record: AdminTokenRecord) async throws(KeyStoreError) {
        try await addAdminToken(record, audit: nil)
    }

    /// Forgets a token; see ``deleteAdminToken(name:audit:)``.
    @discardableResult
    package func deleteAdminToken(name: String) async throws(KeyStoreError) -> Bool {
        try await deleteAdminToken(name: name, audit: nil)
    }
}
