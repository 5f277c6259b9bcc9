import FPSCrypto

/// A store that forgets everything with the process: for tests, demonstrations and `--store memory`.
///
/// It keeps the promises of the others, durability apart; nothing is sealed, since nothing rests. The audit log keeps
/// the newest 10,000 entries.
public actor InMemoryKeyStore: KeyStore {
    private var contents: [[UInt8]: ContentRecord] = [:]
    private var policies: [String: PolicyRecord] = [:]
    private var bundles: [String: CertificateBundleRecord] = [:]
    private var audit: [AuditEntry] = []
    private var lastNumber: Int64 = 0
    private let deviceHashKey: SecretBytes
    private static let auditCapacity = 10_000

    /// Makes an empty store.
    public init() {
        var random = SecureRandom()
        deviceHashKey = SecretBytes(count: 32, randomFrom: &random)
    }
}

extension InMemoryKeyStore {
    /// The key of an asset, or nil.
    public func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? { contents[assetID] }

    /// Keeps a record.
    @discardableResult
    public func putContent(_ record: ContentRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        let place = record.info.place
        let former = contents[record.info.assetID]
        guard former == nil || replacing else { throw .exists(place) }
        if let policy = record.info.policyName, policies[policy] == nil { throw .noPolicy(policy, place) }
        var record = record
        if let former { record.info.created = former.info.created }
        contents[record.info.assetID] = record
        return former == nil ? .created : .replaced
    }

    /// Forgets an asset.
    @discardableResult
    public func deleteContent(assetID: [UInt8]) async throws(KeyStoreError) -> Bool {
        contents.removeValue(forKey: assetID) != nil
    }

    /// Assets in the order of their IDs.
    public func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
        let found = contents.values.lazy.map(\.info).filter { info in
            assetID.map { $0.lexicographicallyPrecedes(info.assetID) } ?? true
        }
        return Array(found.sorted { $0.assetID.lexicographicallyPrecedes($1.assetID) }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// The policy of that name, or nil.
    public func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? { policies[name] }

    /// Keeps a policy.
    @discardableResult
    public func putPolicy(_ record: PolicyRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        guard policies[record.name] == nil || replacing else { throw .exists("policy \(record.name)") }
        return policies.updateValue(record, forKey: record.name) == nil ? .created : .replaced
    }

    /// Forgets a policy.
    @discardableResult
    public func deletePolicy(name: String) async throws(KeyStoreError) -> Bool {
        guard !contents.values.contains(where: { $0.info.policyName == name }) else { throw .policyInUse(name) }
        return policies.removeValue(forKey: name) != nil
    }

    /// Policies in the order of their names.
    public func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord] {
        let found = policies.values.filter { policy in name.map { $0 < policy.name } ?? true }
        return Array(found.sorted { $0.name < $1.name }.prefix(pageSize(limit)))
    }
}

extension InMemoryKeyStore {
    /// All bundles in the order of their names.
    public func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        bundles.values.sorted { $0.name < $1.name }
    }

    /// Keeps a bundle.
    @discardableResult
    public func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool
    ) async throws(KeyStoreError) -> WriteOutcome {
        guard bundles[record.name] == nil || replacing else { throw .exists("certificate_bundle \(record.name)") }
        return bundles.updateValue(record, forKey: record.name) == nil ? .created : .replaced
    }

    /// Forgets a bundle.
    @discardableResult
    public func deleteCertificateBundle(name: String) async throws(KeyStoreError) -> Bool {
        bundles.removeValue(forKey: name) != nil
    }
}

extension InMemoryKeyStore {
    /// Adds a record.
    public func append(_ record: AuditRecord) async throws(KeyStoreError) {
        lastNumber += 1
        // Dropping half at a time keeps the cost of dropping out of the single append.
        if audit.count == 2 * Self.auditCapacity { audit.removeFirst(Self.auditCapacity) }
        audit.append(AuditEntry(number: lastNumber, record: record))
    }

    /// Entries, the newest first.
    public func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        let older = audit.reversed().lazy.filter { entry in number.map { entry.number < $0 } ?? true }
        return Array(older.prefix(pageSize(limit)))
    }

    /// The hash that stands for a device.
    public nonisolated func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }
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
        KeyStoreError(.conflict, place: "policy \(name)", reason: "content refers to it")
    }
}
