package import FPSCrypto
package import KeyStore

/// Records for tests; the keys are random.
package enum Sample {
    /// Returns random bytes.
    package static func secret(_ count: Int = 16) -> SecretBytes {
        var random = SecureRandom()
        return SecretBytes(count: count, randomFrom: &random)
    }

    /// Returns a content key without optional fields.
    package static func content(_ assetID: String, policy: String? = nil, time: Int64 = 1_000) throws -> ContentRecord {
        try ContentRecord(
            assetID: Array(assetID.utf8),
            contentKey: secret(),
            iv: Array(repeating: 7, count: 16),
            policyName: policy,
            time: time
        )
    }

    /// Returns a policy with an empty document.
    package static func policy(_ name: String) throws -> PolicyRecord {
        try PolicyRecord(name: name, document: Array(#"{"name":"\#(name)"}"#.utf8))
    }

    /// Returns a bundle; certificate and key are arbitrary bytes, because a store does not parse them.
    package static func bundle(
        _ name: String,
        kind: CertificateBundleRecord.Kind = .development,
        privateKey: CertificateBundleRecord.PrivateKey = .pkcs8(secret(1_200)),
        dask: CertificateBundleRecord.DASk = .development(ask: secret()),
        scope: ContentScope = .assetIDPrefixes([Array("demo/".utf8)])
    ) throws -> CertificateBundleRecord {
        try CertificateBundleRecord(
            name: name,
            kind: kind,
            certificate: Array(repeating: 0x30, count: 900),
            privateKey: privateKey,
            dask: dask,
            scope: scope
        )
    }

    /// Returns an audit record of a given time.
    package static func audit(_ milliseconds: Int64) -> AuditRecord {
        AuditRecord(milliseconds: milliseconds, route: "/fps/license", outcome: "issued", microseconds: 250)
    }
}

extension ContentRecord {
    /// Returns whether two records are equal, including their keys.
    package static func same(_ left: ContentRecord?, _ right: ContentRecord) -> Bool {
        left?.info == right.info && left?.contentKey == right.contentKey && left?.iv == right.iv
    }
}

extension CertificateBundleRecord {
    /// Returns whether two bundles are equal, including their secrets.
    package static func same(_ left: CertificateBundleRecord, _ right: CertificateBundleRecord) -> Bool {
        left.name == right.name && left.kind == right.kind && left.certificate == right.certificate
            && left.scope == right.scope && same(left.privateKey, right.privateKey) && same(left.dask, right.dask)
    }

    private static func same(_ left: PrivateKey, _ right: PrivateKey) -> Bool {
        switch (left, right) {
        case (.pkcs8(let left), .pkcs8(let right)): left == right
        case (.store(let left), .store(let right)): left == right
        default: false
        }
    }

    private static func same(_ left: DASk, _ right: DASk) -> Bool {
        switch (left, right) {
        case (.fixed(let left), .fixed(let right)): left == right
        case (.development(let left), .development(let right)): left == right
        case (.plugin(let left), .plugin(let right)):
            left.path == right.path && left.configuration == right.configuration && left.ask == right.ask
                && left.provisioningData == right.provisioningData
        default: false
        }
    }
}
