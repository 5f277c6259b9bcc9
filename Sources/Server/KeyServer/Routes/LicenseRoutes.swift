import FPSCrypto
import HTTPTypes
package import Hummingbird
import KeyServerModule
import KeyStore
import NIOCore
import TextCoding

/// The routes that apps and players use.
///
///     GET  /fps/certificate[?app=NAME]   the application certificate, DER
///     POST /fps/license                  SPC in, CKC out, in four body formats
///     POST /fps/licenses                 a batch of SPCs, JSON
///     POST /fps/challenge                a challenge for one Sync SPC, JSON
package struct LicenseRoutes: Sendable {
    private let service: LicenseService
    private let authorizer: any PlaybackAuthorizer
    private let limits: ListenerLimits

    /// Creates the routes.
    package init(
        service: LicenseService,
        authorizer: any PlaybackAuthorizer,
        limits: ListenerLimits
    ) {
        self.service = service
        self.authorizer = authorizer
        self.limits = limits
    }

    /// Adds the routes to a router.
    package func add(to router: Router<ServerRequestContext>) {
        router.get("/fps/certificate") { request, _ in try certificate(request) }
        router.post("/fps/license") { request, context in try await license(request, context) }
        router.post("/fps/licenses") { request, context in try await licenses(request, context) }
        router.post("/fps/challenge") { request, context in try await challenge(request, context) }
    }

    /// Returns the only bundle's certificate, or that of the bundle named by `?app=` if there are several.
    private func certificate(_ request: Request) throws(ProblemDocument) -> Response {
        let bundles = service.module.bundles
        let bundle: CertificateBundle
        if let name = request.uri.queryParameters.get("app") {
            guard let named = bundles.first(where: { $0.name == name }) else {
                throw ProblemDocument(.notFound, detail: "This server has no certificate for the app named by ?app=.")
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
        let licenseRequest = try LicenseRequest(
            body: try await request.boundedBody(upTo: limits.licenseBody),
            contentType: request.headers[.contentType],
            query: request.uri.query
        )
        var assetID: [UInt8]?
        if let name = licenseRequest.assetID { assetID = try await service.registeredAssetID(for: name) }
        var attempt = LicenseService.Attempt(
            spc: licenseRequest.spc,
            authorization: try await authorization(request, context, assetID: assetID),
            route: "/fps/license",
            requestID: context.id
        )
        attempt.assetID = licenseRequest.assetID
        attempt.authorizedAssetID = assetID
        attempt.wantsPersistableKey = licenseRequest.wantsPersistableKey
        attempt.isPreload = licenseRequest.isPreload
        attempt.address = context.clientAddress
        attempt.origin = request.headers[.origin]
        let outcome = try await service.answer(attempt)
        return switch outcome {
        case .license(let answer): answer.response(in: licenseRequest.format)
        case .syncReport(let report): report.response()
        }
    }

    /// Answers a batch in small groups, so that one batch does not occupy every thread of the shared pool.
    private func licenses(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let batch = try LicenseBatchRequest(
            body: try await request.boundedBody(upTo: limits.licenseBody),
            contentType: request.headers[.contentType],
            maximum: limits.batch
        )
        try service.requireItems(batch.items.count, from: context.clientAddress)
        var template = LicenseService.Attempt(
            spc: [],
            authorization: try await authorization(request, context, assetID: nil),
            route: "/fps/licenses",
            requestID: context.id
        )
        template.address = context.clientAddress
        template.origin = request.headers[.origin]
        template.acceptsSync = false
        let attempts = batch.items.compactMap { item -> LicenseService.Attempt? in
            guard case .success(let content) = item.content else { return nil }
            return template.with(content)
        }
        var answers = await service.answers(to: attempts).makeIterator()
        let items = batch.items.map { item in
            let result = Result { () throws in
                _ = try item.content.get()
                // There is one answer for each item that could be parsed.
                return try Self.license(in: answers.next() ?? .failure(WorkPoolError.stopped))
            }
            return LicenseBatchResponse.Item(
                id: item.id,
                result: result.mapError { ProblemMiddleware.problem(for: $0, context) }
            )
        }
        return LicenseBatchResponse(items: items).response()
    }

    private static func license(in answer: Result<LicenseService.Outcome, any Error>) throws -> IssuedLicense {
        guard case .license(let license) = try answer.get() else { throw ProblemDocument.syncInBatch }
        return license
    }

    /// Returns `{"challenge": "<16 hex digits>", "expires": SECONDS}`. The app passes the challenge to the device,
    /// which includes it in its Sync SPC. Each challenge is valid for one Sync SPC.
    private func challenge(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (value, expires) = try await service.challenge(
            for: try await authorization(request, context, assetID: nil)
        )
        return JSONValue.fields([
            ("challenge", .string(Hexadecimal.encode(value))),
            ("expires", .integer(Int(expires))),
        ]).response()
    }

    private func authorization(
        _ request: Request,
        _ context: ServerRequestContext,
        assetID: [UInt8]?
    ) async throws -> PlaybackAuthorization {
        var playbackRequest = PlaybackRequest(
            token: request.bearerToken.map(String.init),
            assetID: assetID,
            address: context.clientAddress,
            requestID: context.id,
            now: service.clock() / 1000
        )
        playbackRequest.trace = context.trace
        return try await service.authorize(playbackRequest, by: authorizer, route: context.endpointPath ?? "")
    }
}

extension LicenseService.Attempt {
    /// Returns the license request for one item of a batch.
    fileprivate func with(_ content: LicenseBatchRequest.Content) -> Self {
        var attempt = self
        attempt.spc = content.spc
        attempt.assetID = content.assetID
        attempt.wantsPersistableKey = content.wantsPersistableKey
        attempt.isPreload = content.isPreload
        return attempt
    }
}
