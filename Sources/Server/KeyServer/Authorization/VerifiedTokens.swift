import FPSCrypto
import Synchronization

/// A cache of tokens with valid signatures, by hash, as long as the keys do not change.
///
/// A player sends the same token for four keys and for every renewal, and the verification of ES256 is a large part of
/// the cost of a license. Only the result for the signature is cached: times, claims and everything else are checked
/// for each request.
final class VerifiedTokens: Sendable {
    private struct State {
        /// The keys that verified the signatures.
        var keys: VerificationKeySet.Identity?
        var hashes: LRUCache<[UInt8], Void>
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// Creates a cache of `capacity` to twice as many tokens.
    init(capacity: Int = 4_096) {
        self.capacity = capacity
        state = Mutex(State(hashes: LRUCache(capacity: capacity)))
    }

    static func hash(_ token: CompactToken) -> [UInt8] {
        // The dot cannot occur in either part, and the signature is canonical, so that different tokens have different
        // hashes.
        SHA256.hash(token.signedPart + [UInt8(ascii: ".")] + token.signature)
    }

    func contains(_ hash: [UInt8], keys: VerificationKeySet.Identity) -> Bool {
        state.withLock { state in state.keys === keys && state.hashes.use(hash) != nil }
    }

    func insert(_ hash: [UInt8], keys: VerificationKeySet.Identity) {
        state.withLock { state in
            if state.keys !== keys { state = State(keys: keys, hashes: LRUCache(capacity: capacity)) }
            state.hashes.set(hash, ())
        }
    }
}
