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
///     POST /fps/license                  SPC in, CKC out, in the format of the request; batches too
///     POST /fps/licenses                 a batch of SPCs, JSON
///     POST /fps/challenge                a challenge for one Sync SPC, JSON
package struct LicenseRoutes: Sendable {
    private let service: LicenseService
    private let authorizer: any PlaybackAuthorizer
    private let limits: ListenerLimits
    private let names: LicenseFieldNames
    private let tokens: TokenSources
    /// True if responses with a license have the ``DeviceHeaders``.
    private let sendsDevice: Bool

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - names: The names of the fields of license requests.
    ///   - tokens: Where a playback token may be in a request.
    ///   - sendsDevice: True if responses with a license have headers with what the device reported.
    package init(
        service: LicenseService,
        authorizer: any PlaybackAuthorizer,
        limits: ListenerLimits,
        names: LicenseFieldNames = LicenseFieldNames(),
        tokens: TokenSources = TokenSources(),
        sendsDevice: Bool = false
    ) {
        self.service = service
        self.authorizer = authorizer
        self.limits = limits
        self.names = names
        self.tokens = tokens
        self.sendsDevice = sendsDevice
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
        let body = try await request.boundedBody(upTo: limits.licenseBody)
        if LicenseBatchRequest.matches(body) {
            return try await batch(body, request, context, route: "/fps/license")
        }
        let licenseRequest = try LicenseRequest(
            body: body,
            contentType: request.headers[.contentType],
            query: request.uri.query,
            names: names
        )
        let playback = playback(request, context, route: "/fps/license", licenseRequest)
        let attempt = try await service.attempt(licenseRequest, playback, by: authorizer)
        let format = AcceptedTypes(request.headers[.accept])?.format(instead: licenseRequest.format)
        do {
            let (answer, device) = try await service.answerWithDevice(attempt)
            var response = answer.response(in: format ?? licenseRequest.format)
            if sendsDevice, let device { DeviceHeaders.add(device, to: &response.headers) }
            return response
        } catch let problem as ProblemDocument where problem.isHaltedPlayback {
            return Self.haltedPlayback
        }
    }

    private func licenses(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await request.boundedBody(upTo: limits.licenseBody)
        return try await batch(body, request, context, route: "/fps/licenses")
    }

    /// Answers a batch in small groups, so that one batch does not occupy every thread of the shared pool.
    private func batch(
        _ body: [UInt8],
        _ request: Request,
        _ context: ServerRequestContext,
        route: String
    ) async throws -> Response {
        let batch = try LicenseBatchRequest(
            body: body,
            contentType: request.headers[.contentType],
            maximum: limits.batch,
            names: names
        )
        try service.limits.requireItems(batch.items.count, from: context.clientAddress)
        let playback = playback(request, context, route: route)
        var attempts = try await service.attempts(
            batch.items.compactMap { try? $0.request.get() },
            playback,
            by: authorizer
        )
        for index in attempts.indices { attempts[index].acceptsSync = false }
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
        let response = LicenseBatchResponse(items: items, shape: batch.shape)
        guard let problem = response.problem else { return response.response() }
        if problem.isHaltedPlayback { return Self.haltedPlayback }
        throw problem
    }

    /// The response to the report of an expired session, which apps send until it succeeds. It is in the audit log, and
    /// gets no key.
    private static let haltedPlayback = Response(status: .noContent, headers: [.cacheControl: "no-store"])

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

extension ProblemDocument {
    /// True if the SPC reports that playback has halted.
    fileprivate var isHaltedPlayback: Bool { reason == KSMError.Code.playbackHalted.rawValue }
}
