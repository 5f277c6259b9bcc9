import CKeywayDASk
import FPSCrypto
import FPSMessages

/// A DASk provider that calls a plug-in's `derive_dask`.
struct PluginDASk: DASkProvider {
    let plugin: DASkPlugin

    var isForDevelopmentOnly: Bool { false }

    func dask(r2: R2) throws(KSMError) -> SecretBytes {
        var output = keyway_dask_derive_out()
        output.size = MemoryLayout<keyway_dask_derive_out>.size
        defer { wipe(&output) }
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
        return withUnsafeBytes(of: &output.dask) { SecretBytes(copying: $0) }
    }
}

/// A key payload provider that calls a plug-in's `key_payload`.
struct PluginKeyPayload: KeyPayloadProvider {
    let plugin: DASkPlugin

    func open(_ payload: KeyPayload, contentKey: LicensedKey?) throws(KSMError) -> OpenedKeyPayload {
        var output = keyway_dask_key_payload_out()
        output.size = MemoryLayout<keyway_dask_key_payload_out>.size
        defer { wipe(&output) }
        try plugin.call("key_payload") { functions in
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
        return OpenedKeyPayload(
            hu: withUnsafeBytes(of: &output.hu) { Array($0) },
            r1: withUnsafeBytes(of: &output.r1) { SecretBytes(copying: $0) },
            encryptedContentKey: contentKey == nil
                ? nil
                : EncryptedContentKey(
                    iv: withUnsafeBytes(of: &output.encrypted_ck_iv) { Array($0) },
                    encryptedKey: withUnsafeBytes(of: &output.encrypted_ck) { Array($0) }
                )
        )
    }
}
