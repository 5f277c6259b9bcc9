import CKeywayDASk
import FPSCrypto

/// Whole SPCs from a plug-in's `open_spc`.
struct PluginWholeSPC: WholeSPCProvider {
    let plugin: DASkPlugin

    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession {
        // The TLLVs in an SPC cannot be longer than the SPC.
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
        // A size past the end of Int arrives as a negative number.
        let isLengthPossible = (0...request.count).contains(output.request.length)
        // Made before the length is judged, so that the context is released in any case.
        let session = PluginSession(
            plugin: plugin,
            context: output.context,
            hu: withUnsafeBytes(of: &output.hu) { Array($0) },
            certificateHash: withUnsafeBytes(of: &output.certificate_hash) { Array($0) },
            request: isLengthPossible ? Array(request.prefix(output.request.length)) : []
        )
        guard isLengthPossible else {
            throw KSMError(.sessionKey, .daskUnavailable, "the plug-in says it wrote more than it was given room for")
        }
        return session
    }
}

/// An SPC that a plug-in has opened, until the last reference goes.
private final class PluginSession: WholeSPCSession, @unchecked Sendable {
    let plugin: DASkPlugin
    // Never read here, only handed back; the plug-in's threading mode governs its calls.
    let context: UnsafeMutableRawPointer?
    let hu: [UInt8]
    let certificateHash: [UInt8]
    let request: [UInt8]

    /// Much more than a CKC needs, whose payload is a few hundred bytes.
    private static let firstCapacity = 16_384

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
        var ckc = [UInt8](repeating: 0, count: Self.firstCapacity)
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
            throw KSMError(.sealing, .daskUnavailable, "the plug-in says it wrote more than it was given room for")
        }
        return Array(ckc.prefix(length))
    }
}
