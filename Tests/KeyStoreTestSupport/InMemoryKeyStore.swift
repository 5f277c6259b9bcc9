import FPSCrypto
package import KeyStore

/// A store in memory for tests. Its records are lost when the process ends.
///
/// Except for durability, it behaves like the other stores. It encrypts nothing, because it writes nothing to disk. The
/// audit log keeps at least the newest 10,000 entries.
package actor InMemoryKeyStore: KeyServerStore {
    var contents: [[UInt8]: ContentRecord] = [:] { didSet { catalogVersion += 1 } }
    var policies: [String: PolicyRecord] = [:] { didSet { catalogVersion += 1 } }
    /// Changes of policies by name, the oldest first.
    private var policyChanges: [String: [PolicyChange]] = [:]
    /// Rows of the history of activity.
    var activityRecords: [ActivityRecord] = []
    private var bundles: [String: CertificateBundleRecord] = [:]
    /// The records of titles, tracks and admin tokens.
    var catalog = InMemoryCatalog() { didSet { catalogVersion += 1 } }
    /// Schedules of live channels, by title. Licenses do not depend on them.
    var schedules: [String: ChannelRecord] = [:]
    private(set) var catalogVersion: Int64 = 0
    var grants = InMemoryGrants()
    var audit = InMemoryAudit()
    let deviceHashKey: SecretBytes

    /// Creates an empty store.
    package init() {
        var random = SecureRandom()
        deviceHashKey = SecretBytes(count: 32, randomFrom: &random)
    }
}

extension InMemoryKeyStore {
    /// Does nothing, because memory is always writable.
    package func probeWrite() async throws(KeyStoreError) {}
}

extension InMemoryKeyStore {
    /// Returns the key of an asset, or nil.
    package func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? { contents[assetID] }

    /// Returns the stored keys with these key IDs.
    package func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord] {
        let requested = Set(keyIDs)
        return contents.values.filter { record in record.info.keyID.map { requested.contains($0) } ?? false }
    }

    /// Stores a record.
    @discardableResult
    package func putContent(_ record: ContentRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        auditing(audit, try write(record, replacing: replacing))
    }

    /// Deletes an asset's key.
    @discardableResult
    package func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        guard let previous = contents.removeValue(forKey: assetID) else { return false }
        if let keyID = previous.info.keyID { catalog.assetIDs[keyID] = nil }
        return auditing(audit, true)
    }

    /// Returns assets, sorted by ID.
    package func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
        let found = contents.values.lazy.map(\.info).filter { info in
            assetID.map { $0.lexicographicallyPrecedes(info.assetID) } ?? true
        }
        return Array(found.sorted { $0.assetID.lexicographicallyPrecedes($1.assetID) }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// Returns the policy with this name, or nil.
    package func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? { policies[name] }

    /// Stores a policy.
    @discardableResult
    package func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        guard policies[record.name] == nil || replacing else { throw .exists("policy \(record.name)") }
        let previous = policies.updateValue(record, forKey: record.name)
        if let change = PolicyChange(from: previous?.document, to: record, audit: audit) { append(change) }
        return auditing(audit, previous == nil ? .created : .replaced)
    }

    private func append(_ change: PolicyChange) {
        let number = (policyChanges[change.policy]?.last?.number ?? 0) + 1
        let numbered = PolicyChange(
            policy: change.policy,
            number: number,
            milliseconds: change.milliseconds,
            actor: change.actor,
            kind: change.kind,
            document: change.document
        )
        let kept = policyChanges[change.policy]?.suffix(Int(PolicyChange.kept) - 1) ?? []
        policyChanges[change.policy] = kept + [numbered]
    }

    /// Returns changes of a policy, the newest first.
    package func policyHistory(
        name: String,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> [PolicyChange] {
        let found = policyChanges[name]?.reversed().filter { $0.number < number ?? .max } ?? []
        return Array(found.prefix(pageSize(limit)))
    }

    /// Returns the records that refer to a policy.
    package func policyUses(name: String, limit: Int) async throws(KeyStoreError) -> PolicyUses {
        func page<Name>(_ names: [Name]) -> ListPage<Name> {
            ListPage(items: Array(names.prefix(pageSize(limit))), total: names.count)
        }
        let titles = catalog.titles.values.filter { $0.policyName == name }.map(\.name).sorted()
        let tracks = catalog.tracks.values.flatMap(\.values).filter { $0.policyName == name }
            .map { PolicyUses.TrackName(title: $0.title, name: $0.name) }
            .sorted { ($0.title, $0.name) < ($1.title, $1.name) }
        let assets = contents.values.map(\.info).filter { $0.policyName == name }.map(\.assetID)
            .sorted { $0.lexicographicallyPrecedes($1) }
        return PolicyUses(titles: page(titles), tracks: page(tracks), assets: page(assets))
    }

    /// Deletes a policy.
    @discardableResult
    package func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        let isInUse = contents.values.contains { $0.info.policyName == name } || catalog.refers(toPolicy: name)
        guard !isInUse else { throw .policyInUse(name) }
        guard let previous = policies.removeValue(forKey: name) else { return false }
        append(PolicyChange(deleting: name, previous.document, audit: audit))
        return auditing(audit, true)
    }

    /// Returns policies, sorted by name.
    package func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord] {
        let found = policies.values.filter { policy in name.map { $0 < policy.name } ?? true }
        return Array(found.sorted { $0.name < $1.name }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// Returns all bundles, sorted by name.
    package func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        bundles.values.sorted { $0.name < $1.name }
    }

    /// Stores a bundle.
    @discardableResult
    package func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome {
        guard bundles[record.name] == nil || replacing else { throw .exists("certificate_bundle \(record.name)") }
        return auditing(audit, bundles.updateValue(record, forKey: record.name) == nil ? .created : .replaced)
    }

    /// Deletes a bundle.
    @discardableResult
    package func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        auditing(audit, bundles.removeValue(forKey: name) != nil)
    }
}
