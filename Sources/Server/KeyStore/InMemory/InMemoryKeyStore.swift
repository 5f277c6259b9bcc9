import FPSCrypto

/// A store that forgets everything with the process: for tests, demonstrations and `--store memory`.
///
/// It keeps the promises of the others, durability apart; nothing is sealed, since nothing rests. The audit log keeps
/// the newest 10,000 entries.
package actor InMemoryKeyStore: KeyServerStore {
    var contents: [[UInt8]: ContentRecord] = [:] { didSet { catalogVersion += 1 } }
    var policies: [String: PolicyRecord] = [:] { didSet { catalogVersion += 1 } }
    private var bundles: [String: CertificateBundleRecord] = [:]
    /// What the extension on titles keeps.
    var catalog = InMemoryCatalog() { didSet { catalogVersion += 1 } }
    /// Schedules of live channels, by title. No license depends on them.
    var schedules: [String: ChannelRecord] = [:]
    private(set) var catalogVersion: Int64 = 0
    var grants = InMemoryGrants()
    var audit = InMemoryAudit()
    let deviceHashKey: SecretBytes

    /// Makes an empty store.
    package init() {
        var random = SecureRandom()
        deviceHashKey = SecretBytes(count: 32, randomFrom: &random)
    }
}

extension InMemoryKeyStore {
    /// Memory can always be written.
    package func probeWrite() async throws(KeyStoreError) {}
}

extension InMemoryKeyStore {
    /// The key of an asset, or nil.
    package func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? { contents[assetID] }

    /// The keys with these key IDs, those that are stored.
    package func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord] {
        let sought = Set(keyIDs)
        return contents.values.filter { record in record.info.keyID.map { sought.contains($0) } ?? false }
    }

    /// Keeps a record.
    @discardableResult
    package func putContent(_ record: ContentRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError)
        -> WriteOutcome
    {
        noting(audit, try write(record, replacing: replacing))
    }

    /// Forgets an asset.
    @discardableResult
    package func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        guard let former = contents.removeValue(forKey: assetID) else { return false }
        if let keyID = former.info.keyID { catalog.assetIDs[keyID] = nil }
        return noting(audit, true)
    }

    /// Assets in the order of their IDs.
    package func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
        let found = contents.values.lazy.map(\.info).filter { info in
            assetID.map { $0.lexicographicallyPrecedes(info.assetID) } ?? true
        }
        return Array(found.sorted { $0.assetID.lexicographicallyPrecedes($1.assetID) }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// The policy of that name, or nil.
    package func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? { policies[name] }

    /// Keeps a policy.
    @discardableResult
    package func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError)
        -> WriteOutcome
    {
        guard policies[record.name] == nil || replacing else { throw .exists("policy \(record.name)") }
        return noting(audit, policies.updateValue(record, forKey: record.name) == nil ? .created : .replaced)
    }

    /// Forgets a policy.
    @discardableResult
    package func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        let isInUse = contents.values.contains { $0.info.policyName == name } || catalog.refers(toPolicy: name)
        guard !isInUse else { throw .policyInUse(name) }
        return noting(audit, policies.removeValue(forKey: name) != nil)
    }

    /// Policies in the order of their names.
    package func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord] {
        let found = policies.values.filter { policy in name.map { $0 < policy.name } ?? true }
        return Array(found.sorted { $0.name < $1.name }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// All bundles in the order of their names.
    package func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        bundles.values.sorted { $0.name < $1.name }
    }

    /// Keeps a bundle.
    @discardableResult
    package func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool,
        audit: AuditNote?
    ) async throws(KeyStoreError) -> WriteOutcome {
        guard bundles[record.name] == nil || replacing else { throw .exists("certificate_bundle \(record.name)") }
        return noting(audit, bundles.updateValue(record, forKey: record.name) == nil ? .created : .replaced)
    }

    /// Forgets a bundle.
    @discardableResult
    package func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        noting(audit, bundles.removeValue(forKey: name) != nil)
    }
}

/// How many rows a page has, whatever was asked for.
package func pageSize(_ limit: Int) -> Int { min(max(limit, 1), 1_000) }

extension KeyStoreError {
    /// There is such a record and it was not to be replaced.
    package static func exists(_ place: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: place, reason: "there is one already")
    }

    /// A record refers to a policy that is not there.
    package static func noPolicy(_ name: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "there is no policy \(name)")
    }

    /// A policy that content refers to was to be deleted.
    package static func policyInUse(_ name: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "policy \(name)", reason: "content, a title or a track refers to it")
    }
}
