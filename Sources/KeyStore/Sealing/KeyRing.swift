import Synchronization

/// The key-encryption keys that a running store knows: the current one, and earlier ones for as long as the process
/// lives, because a reader may still hold a row from before a rotation.
package final class KeyRing: Sendable {
    private struct State {
        var current: KeyEncryptionKey
        var earlier: [KeyEncryptionKey] = []
    }

    private let state: Mutex<State>

    package init(_ key: KeyEncryptionKey) { state = Mutex(State(current: key)) }

    /// The key that seals.
    package var current: KeyEncryptionKey { state.withLock { $0.current } }

    /// The key that sealed this value, or the current one, which then says that it did not.
    package func key(for envelope: [UInt8]) -> KeyEncryptionKey {
        state.withLock { state in
            let id = envelope.dropFirst().prefix(state.current.id.count)
            return state.earlier.first { $0.id.elementsEqual(id) } ?? state.current
        }
    }

    /// Makes `key` the one that seals.
    package func adopt(_ key: KeyEncryptionKey) {
        state.withLock { state in
            state.earlier.append(state.current)
            state.current = key
        }
    }
}
