import CKeywayDASk
import FPSCrypto
import FPSMessages

/// A DASk provider that calls a plug-in's `derive_dask`.
struct PluginDASk: DASkProvider {
    let plugin: DASkPlugin

    var isForDevelopmentOnly: Bool { false }

    func dask(r2: R2) throws(KSMError) -> SecretBytes {
        let dask = PluginOutput()
        var output = keyway_dask_derive_out(size: MemoryLayout<keyway_dask_derive_out>.size, dask: dask.buffer)
        try plugin.call("derive_dask") { functions in
            withBorrowed(r2.bytes) { r2 in
                withBorrowed(plugin.ask) { ask in
                    var input = keyway_dask_derive_in(
                        size: MemoryLayout<keyway_dask_derive_in>.size,
                        r2: r2,
                        ask: ask
                    )
                    return functions.derive_dask(functions.state, &input, &output)
                }
            }
        }
        return try dask.secret(output.dask, "DASk", sizes: [16])
    }
}

/// A key payload provider that calls a plug-in's `key_payload`.
struct PluginKeyPayload: KeyPayloadProvider {
    let plugin: DASkPlugin

    func open(_ payload: KeyPayload, contentKey: LicensedKey?) throws(KSMError) -> OpenedKeyPayload {
        let (hu, r1, key, iv) = (PluginOutput(), PluginOutput(), PluginOutput(), PluginOutput())
        var output = keyway_dask_key_payload_out(
            size: MemoryLayout<keyway_dask_key_payload_out>.size,
            hu: hu.buffer,
            r1: r1.buffer,
            encrypted_ck: key.buffer,
            encrypted_ck_iv: iv.buffer
        )
        try plugin.call("key_payload") { call($0, payload, contentKey, &output) }
        var encrypted: EncryptedContentKey?
        if contentKey != nil {
            encrypted = EncryptedContentKey(
                iv: try iv.bytes(output.encrypted_ck_iv, "the IV of the encrypted content key", sizes: [16]),
                encryptedKey: try key.bytes(output.encrypted_ck, "the encrypted content key", sizes: [16])
            )
        }
        return OpenedKeyPayload(
            hu: try hu.bytes(output.hu, "HU", sizes: [20]),
            r1: try r1.secret(output.r1, "R1", sizes: [44]),
            encryptedContentKey: encrypted
        )
    }

    private func call(
        _ functions: keyway_dask_plugin,
        _ payload: KeyPayload,
        _ contentKey: LicensedKey?,
        _ output: inout keyway_dask_key_payload_out
    ) -> Int32 {
        withBorrowed(payload.sessionKeyAndR1.encodedValue) { sessionKeyAndR1 in
            withBorrowed(payload.r2.bytes) { r2 in
                withBorrowed(payload.integrity.bytes) { integrity in
                    withBorrowed(payload.certificateHash) { certificateHash in
                        withBorrowed(plugin.provisioningData) { provisioningData in
                            withBorrowed(contentKey?.key) { key in
                                withBorrowed(contentKey?.iv ?? []) { iv in
                                    var input = keyway_dask_key_payload_in(
                                        size: MemoryLayout<keyway_dask_key_payload_in>.size,
                                        sk_r1: sessionKeyAndR1,
                                        r2: r2,
                                        sk_r1_integrity: integrity,
                                        certificate_hash: certificateHash,
                                        provisioning_data: provisioningData,
                                        content_key: key,
                                        content_iv: iv
                                    )
                                    return functions.key_payload(functions.state, &input, &output)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
