import FPSCrypto
import Synchronization

/// Tokens whose signatures were found good, by hash, for as long as the keys are the same.
///
/// A player sends one token for four keys and for every renewal, and verifying ES256 costs a good part of what a licence
/// may cost. Only the signature is remembered: times, claims and everything else are looked at each time.
final class VerifiedTokens: Sendable {
    private struct State {
        /// What the hashes were verified with.
        var keys: VerificationKeySet.Identity?
        var young: Set<[UInt8]> = []
        var old: Set<[UInt8]> = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Remembers from `capacity` to twice as many tokens.
    init(capacity: Int = 4_096) { self.capacity = capacity }

    static func hash(_ token: CompactToken) -> [UInt8] {
        // The dot cannot be in either part, and the signature is canonical: one hash, one token.
        SHA256.hash(token.signedPart + [UInt8(ascii: ".")] + token.signature)
    }

    func contains(_ hash: [UInt8], keys: VerificationKeySet.Identity) -> Bool {
        state.withLock { state in
            guard state.keys === keys else { return false }
            if state.young.contains(hash) { return true }
            guard state.old.contains(hash) else { return false }
            insert(hash, &state)
            return true
        }
    }

    func insert(_ hash: [UInt8], keys: VerificationKeySet.Identity) {
        state.withLock { state in
            if state.keys !== keys { state = State(keys: keys) }
            insert(hash, &state)
        }
    }

    private func insert(_ hash: [UInt8], _ state: inout State) {
        state.young.insert(hash)
        guard state.young.count >= capacity else { return }
        state.old = state.young
        state.young = []
    }
}
