package import FPSCrypto
import Foundation

/// RSA private operations of one key, eight at once, by Intel's crypto_mb where it is installed.
///
/// crypto_mb is a part of Intel's Cryptography Primitives Library (Apache 2.0) and needs a processor with AVX-512 IFMA, of
/// Intel or AMD. It spends an element of each vector register on a message of its own: eight together take about as long as
/// two or three one after the other, and one alone takes as long as eight. It is loaded when the program runs, since few
/// systems have it; nothing needs it.
///
/// Like libcrypto's it is made to take the same time whatever key and message are. It does not blind.
package final class MultiBufferRSA: Sendable {
    /// How many operations run at once.
    package static let width = 8
    /// The name of the library's file, of the interface that this is written for.
    package static let libraryName = "libcrypto_mb.so.13"

    /// The sizes of keys that it takes, in bits, and what the library calls the method.
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
        /// The memory that a call works in, in bytes.
        let workspace: Int
    }

    // What these lead to is code and constants of a library that is never unloaded; nothing changes them.
    private nonisolated(unsafe) let methods: [Int: Method]
    private let privateCRT: PrivateCRT
    /// What was loaded: the library's own name and version.
    package let version: String

    /// Loads the library.
    ///
    /// - Parameter path: its file; a name without a slash is looked for as the system's linker does.
    /// - Throws: `libraryFailure` when there is none, when it is none, or when it does not run on this
    ///   processor.
    package init(library path: String = MultiBufferRSA.libraryName) throws(CryptoError) {
        func failure(_ reason: String) -> CryptoError {
            CryptoError(.libraryFailure, operation: "loading crypto_mb", reason: reason)
        }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw failure(dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        var isKept = false
        defer { if !isKept { dlclose(handle) } }
        func function<Function>(_ name: String, as type: Function.Type) throws(CryptoError) -> Function {
            guard let symbol = dlsym(handle, name) else { throw failure("\(path) does not export \(name)") }
            return unsafeBitCast(symbol, to: type)
        }
        // enum MBX_ALGO begins with the sizes of RSA: 1024, 2048, 3072 and 4096 bits.
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
        // struct mbxVersion: three numbers and a processor's name of four bytes, then names as texts.
        typealias GetVersion = @convention(c) () -> UnsafeRawPointer?
        let numbers = try function("mbx_getversion", as: GetVersion.self)()?.loadUnaligned(
            as: (Int32, Int32, Int32).self
        )
        isKept = true
        version = numbers.map { "crypto_mb \($0.0).\($0.1).\($0.2)" } ?? "crypto_mb"
    }

    /// Whether it takes keys of this size.
    func takes(bits: Int) -> Bool { methods[bits] != nil }

    /// The bare operation on up to ``width`` blocks as long as the modulus, each a number below the modulus. Where it fails the
    /// result is nil. Results are to be wiped.
    func decrypt(_ blocks: [[UInt8]], with key: CRTKey) -> [SecretBytes?] {
        guard let method = methods[key.bits], blocks.count <= Self.width else { return blocks.map { _ in nil } }
        let size = key.bits / 8
        precondition(blocks.allSatisfy { $0.count == size }, "a block is as long as the modulus")
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
                    // Four bits tell how each went.
                    guard (status >> (4 * UInt32(index))) & 0xF == 0, let result = to[index] else { return nil }
                    return SecretBytes(copying: UnsafeBufferPointer(start: result, count: size))
                }
            }
        }
    }
}
