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
///     POST /fps/license                  SPC in, CKC out, in the format of the request
///     POST /fps/licenses                 a batch of SPCs, JSON
///     POST /fps/challenge                a challenge for one Sync SPC, JSON
package struct LicenseRoutes: Sendable {
    private let service: LicenseService
    private let authorizer: any PlaybackAuthorizer
    private let limits: ListenerLimits
    private let names: LicenseFieldNames
    private let tokens: TokenSources

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - names: The names of the fields of license requests.
    ///   - tokens: Where a playback token may be in a request.
    package init(
        service: LicenseService,
        authorizer: any PlaybackAuthorizer,
        limits: ListenerLimits,
        names: LicenseFieldNames = LicenseFieldNames(),
        tokens: TokenSources = TokenSources()
    ) {
        self.service = service
        self.authorizer = authorizer
        self.limits = limits
        self.names = names
        self.tokens = tokens
    }

    private func playback(
        _ request: Request,
        _ context: ServerRequestContext,
        route: String,
        _ license: LicenseRequest? = nil
    ) -> PlaybackRequest {
        let token = tokens.token(of: request, field: license?.token, names: names.token)
        var playback = PlaybackRequest(request, context, route: route, token: token, at: service.time.start())
        playback.fields = license?.forwarded ?? [:]
        return playback
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
            query: request.uri.query,
            names: names
        )
        var playback = playback(request, context, route: "/fps/license", licenseRequest)
        if let name = licenseRequest.assetID { playback.assetID = try await service.registeredAssetID(for: name) }
        let attempt = LicenseAttempt(
            .spc(licenseRequest),
            playback.facts,
            authorization: try await service.authorize(playback, by: authorizer),
            authorizedAssetID: playback.assetID
        )
        let format = AcceptedTypes(request.headers[.accept])?.format(instead: licenseRequest.format)
        do {
            return try await service.answer(attempt).response(in: format ?? licenseRequest.format)
        } catch let problem as ProblemDocument where problem.reason == KSMError.Code.playbackHalted.rawValue {
            // The report of an expired session, which apps send until it succeeds. It is in the audit log, and gets no key.
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
    }

    /// Answers a batch in small groups, so that one batch does not occupy every thread of the shared pool.
    private func licenses(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let batch = try LicenseBatchRequest(
            body: try await request.boundedBody(upTo: limits.licenseBody),
            contentType: request.headers[.contentType],
            maximum: limits.batch,
            names: names
        )
        try service.limits.requireItems(batch.items.count, from: context.clientAddress)
        let playback = playback(request, context, route: "/fps/licenses")
        let authorization = try await service.authorize(playback, by: authorizer)
        let attempts = batch.items.compactMap { item -> LicenseAttempt? in
            guard case .success(let licenseRequest) = item.request else { return nil }
            var attempt = LicenseAttempt(.spc(licenseRequest), playback.facts, authorization: authorization)
            attempt.acceptsSync = false
            return attempt
        }
        var answers = await service.answers(to: attempts).makeIterator()
        let items = batch.items.map { item in
            let result = Result { () throws in
                _ = try item.request.get()
                // There is one answer for each item that could be parsed.
                return try (answers.next() ?? .failure(WorkPoolError.stopped)).get().license
            }
            return LicenseBatchResponse.Item(
                id: item.id,
                result: result.mapError { ProblemMiddleware.problem(for: $0, context) }
            )
        }
        return LicenseBatchResponse(items: items).response()
    }

    /// Returns `{"challenge": "<16 hex digits>", "expires": SECONDS}`. The app passes the challenge to the device,
    /// which includes it in its Sync SPC. Each challenge is valid for one Sync SPC.
    private func challenge(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let playback = playback(request, context, route: "/fps/challenge")
        let (value, expires) = try await service.challenge(
            for: try await service.authorize(playback, by: authorizer)
        )
        return JSONValue.fields([
            ("challenge", .string(Hexadecimal.encode(value))),
            ("expires", .integer(Int(expires))),
        ]).response()
    }
}
