import FPSCrypto
import Hummingbird
import KeyStore
import TextCoding

/// The route that shows the health of the server and the expiry of its certificates.
///
///     GET /admin/health
struct HealthRoutes: Sendable {
    let store: any CertificateStore & PolicyStore
    let sources: DashboardSources
    let sessions: DashboardSessions
    /// The start time of the server, in Unix seconds.
    let started: Int64

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/health", .read) { try await show($0) }]
    }

    private func show(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let failing = await sources.failing()
        let start = ContinuousClock.now
        var isAvailable = true
        do throws(KeyStoreError) { _ = try await store.policy(name: ContentLookup.defaultPolicy) } catch {
            isAvailable = false
        }
        let microseconds = Int((ContinuousClock.now - start) / .microseconds(1))
        // If the certificates cannot be read, the rest is shown anyway.
        let bundles = try? await store.certificateBundles()
        let now = request.now
        return JSONValue.fields([
            ("ready", .bool(failing.isEmpty)),
            ("failing", .array(failing.map { .string($0) })),
            ("development", .bool(sources.isDevelopment)),
            ("started", AdminJSON.time(started)),
            ("now", AdminJSON.time(now)),
            ("store", .fields([("available", .bool(isAvailable)), ("microseconds", .integer(microseconds))])),
            ("certificates", bundles.map { .array($0.map { Self.json($0, at: now) }) }),
            ("tls", sources.tlsExpiry().map { .fields(Self.ending($0, at: now)) }),
            ("queue", .integer(sources.queueDepth())),
            ("leases", await sources.activeLeases().map { .integer($0) }),
            ("listeners", .integer(sources.events.count)),
            ("sessions", .integer(sessions.count)),
        ]).response()
    }

    private static func json(_ bundle: CertificateBundleRecord, at now: Int64) -> JSONValue {
        let certificate = try? X509Certificate(bundle.certificate)
        let fields: AdminJSON.Fields = [
            ("name", .string(bundle.name)),
            ("kind", .string(bundle.kind.rawValue)),
            ("subject", certificate.map { .string($0.subject) }),
        ]
        return .fields(fields + (certificate.map { ending($0.notAfter, at: now) } ?? []))
    }

    /// Returns an expiry time and the whole days until then; negative after the expiry.
    private static func ending(_ time: Int64, at now: Int64) -> AdminJSON.Fields {
        let (days, rest) = (time - now).quotientAndRemainder(dividingBy: 86_400)
        return [("notAfter", AdminJSON.time(time)), ("daysLeft", .integer(Int(rest < 0 ? days - 1 : days)))]
    }
}
