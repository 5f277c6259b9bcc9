#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// A libcrypto stream (BIO) over bytes in memory.
package enum MemoryBIO {
    /// Calls `body` with a stream that reads `bytes` without copying them.
    package static func reading<Value, Failure: Error>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (OpaquePointer?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
        defer { BIO_free(bio) }
        return try body(bio)
    }

    /// Returns the bytes that `write` writes to a stream, or nil if it reports a failure. libcrypto wipes the stream's
    /// memory when it frees the stream.
    package static func written(_ write: (OpaquePointer) -> Int32) -> SecretBytes? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return nil }
        var start: UnsafePointer<UInt8>?
        let count = clibcrypto_bio_bytes(bio, &start)
        return SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    }
}
#endif
