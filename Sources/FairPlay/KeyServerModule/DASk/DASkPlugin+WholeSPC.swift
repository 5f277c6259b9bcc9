import CKeywayDASk
import FPSCrypto

/// A provider that opens whole SPCs with a plug-in's `open_spc`.
struct PluginWholeSPC: WholeSPCProvider {
    let plugin: DASkPlugin

    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession {
        // The TLLVs of an SPC cannot be longer than the SPC.
        var request = [UInt8](repeating: 0, count: spc.count)
        var output = keyway_dask_open_spc_out()
        output.size = MemoryLayout<keyway_dask_open_spc_out>.size
        try plugin.call("open_spc") { functions in
            withBorrowed(spc) { spc in
                request.withUnsafeMutableBufferPointer { buffer in
                    output.request = keyway_dask_buffer(bytes: buffer.baseAddress, capacity: buffer.count, length: 0)
                    var input = keyway_dask_open_spc_in(size: MemoryLayout<keyway_dask_open_spc_in>.size, spc: spc)
                    return functions.open_spc(functions.state, &input, &output)
                }
            }
        }
        // A size that exceeds Int.max becomes a negative number.
        let isLengthPossible = (0...request.count).contains(output.request.length)
        // Create the session before checking the length, so that its deinit always releases the context.
        let session = PluginSession(
            plugin: plugin,
            context: output.context,
            hu: withUnsafeBytes(of: &output.hu) { Array($0) },
            certificateHash: withUnsafeBytes(of: &output.certificate_hash) { Array($0) },
            request: isLengthPossible ? Array(request.prefix(output.request.length)) : []
        )
        guard isLengthPossible else {
            throw KSMError(
                .sessionKey,
                .daskUnavailable,
                "the plug-in reports an output length that exceeds its buffer"
            )
        }
        return session
    }
}

/// An SPC that a plug-in has opened. The plug-in's context is released when the last reference goes away.
private final class PluginSession: WholeSPCSession, @unchecked Sendable {
    let plugin: DASkPlugin
    // Only the plug-in reads the context. `DASkPlugin.call` serializes its calls if the plug-in requires that.
    let context: UnsafeMutableRawPointer?
    let hu: [UInt8]
    let certificateHash: [UInt8]
    let request: [UInt8]

    /// The capacity of the CKC buffer, in bytes. A CKC is much shorter: its payload has a few hundred bytes.
    private static let ckcCapacity = 16_384

    init(
        plugin: DASkPlugin,
        context: UnsafeMutableRawPointer?,
        hu: [UInt8],
        certificateHash: [UInt8],
        request: [UInt8]
    ) {
        self.plugin = plugin
        self.context = context
        self.hu = hu
        self.certificateHash = certificateHash
        self.request = request
    }

    deinit { plugin.release(context) }

    func seal(contentKey: LicensedKey, terms: [UInt8]) throws(KSMError) -> [UInt8] {
        var ckc = [UInt8](repeating: 0, count: Self.ckcCapacity)
        var length = 0
        try plugin.call("seal_ckc") { functions in
            withBorrowed(contentKey.key) { key in
                withBorrowed(contentKey.iv) { iv in
                    withBorrowed(terms) { terms in
                        var input = keyway_dask_seal_ckc_in(
                            size: MemoryLayout<keyway_dask_seal_ckc_in>.size,
                            context: context,
                            content_key: key,
                            content_iv: iv,
                            terms: terms
                        )
                        return ckc.withUnsafeMutableBufferPointer { buffer in
                            var output = keyway_dask_seal_ckc_out()
                            output.size = MemoryLayout<keyway_dask_seal_ckc_out>.size
                            output.ckc = keyway_dask_buffer(
                                bytes: buffer.baseAddress,
                                capacity: buffer.count,
                                length: 0
                            )
                            defer { length = output.ckc.length }
                            return functions.seal_ckc(functions.state, &input, &output)
                        }
                    }
                }
            }
        }
        guard (0...ckc.count).contains(length) else {
            throw KSMError(.sealing, .daskUnavailable, "the plug-in reports an output length that exceeds its buffer")
        }
        return Array(ckc.prefix(length))
    }
}
