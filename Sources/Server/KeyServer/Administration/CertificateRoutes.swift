import FPSCrypto
import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that show certificate bundles, without secrets, and how often this server process has used each.
///
///     GET /admin/certificates
///     GET /admin/certificates/{name}
///
/// Bundles can be added only on the command line. A private key sent over HTTP would pass through a proxy, a client's
/// history and this process's buffers. A plug-in is code that the server runs, for which a token for administration
/// must not be sufficient.
struct CertificateRoutes: Sendable {
    let store: any CertificateStore
    let activity: Activity

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/certificates", .read) { try await list($0) },
            AdminEndpoint(.get, "/admin/certificates/{name}", .read) { try await get($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let bundles = try await store.certificateBundles()
        return page.answer(ofAll: bundles, key: { Array($0.name.utf8) }, json)
    }

    /// Returns a bundle with its use.
    private func json(_ bundle: CertificateBundleRecord) -> JSONValue {
        let use = activity.use(ofBundle: bundle.name)
        return .fields(
            bundle.administrationFields + [
                ("requests", .integer(use.requests)),
                ("lastRequest", use.requests > 0 ? AdminJSON.time(use.last) : nil),
            ]
        )
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let name = try request.text("name")
        guard let bundle = try await store.certificateBundles().first(where: { $0.name == name }) else {
            throw ProblemDocument(.notFound, detail: "There is no certificate of this name.")
        }
        return json(bundle).response()
    }
}

extension CertificateBundleRecord {
    /// The bundle in the administration API, without its secrets.
    package var administrationJSON: JSONValue { .fields(administrationFields) }

    fileprivate var administrationFields: AdminJSON.Fields {
        let parsed = try? X509Certificate(certificate)
        let privateKey =
            switch self.privateKey {
            case .pkcs8: "stored"
            case .store: "provider"
            }
        let dask =
            switch self.dask {
            case .fixed: "fixed"
            case .development: "development"
            case .plugin: "plugin"
            }
        let prefixes: JSONValue? =
            switch scope {
            case .all: nil
            case .assetIDPrefixes(let prefixes): .array(prefixes.map { .fields(AdminJSON.asset($0)) })
            }
        return [
            ("name", .string(name)),
            ("kind", .string(kind.rawValue)),
            ("subject", parsed.map { .string($0.subject) }),
            ("notBefore", AdminJSON.time(parsed?.notBefore)),
            ("notAfter", AdminJSON.time(parsed?.notAfter)),
            ("keyBits", (try? parsed?.publicKey.bits).map { .integer($0) }),
            ("sha1", .string(Hexadecimal.encode(SHA1.hash(certificate)))),
            ("sha256", .string(Hexadecimal.encode(SHA256.hash(certificate)))),
            ("privateKey", .string(privateKey)),
            ("dask", .string(dask)),
            ("assetPrefixes", prefixes),
        ]
    }
}
