import KeyStore
import Synchronization

/// The SPCs of unauthorized requests whose evidence the store has, in bounded memory.
///
/// The refusal of an intact SPC is recorded even if the ``RefusalBudget`` is exhausted, because its evidence lets the
/// server recognize altered copies. Without this memory, a client could fill the disk with copies of one SPC.
final class RefusedMessages: Sendable {
    /// The relation of a message to the known ones.
    enum Match: Equatable {
        /// No message has this RSA block.
        case new
        /// The message is known.
        case same
        /// A message with the same RSA block, but other bytes is known.
        case altered
    }

    /// The hash of each message, by that of its RSA block.
    private let digests: Mutex<LRUCache<[UInt8], [UInt8]>>

    /// Creates an empty memory.
    ///
    /// - Parameter capacity: The minimum number of messages to keep, with about 150 bytes each; at most twice as many
    ///   are kept.
    init(capacity: Int = 16_384) { digests = Mutex(LRUCache(capacity: capacity)) }

    /// Compares a message with the known ones.
    func match(_ message: SPCFingerprint) -> Match {
        switch digests.withLock({ $0.use(message.key) }) {
        case nil: .new
        case message.digest?: .same
        default: .altered
        }
    }

    /// Adds a message whose evidence is stored; an altered one does not replace the first.
    func insert(_ message: SPCFingerprint) {
        digests.withLock { digests in
            if digests.use(message.key) == nil { digests.set(message.key, message.digest) }
        }
    }
}
