import GRDB
import KeyStore
import Synchronization

/// The key-encryption keys that a running store knows: the current one, and earlier ones for as long as the process
/// lives, because a reader may still hold a row from before a rotation.
final class KeyRing: Sendable {
    private struct State {
        var current: KeyEncryptionKey
        var earlier: [KeyEncryptionKey] = []
    }

    private let state: Mutex<State>

    init(_ key: KeyEncryptionKey) { state = Mutex(State(current: key)) }

    /// The key that seals.
    var current: KeyEncryptionKey { state.withLock { $0.current } }

    /// The key that sealed this value, or the current one, which then says that it did not.
    func key(for envelope: [UInt8]) -> KeyEncryptionKey {
        state.withLock { state in
            let id = envelope.dropFirst().prefix(state.current.id.count)
            return state.earlier.first { $0.id.elementsEqual(id) } ?? state.current
        }
    }

    /// Makes `key` the one that seals.
    func adopt(_ key: KeyEncryptionKey) {
        state.withLock { state in
            state.earlier.append(state.current)
            state.current = key
        }
    }

    /// Holds, inside a transaction, that the database still uses the current key: another process may have rotated.
    func requireCurrent(_ db: Database) throws -> KeyEncryptionKey {
        let key = current
        let id = try Row.fetchOne(try db.cachedStatement(sql: "SELECT kek_id FROM sealing"))?.bytes(0)
        guard id == key.id else {
            throw KeyStoreError(
                .wrongKEK,
                place: "sealing",
                reason: "the database uses key \(id.map { hex($0) } ?? "none"), the key given is \(hex(key.id))"
            )
        }
        return key
    }
}
