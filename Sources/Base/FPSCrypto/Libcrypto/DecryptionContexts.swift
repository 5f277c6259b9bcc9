#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto
import Locking

/// A pool of decryption contexts for one RSA key. Contexts are reused because creating one costs libcrypto several
/// microseconds.
///
/// A context is used by one call at a time. The pool grows to the highest number of concurrent calls, with at most
/// ``limit`` idle contexts.
final class DecryptionContexts: Sendable {
    private static let limit = 64
    private let idle = Lock<[Context]>([])

    /// A context that only one call uses at a time.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    deinit { idle.withLock { $0.forEach { EVP_PKEY_CTX_free($0.pointer) } } }

    /// Calls `body` with a context from the pool. Returns nil if libcrypto cannot create a context.
    func withContext<Value>(for key: OpaquePointer, _ body: (OpaquePointer) -> Value?) -> Value? {
        let pooled = idle.withLock { $0.popLast() }
        guard let context = pooled?.pointer ?? oaepContext(key, initializing: EVP_PKEY_decrypt_init) else { return nil }
        defer {
            let isPooled = idle.withLock { contexts in
                guard contexts.count < Self.limit else { return false }
                contexts.append(Context(pointer: context))
                return true
            }
            if !isPooled { EVP_PKEY_CTX_free(context) }
        }
        return body(context)
    }
}
#endif
