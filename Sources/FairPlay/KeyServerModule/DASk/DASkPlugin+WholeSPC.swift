import CKeywayDASk
import FPSCrypto

/// A provider that opens whole SPCs with a plug-in's `open_spc`.
struct PluginWholeSPC: WholeSPCProvider {
    let plugin: DASkPlugin

    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession {
        // The TLLVs of an SPC cannot be longer than the SPC.
        let (hu, hash, request) = (PluginOutput(), PluginOutput(), PluginOutput(capacity: spc.count))
        var output = keyway_dask_open_spc_out(
            size: MemoryLayout<keyway_dask_open_spc_out>.size,
            context: nil,
            hu: hu.buffer,
            certificate_hash: hash.buffer,
            request: request.buffer
        )
        try plugin.call("open_spc") { functions in
            withBorrowed(spc) { spc in
                var input = keyway_dask_open_spc_in(size: MemoryLayout<keyway_dask_open_spc_in>.size, spc: spc)
                return functions.open_spc(functions.state, &input, &output)
            }
        }
        // Create the context before checking the outputs, so that its deinit always releases the plug-in's context.
        let context = PluginContext(plugin: plugin, pointer: output.context)
        return PluginSession(
            context: context,
            hu: try hu.bytes(output.hu, "HU", sizes: [20]),
            certificateHash: try hash.bytes(
                output.certificate_hash,
                "the certificate hash",
                sizes: plugin.summary.certificateHashSizes
            ),
            request: try request.bytes(output.request, "the request", sizes: nil)
        )
    }
}

/// A plug-in's context of an opened SPC. It is released when the last reference goes away. The pointer never changes, and
/// only the plug-in, whose declared threading mode is respected, accesses its memory.
private final class PluginContext: @unchecked Sendable {
    let plugin: DASkPlugin
    // Only the plug-in reads the context. `DASkPlugin.call` serializes its calls if the plug-in requires that.
    let pointer: UnsafeMutableRawPointer?

    init(plugin: DASkPlugin, pointer: UnsafeMutableRawPointer?) {
        self.plugin = plugin
        self.pointer = pointer
    }

    deinit { plugin.release(pointer) }
}

/// An SPC that a plug-in has opened.
private struct PluginSession: WholeSPCSession {
    let context: PluginContext
    let hu: [UInt8]
    let certificateHash: [UInt8]
    let request: [UInt8]

    /// The capacity of the CKC buffer, in bytes. A CKC is much shorter: its payload has a few hundred bytes.
    private static let ckcCapacity = 16_384

    func seal(contentKey: LicensedKey, terms: [UInt8]) throws(KSMError) -> [UInt8] {
        let ckc = PluginOutput(capacity: Self.ckcCapacity)
        var output = keyway_dask_seal_ckc_out(size: MemoryLayout<keyway_dask_seal_ckc_out>.size, ckc: ckc.buffer)
        try context.plugin.call("seal_ckc") { functions in
            withBorrowed(contentKey.key) { key in
                withBorrowed(contentKey.iv) { iv in
                    withBorrowed(terms) { terms in
                        var input = keyway_dask_seal_ckc_in(
                            size: MemoryLayout<keyway_dask_seal_ckc_in>.size,
                            context: context.pointer,
                            content_key: key,
                            content_iv: iv,
                            terms: terms
                        )
                        return functions.seal_ckc(functions.state, &input, &output)
                    }
                }
            }
        }
        return try ckc.bytes(output.ckc, "the CKC", sizes: nil)
    }
}
