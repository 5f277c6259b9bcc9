import KeyServerModule
import KeyStore
import Synchronization

/// Policies that were read once: parsing one takes longer than all checks together.
///
/// A document is looked up by its bytes, so that a changed policy holds at once.
final class PolicyShelf: Sendable {
    private let parsed = Mutex<[[UInt8]: LicensePolicy]>([:])
    /// More than a service has; when it is full it is emptied.
    private static let capacity = 1_000

    /// The policy that a record holds, under the record's name.
    func policy(_ record: PolicyRecord) throws(KSMError) -> LicensePolicy {
        let known = parsed.withLock { $0[record.document] }
        var policy: LicensePolicy
        if let known {
            policy = known
        } else {
            do {
                policy = try LicensePolicy(json: record.document)
            } catch {
                // It was valid when it was stored; a newer or older version of this server may see it otherwise.
                throw KSMError(.policy, .policyInvalid, "policy \(record.name): \(error)")
            }
            parsed.withLock { [policy] shelf in
                if shelf.count >= Self.capacity { shelf.removeAll() }
                shelf[record.document] = policy
            }
        }
        policy.name = record.name
        return policy
    }
}
