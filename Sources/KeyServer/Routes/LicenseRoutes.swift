import FPSCrypto
import HTTPTypes
public import Hummingbird
public import KeyServerModule
import NIOCore

/// The routes that apps and players use.
///
///     GET  /fps/certificate[?app=NAME]   the application certificate, DER
///     POST /fps/license                  SPC in, CKC out, in four shapes
///     POST /fps/licenses                 many at once, JSON
public struct LicenseRoutes: Sendable {
    private let service: LicenseService
    private let bundles: [CertificateBundle]
    private let limits: ListenerLimits

    /// Makes the routes.
    public init(service: LicenseService, bundles: [CertificateBundle], limits: ListenerLimits) {
        self.service = service
        self.bundles = bundles
        self.limits = limits
    }

    /// Puts them on a router.
    public func add(to router: Router<ServerRequestContext>) {
        router.get("/fps/certificate") { request, _ in try certificate(request) }
        router.post("/fps/license") { request, context in try await license(request, context) }
        router.post("/fps/licenses") { request, context in try await licenses(request, context) }
    }

    /// With one bundle there is no choice; with several, `?app=` names one.
    private func certificate(_ request: Request) throws(ProblemDocument) -> Response {
        let bundle: CertificateBundle
        if let name = request.uri.queryParameters.get("app") {
            guard let named = bundles.first(where: { $0.name == name }) else {
                throw ProblemDocument(.notFound, detail: "There is no app of that name.")
            }
            bundle = named
        } else if bundles.count == 1 {
            bundle = bundles[0]
        } else {
            throw ProblemDocument(
                .notFound,
                detail: bundles.isEmpty
                    ? "This server has no certificate." : "This server has several certificates: name one with ?app=."
            )
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/x-x509-ca-cert", .cacheControl: "public, max-age=300"],
            body: .init(byteBuffer: ByteBuffer(bytes: bundle.certificate.der))
        )
    }

    private func license(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let question = try LicenseRequest(
            body: try await request.boundedBody(upTo: limits.licenseBody),
            contentType: request.headers[.contentType],
            query: request.uri.query
        )
        let outcome = try await service.answer(
            LicenseService.Question(
                spc: question.spc,
                assetID: question.assetID,
                wantsPersistableKey: question.wantsPersistableKey,
                route: "/fps/license",
                remoteAddress: context.remoteAddress,
                requestID: context.id
            )
        )
        return switch outcome {
        case .license(let answer): answer.response(in: question.shape)
        case .syncReport(let report): report.response()
        }
    }

    /// One after the other: the pool's threads are for everybody, and one batch must not take them all.
    private func licenses(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let batch = try LicenseBatchRequest(
            body: try await request.boundedBody(upTo: limits.licenseBody),
            contentType: request.headers[.contentType]
        )
        var items: [LicenseBatchAnswer.Item] = []
        for item in batch.items {
            items.append(.init(id: item.id, result: await result(of: item, context)))
        }
        return LicenseBatchAnswer(items: items).response()
    }

    private func result(
        of item: LicenseBatchRequest.Item,
        _ context: ServerRequestContext
    ) async -> Result<LicenseAnswer, ProblemDocument> {
        do {
            let content = try item.content.get()
            let outcome = try await service.answer(
                LicenseService.Question(
                    spc: content.spc,
                    assetID: content.assetID,
                    wantsPersistableKey: content.wantsPersistableKey,
                    route: "/fps/licenses",
                    remoteAddress: context.remoteAddress,
                    requestID: context.id
                )
            )
            guard case .license(let answer) = outcome else {
                return .failure(
                    ProblemDocument(.malformedRequest, detail: "A Sync SPC is sent alone, to /fps/license.")
                )
            }
            return .success(answer)
        } catch {
            return .failure(ProblemMiddleware.problem(for: error, context))
        }
    }
}
