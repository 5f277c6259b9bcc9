import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import VectorFiles

/// The keys of TestVectors/keys, with the bundles and modules of the tests.
enum TestKeys {
    static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: VectorFile.root.appending(path: "keys/\(name)")))
    }

    static let ask: SecretBytes = {
        let text = (try? file("test-ask.hex")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let bytes = VectorFile.bytes(hexadecimal: text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? []
        return SecretBytes(copying: bytes)
    }()

    static func bundle(
        _ name: String,
        dask: (any DASkProvider)? = nil,
        kind: CertificateBundle.Kind = .development,
        scope: CertificateBundle.ContentScope = .all
    ) throws -> CertificateBundle {
        let certificate = try X509Certificate(try file("\(name).der"))
        let key = try RSAPrivateKey(try file("\(name).pem"))
        return try CertificateBundle(
            name: name,
            kind: kind,
            certificate: certificate,
            privateKey: key,
            derivation: .dask(dask ?? DevelopmentDASk(ask: ask)!),
            scope: scope
        )
    }

    /// Returns a module with the two bundles of the vectors.
    static func module(
        dask: (any DASkProvider)? = nil,
        scope: CertificateBundle.ContentScope = .all,
        _ configure: (inout KSM.Configuration) -> Void = { _ in }
    ) throws -> KSM {
        var configuration = KSM.Configuration()
        configure(&configuration)
        let bundles = try ["test-rsa-1024", "test-rsa-2048"].map { try bundle($0, dask: dask, scope: scope) }
        return try KSM(bundles: bundles, configuration: configuration)
    }

    /// Returns the DASk rule of a vector of spc/.
    static func dask(of vector: VectorFile) -> (any DASkProvider)? {
        guard let rule = vector["dask"], rule.hasPrefix("fixed ") else { return nil }
        return VectorFile.bytes(hexadecimal: String(rule.dropFirst(6))).flatMap { FixedDASk(SecretBytes(copying: $0)) }
    }

    static let contentKey = LicensedKey(key: SecretBytes(copying: Array(0..<16)), iv: Array(16..<32))!
    /// The creation date of the vectors' SPCs, in seconds since 1970.
    static let creationDate: Int64 = 1_767_225_600
}
