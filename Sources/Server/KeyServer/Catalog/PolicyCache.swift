import KeyServerModule
import KeyStore
import Synchronization

/// A cache of parsed policies. Parsing a policy takes longer than all checks together.
///
/// Documents are looked up by their bytes, so that a changed policy takes effect immediately.
final class PolicyCache: Sendable {
    private let parsed = Mutex<[[UInt8]: LicensePolicy]>([:])
    /// The maximum number of policies, more than a service typically has. A full cache is emptied.
    private static let capacity = 1_000

    /// Returns the policy in a record, with the record's name.
    func policy(_ record: PolicyRecord) throws(KSMError) -> LicensePolicy {
        let known = parsed.withLock { $0[record.document] }
        var policy: LicensePolicy
        if let known {
            policy = known
        } else {
            do {
                policy = try LicensePolicy(json: record.document)
            } catch {
                // It was valid when it was stored, but another version of this server may have stored it.
                throw KSMError(.policy, .policyInvalid, "policy \(record.name): \(error)")
            }
            parsed.withLock { [policy] bundleCache in
                if bundleCache.count >= Self.capacity { bundleCache.removeAll() }
                bundleCache[record.document] = policy
            }
        }
        policy.name = record.name
        return policy
    }
}
