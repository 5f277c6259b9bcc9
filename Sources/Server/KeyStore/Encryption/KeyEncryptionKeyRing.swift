import Synchronization
import TextCoding

/// The key-encryption keys of a running store: the current one, which encrypts, and others that only decrypt. The
/// others are old keys, because a reader may still have a row from before a rotation, and the key of the next rotation.
package final class KeyEncryptionKeyRing: Sendable {
    private struct State {
        var current: KeyEncryptionKey
        var others: [KeyEncryptionKey]
    }

    /// Reads the keys again from their source, or nil if there is no source.
    private let source: (@Sendable () throws(KeyStoreError) -> [KeyEncryptionKey])?
    private let state: Mutex<State>

    /// Creates a key ring with one key.
    package init(_ key: KeyEncryptionKey) {
        source = nil
        state = Mutex(State(current: key, others: []))
    }

    /// Creates a key ring with the keys of a source. The first key encrypts.
    ///
    /// - Throws: ``KeyStoreError/Code/missingKEK`` if `keys` is empty.
    package init(
        _ keys: [KeyEncryptionKey],
        source: @escaping @Sendable () throws(KeyStoreError) -> [KeyEncryptionKey]
    ) throws(KeyStoreError) {
        guard let first = keys.first else { throw KeyStoreError(.missingKEK, place: "key-encryption key") }
        self.source = source
        state = Mutex(State(current: first, others: Array(keys.dropFirst())))
    }

    /// The key that encrypts.
    package var current: KeyEncryptionKey { state.withLock { $0.current } }

    /// Returns the key that encrypted a value, or the current key, whose decryption then fails with the right error.
    package func key(for envelope: [UInt8]) -> KeyEncryptionKey {
        state.withLock { state in
            let id = envelope.dropFirst().prefix(state.current.id.count)
            if state.current.id.elementsEqual(id) { return state.current }
            return state.others.first { $0.id.elementsEqual(id) } ?? state.current
        }
    }

    /// Makes the key with an ID the current one, because the store uses it, and returns it.
    ///
    /// - Throws: ``KeyStoreError/Code/wrongKEK`` if the key ring does not contain it.
    package func selectCurrent(id: [UInt8]?) throws(KeyStoreError) -> KeyEncryptionKey {
        let (found, current) = state.withLock { state in
            if state.current.id != id, let index = state.others.firstIndex(where: { $0.id == id }) {
                swap(&state.current, &state.others[index])
            }
            return (state.current.id == id, state.current)
        }
        guard found else {
            throw KeyStoreError(
                .wrongKEK,
                place: "encryption",
                reason:
                    "the database uses key \(id.map { Hexadecimal.encode($0) } ?? "none"), "
                    + "but the available key is \(Hexadecimal.encode(current.id))"
            )
        }
        return current
    }

    /// Makes `key` the current key.
    package func setCurrent(_ key: KeyEncryptionKey) {
        state.withLock { state in
            guard state.current.id != key.id else { return }
            state.others.removeAll { $0.id == key.id }
            state.others.append(state.current)
            state.current = key
        }
    }

    /// Reads the source again and adds its new keys. Keys that the source no longer contains stay until the process
    /// ends, because a reader may still have a row that they decrypt.
    ///
    /// - Returns: The number of new keys.
    /// - Throws: The errors of reading the source; the key ring is then unchanged.
    package func reload() throws(KeyStoreError) -> Int {
        guard let source else { return 0 }
        let keys = try source()
        return state.withLock { state in
            let new = keys.filter { key in key.id != state.current.id && !state.others.contains { $0.id == key.id } }
            state.others += new
            return new.count
        }
    }
}
