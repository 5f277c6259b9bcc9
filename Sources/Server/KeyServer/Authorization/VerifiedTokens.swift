import FPSCrypto
import Synchronization

/// Tokens whose signatures were found good, by hash, for as long as the keys are the same.
///
/// A player sends one token for four keys and for every renewal, and verifying ES256 costs a good part of what a license
/// may cost. Only the signature is remembered: times, claims and everything else are looked at each time.
final class VerifiedTokens: Sendable {
    private struct State {
        /// What the hashes were verified with.
        var keys: VerificationKeySet.Identity?
        var hashes: RecentlyUsed<[UInt8], Void>
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// Remembers from `capacity` to twice as many tokens.
    init(capacity: Int = 4_096) {
        self.capacity = capacity
        state = Mutex(State(hashes: RecentlyUsed(capacity: capacity)))
    }

    static func hash(_ token: CompactToken) -> [UInt8] {
        // The dot cannot be in either part, and the signature is canonical: one hash, one token.
        SHA256.hash(token.signedPart + [UInt8(ascii: ".")] + token.signature)
    }

    func contains(_ hash: [UInt8], keys: VerificationKeySet.Identity) -> Bool {
        state.withLock { state in state.keys === keys && state.hashes.use(hash) != nil }
    }

    func insert(_ hash: [UInt8], keys: VerificationKeySet.Identity) {
        state.withLock { state in
            if state.keys !== keys { state = State(keys: keys, hashes: RecentlyUsed(capacity: capacity)) }
            state.hashes.set(hash, ())
        }
    }
}
