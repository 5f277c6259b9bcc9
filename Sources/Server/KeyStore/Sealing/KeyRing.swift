import Synchronization
import TextCoding

/// The key-encryption keys that a running store knows: the one that seals, and others that open. Those are former ones, since
/// a reader may still hold a row from before a rotation, and the one that the store is about to be sealed under.
package final class KeyRing: Sendable {
    private struct State {
        var current: KeyEncryptionKey
        var others: [KeyEncryptionKey]
    }

    /// Reads the keys again where they came from; nil when they came from nowhere in particular.
    private let source: (@Sendable () throws(KeyStoreError) -> [KeyEncryptionKey])?
    private let state: Mutex<State>

    /// Begins with one key.
    package init(_ key: KeyEncryptionKey) {
        source = nil
        state = Mutex(State(current: key, others: []))
    }

    /// Begins with the keys of a source, the first of them as the one that seals.
    ///
    /// - Throws: ``KeyStoreError/Code/missingKEK`` when there is none.
    package init(
        _ keys: [KeyEncryptionKey],
        source: @escaping @Sendable () throws(KeyStoreError) -> [KeyEncryptionKey]
    ) throws(KeyStoreError) {
        guard let first = keys.first else { throw KeyStoreError(.missingKEK, place: "key-encryption key") }
        self.source = source
        state = Mutex(State(current: first, others: Array(keys.dropFirst())))
    }

    /// The key that seals.
    package var current: KeyEncryptionKey { state.withLock { $0.current } }

    /// The key that sealed this value, or the current one, which then says that it did not.
    package func key(for envelope: [UInt8]) -> KeyEncryptionKey {
        state.withLock { state in
            let id = envelope.dropFirst().prefix(state.current.id.count)
            if state.current.id.elementsEqual(id) { return state.current }
            return state.others.first { $0.id.elementsEqual(id) } ?? state.current
        }
    }

    /// The key with an ID, which the store says is the one in use; it seals from now on.
    ///
    /// - Throws: ``KeyStoreError/Code/wrongKEK`` when it is none of the keys that are known.
    package func requireCurrent(id: [UInt8]?) throws(KeyStoreError) -> KeyEncryptionKey {
        let (found, current) = state.withLock { state in
            if state.current.id != id, let index = state.others.firstIndex(where: { $0.id == id }) {
                swap(&state.current, &state.others[index])
            }
            return (state.current.id == id, state.current)
        }
        guard found else {
            throw KeyStoreError(
                .wrongKEK,
                place: "sealing",
                reason:
                    "the database uses key \(id.map { Hexadecimal.encode($0) } ?? "none"), the key given is \(Hexadecimal.encode(current.id))"
            )
        }
        return current
    }

    /// Makes `key` the one that seals.
    package func adopt(_ key: KeyEncryptionKey) {
        state.withLock { state in
            guard state.current.id != key.id else { return }
            state.others.removeAll { $0.id == key.id }
            state.others.append(state.current)
            state.current = key
        }
    }

    /// Reads the source again, and takes the keys that are new there. Those that are gone from it open nothing that is in the
    /// store once it has been sealed anew; until the process ends they may still open what a reader holds.
    ///
    /// - Returns: how many are new.
    /// - Throws: what reading the source throws; nothing has changed then.
    package func readAgain() throws(KeyStoreError) -> Int {
        guard let source else { return 0 }
        let keys = try source()
        return state.withLock { state in
            let new = keys.filter { key in key.id != state.current.id && !state.others.contains { $0.id == key.id } }
            state.others += new
            return new.count
        }
    }
}
