package import FPSCrypto
import Foundation

/// RSA private key operations with one key, eight at a time, with Intel's crypto_mb if it is installed.
///
/// crypto_mb is part of Intel's Cryptography Primitives Library (Apache 2.0) and requires a processor of Intel or AMD
/// with AVX-512 IFMA. Each element of a vector register processes a different message: eight messages take about as
/// long as two or three sequential operations, and a single message takes as long as eight. The library is optional and
/// is loaded at run time, because few systems have it.
///
/// Like libcrypto's, its operations are designed to take the same time for every key and message. It does not use
/// blinding.
package final class MultiBufferRSA: Sendable {
    /// The number of operations that run at once.
    package static let width = 8
    /// The file name of the library, with the ABI version that this code supports.
    package static let libraryName = "libcrypto_mb.so.13"

    /// The names of the library's methods by supported key size, in bits.
    private static let methodNames = [
        1024: "mbx_RSA1K_private_crt_Method", 2048: "mbx_RSA2K_private_crt_Method",
        3072: "mbx_RSA3K_private_crt_Method", 4096: "mbx_RSA4K_private_crt_Method",
    ]

    typealias Words = UnsafePointer<UInt64>?
    private typealias PrivateCRT =
        @convention(c) (
            UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<UnsafeMutablePointer<UInt8>?>,
            UnsafePointer<Words>, UnsafePointer<Words>, UnsafePointer<Words>, UnsafePointer<Words>,
            UnsafePointer<Words>,
            Int32, OpaquePointer, UnsafeMutableRawPointer
        ) -> UInt32

    private struct Method {
        let pointer: OpaquePointer
        /// The size of the working memory of a call, in bytes.
        let workspace: Int
    }

    // The pointers refer to code and constants of a library that is never unloaded, and never change.
    private nonisolated(unsafe) let methods: [Int: Method]
    private let privateCRT: PrivateCRT
    /// The library's name and version.
    package let version: String

    /// Loads the library.
    ///
    /// - Parameter path: The path of the library; a name without a slash is searched for by the dynamic linker.
    /// - Throws: `libraryFailure` if the library does not exist, is not crypto_mb, or does not support this processor.
    package init(library path: String = MultiBufferRSA.libraryName) throws(CryptoError) {
        func failure(_ reason: String) -> CryptoError {
            CryptoError(.libraryFailure, operation: "loading crypto_mb", reason: reason)
        }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw failure(dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        var isLoaded = false
        defer { if !isLoaded { dlclose(handle) } }
        func function<Function>(_ name: String, as type: Function.Type) throws(CryptoError) -> Function {
            guard let symbol = dlsym(handle, name) else { throw failure("\(path) does not export \(name)") }
            return unsafeBitCast(symbol, to: type)
        }
        // enum MBX_ALGO starts with the sizes of RSA: 1024, 2048, 3072 and 4096 bits.
        let widths = try function("mbx_get_algo_info", as: (@convention(c) (UInt32) -> UInt64).self)
        let workspace = try function("mbx_RSA_Method_BufSize", as: (@convention(c) (OpaquePointer) -> Int32).self)
        var methods: [Int: Method] = [:]
        for (index, bits) in Self.methodNames.keys.sorted().enumerated() {
            guard widths(UInt32(index)) & UInt64(Self.width) != 0, let name = Self.methodNames[bits] else { continue }
            guard let method = try function(name, as: (@convention(c) () -> OpaquePointer?).self)() else { continue }
            methods[bits] = Method(pointer: method, workspace: Int(workspace(method)))
        }
        guard !methods.isEmpty else { throw failure("this processor lacks AVX-512 IFMA") }
        self.methods = methods
        privateCRT = try function("mbx_rsa_private_crt_mb8", as: PrivateCRT.self)
        // struct mbxVersion: three numbers and four bytes of a processor name, followed by names as text.
        typealias GetVersion = @convention(c) () -> UnsafeRawPointer?
        let numbers = try function("mbx_getversion", as: GetVersion.self)()?.loadUnaligned(
            as: (Int32, Int32, Int32).self
        )
        isLoaded = true
        version = numbers.map { "crypto_mb \($0.0).\($0.1).\($0.2)" } ?? "crypto_mb"
    }

    /// Returns whether the library supports keys of this size.
    func supports(bits: Int) -> Bool { methods[bits] != nil }

    /// Performs the RSA operation on up to ``width`` blocks, each as long as the modulus and a number below the
    /// modulus. The result is nil for a block whose operation fails. The caller must wipe the results.
    func decrypt(_ blocks: [[UInt8]], with key: CRTKey) -> [SecretBytes?] {
        guard let method = methods[key.bits], blocks.count <= Self.width else { return blocks.map { _ in nil } }
        let size = key.bits / 8
        precondition(blocks.allSatisfy { $0.count == size }, "a block must be as long as the modulus")
        return withUnsafeTemporaryAllocation(byteCount: method.workspace, alignment: 64) { workspace in
            withUnsafeTemporaryAllocation(byteCount: 2 * Self.width * size, alignment: 64) { memory in
                defer {
                    SecretBytes.wipe(workspace)
                    SecretBytes.wipe(memory)
                }
                guard let base = memory.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let work = workspace.baseAddress
                else { return blocks.map { _ in nil } }
                var from = [UnsafePointer<UInt8>?](repeating: nil, count: Self.width)
                var to = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: Self.width)
                for (index, block) in blocks.enumerated() {
                    let place = base + index * size
                    place.update(from: block, count: size)
                    from[index] = UnsafePointer(place)
                    to[index] = base + (Self.width + index) * size
                }
                let status = key.withWords(repeated: Self.width) { p, q, dp, dq, inverse in
                    privateCRT(from, to, p, q, dp, dq, inverse, Int32(key.bits), method.pointer, work)
                }
                return blocks.indices.map { index in
                    // Four bits of the status belong to each block.
                    guard (status >> (4 * UInt32(index))) & 0xF == 0, let result = to[index] else { return nil }
                    return SecretBytes(copying: UnsafeBufferPointer(start: result, count: size))
                }
            }
        }
    }
}
