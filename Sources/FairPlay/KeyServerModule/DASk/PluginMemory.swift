import CKeywayDASk
import FPSCrypto
import TextCoding

/// The memory for an output of a plug-in's function. It is wiped when the object goes away.
final class PluginOutput {
    private let memory: UnsafeMutableRawBufferPointer

    /// Allocates memory of this size, in bytes. It is larger than a valid output, so that an output of another size is
    /// reported with its size.
    init(capacity: Int = 256) {
        memory = .allocate(byteCount: max(capacity, 1), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        SecretBytes.wipe(memory)
        memory.deallocate()
    }

    /// The empty buffer to pass to the plug-in. It is valid while this object exists.
    var buffer: keyway_dask_buffer {
        keyway_dask_buffer(
            bytes: memory.bindMemory(to: UInt8.self).baseAddress,
            capacity: memory.count,
            length: 0
        )
    }

    /// Returns a copy of the bytes that the plug-in has written.
    ///
    /// - Parameters:
    ///   - buffer: The buffer that the plug-in has filled.
    ///   - sizes: The valid sizes, in bytes; nil if every size is valid.
    /// - Throws: `dask-unavailable` if the plug-in reports another size, or one that exceeds the buffer.
    func bytes(_ buffer: keyway_dask_buffer, _ name: String, sizes: Set<Int>?) throws(KSMError) -> [UInt8] {
        Array(memory[..<(try count(buffer, name, sizes: sizes))])
    }

    /// Returns a copy of the bytes that the plug-in has written, as a secret.
    func secret(_ buffer: keyway_dask_buffer, _ name: String, sizes: Set<Int>?) throws(KSMError) -> SecretBytes {
        SecretBytes(copying: memory[..<(try count(buffer, name, sizes: sizes))])
    }

    private func count(_ buffer: keyway_dask_buffer, _ name: String, sizes: Set<Int>?) throws(KSMError) -> Int {
        // A size that exceeds Int.max becomes a negative number.
        guard (0...memory.count).contains(buffer.length) else {
            throw KSMError(
                .sessionKey,
                .daskUnavailable,
                "the plug-in reports a length of \(name) that exceeds its buffer"
            )
        }
        guard sizes?.contains(buffer.length) ?? true else {
            throw KSMError(
                .sessionKey,
                .daskUnavailable,
                "the plug-in returned \(name) with \(counted(buffer.length, "byte")), which is not supported"
            )
        }
        return buffer.length
    }
}

/// Passes bytes to a closure as a pointer that is valid during the call.
func withBorrowed<Value>(_ bytes: [UInt8], _ body: (keyway_dask_bytes) -> Value) -> Value {
    bytes.withUnsafeBufferPointer { body(keyway_dask_bytes(bytes: $0.baseAddress, length: $0.count)) }
}

/// Passes a secret to a closure as a pointer that is valid during the call; nil becomes a null pointer with length 0.
func withBorrowed<Value>(_ secret: SecretBytes?, _ body: (keyway_dask_bytes) -> Value) -> Value {
    guard let secret else { return body(keyway_dask_bytes(bytes: nil, length: 0)) }
    return secret.withUnsafeBytes { bytes in
        body(keyway_dask_bytes(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count))
    }
}
