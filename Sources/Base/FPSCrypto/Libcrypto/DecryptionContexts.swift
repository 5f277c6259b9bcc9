#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto
import Locking

/// The decryption contexts of one RSA key, kept for the next call: setting one up costs libcrypto several microseconds.
///
/// A context serves one call at a time; as many exist as calls were ever under way at once, at most ``limit`` idle.
final class DecryptionContexts: Sendable {
    private static let limit = 64
    private let idle = Lock<[Context]>([])

    /// A pointer that only its holder uses.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    deinit { idle.withLock { $0.forEach { EVP_PKEY_CTX_free($0.pointer) } } }

    /// Lends a context to `body`; nil if libcrypto has none to give.
    func withContext<Value>(for key: OpaquePointer, _ body: (OpaquePointer) -> Value?) -> Value? {
        let kept = idle.withLock { $0.popLast() }
        guard let context = kept?.pointer ?? oaepContext(key, initializing: EVP_PKEY_decrypt_init) else { return nil }
        defer {
            let isKept = idle.withLock { contexts in
                guard contexts.count < Self.limit else { return false }
                contexts.append(Context(pointer: context))
                return true
            }
            if !isKept { EVP_PKEY_CTX_free(context) }
        }
        return body(context)
    }
}
#endif
