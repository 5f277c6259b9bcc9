import FPSCrypto
import Hummingbird
import KeyStore
import TextCoding

/// The routes that show certificate bundles, without secrets.
///
///     GET /admin/certificates
///     GET /admin/certificates/{name}
///
/// Bundles can be added only on the command line. A private key sent over HTTP would pass through a proxy, a client's
/// history and this process's buffers. A plug-in is code that the server runs, for which a token for administration
/// must not be sufficient.
struct CertificateRoutes: Sendable {
    let store: any CertificateStore

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/certificates", .read) { try await list($0) },
            AdminEndpoint(.get, "/admin/certificates/{name}", .read) { try await get($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let bundles = try await store.certificateBundles()
        return page.answer(ofAll: bundles, key: { Array($0.name.utf8) }, Self.json)
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let name = try request.text("name")
        guard let bundle = try await store.certificateBundles().first(where: { $0.name == name }) else {
            throw ProblemDocument(.notFound, detail: "There is no certificate of this name.")
        }
        return Self.json(bundle).response()
    }

    private static func json(_ bundle: CertificateBundleRecord) -> JSONValue {
        let certificate = try? X509Certificate(bundle.certificate)
        let privateKey =
            switch bundle.privateKey {
            case .pkcs8: "stored"
            case .store: "provider"
            }
        let dask =
            switch bundle.dask {
            case .fixed: "fixed"
            case .development: "development"
            case .plugin: "plugin"
            }
        let prefixes: JSONValue? =
            switch bundle.scope {
            case .all: nil
            case .assetIDPrefixes(let prefixes): .array(prefixes.map { .fields(AdminJSON.asset($0)) })
            }
        return .fields([
            ("name", .string(bundle.name)),
            ("kind", .string(bundle.kind.rawValue)),
            ("subject", certificate.map { .string($0.subject) }),
            ("notBefore", AdminJSON.time(certificate?.notBefore)),
            ("notAfter", AdminJSON.time(certificate?.notAfter)),
            ("sha1", .string(Hexadecimal.encode(SHA1.hash(bundle.certificate)))),
            ("sha256", .string(Hexadecimal.encode(SHA256.hash(bundle.certificate)))),
            ("privateKey", .string(privateKey)),
            ("dask", .string(dask)),
            ("assetPrefixes", prefixes),
        ])
    }
}
