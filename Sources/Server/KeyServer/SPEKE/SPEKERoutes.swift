import DRMSignaling
import HTTPTypes
import Hummingbird
import KeyStore
import NIOCore
import TextCoding

/// The routes for encoders and packagers to get keys: SPEKE v2.0 and v2.1 (docs/speke.md).
///
///     POST /speke/v2.0/copyProtection     a CPIX document in, the same document with keys out
///     POST /speke/v2.1/copyProtection     the same: X-Speke-Version specifies the version, not the path
///
///     X-Speke-Version        2.0 (CPIX 2.3) or 2.1 (CPIX 2.4), in request and response
///     X-Speke-User-Agent     the name of the server, in the response
///
/// A response contains keys, which are not encrypted unless the request contains a certificate. A repeated request gets
/// the same keys.
struct SPEKERoutes: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & AuditLog
    let metrics: ServerMetrics?
    let work: EncoderWork
    let activity: EncoderActivity

    static let path = "/speke/v2.0/copyProtection"
    static let newerPath = "/speke/v2.1/copyProtection"

    var endpoints: [AdminEndpoint] {
        [Self.path, Self.newerPath].map { AdminEndpoint(.post, $0, .encode) { try await answer($0) } }
    }

    /// Answers a request, and counts it if it fails. Successful ones are counted with their keys.
    private func answer(_ request: AdminRequest) async throws -> Response {
        var title: String?
        do {
            return try await answer(request, title: &title)
        } catch {
            let subject = EncoderActivity.Subject(encoder: request.identity.name, title: title)
            activity.failed(subject, error, at: request.now)
            throw error
        }
    }

    /// Answers a request.
    ///
    /// - Parameter title: Set to the title of the content ID, as soon as it is known.
    private func answer(_ request: AdminRequest, title: inout String?) async throws -> Response {
        try request.requireNoQuery()
        let headers = request.request.headers
        guard let version = headers[.spekeVersion].flatMap(SPEKEVersion.init(rawValue:)) else {
            let versions = SPEKEVersion.allCases.map(\.rawValue).joined(separator: " or ")
            throw ProblemDocument(
                .unacceptableCPIX,
                detail: "Unsupported SPEKE version: send X-Speke-Version: \(versions).",
                reason: "speke-version"
            )
        }
        guard Self.isXML(headers[.contentType]) else {
            throw ProblemDocument(.unsupportedMediaType, detail: "Send application/xml.")
        }
        try work.requireCapacity()
        let body = try await request.request.boundedBody(upTo: SPEKERequest.sizeLimit)
        return try await work.admit { try await answer(body, version, request, title: &title) }
    }

    private func answer(
        _ body: [UInt8],
        _ version: SPEKEVersion,
        _ request: AdminRequest,
        title: inout String?
    ) async throws -> Response {
        let document = try await work.run { () throws(ProblemDocument) in try Self.document(body) }
        title = document.contentID.flatMap { $0.isEmpty ? nil : SPEKENames.title(ofContentID: $0) }
        let spekeRequest = try await work.run { () throws(ProblemDocument) in
            let spekeRequest = try SPEKERequest(document, version)
            try spekeRequest.requireSupported(at: request.now)
            return spekeRequest
        }
        let outcome = try await SPEKEKeys(store: store, work: work).keys(for: spekeRequest, at: request.now) {
            outcome in
            Self.audit(request, spekeRequest, outcome)
        }
        // CPIX 2.3 has no elements for output protection.
        let protections =
            version == .v2_0 ? [:] : try await SPEKEOutputProtection(store: store).protections(outcome.records)
        let answer = try await work.run { () throws(ProblemDocument) in
            try spekeRequest.response(outcome.records, protections, at: request.now).xml
        }
        activity.answered(
            EncoderActivity.Subject(encoder: request.identity.name, title: spekeRequest.title),
            keys: outcome.records.count,
            created: outcome.made.count,
            at: request.now
        )
        metrics?.encoderKeys(made: outcome.made.count, found: outcome.records.count - outcome.made.count)
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/xml", .cacheControl: "no-store", .spekeVersion: version.rawValue,
                .spekeUserAgent: "keyway-server",
            ],
            body: .init(byteBuffer: ByteBuffer(bytes: answer))
        )
    }

    private static func isXML(_ type: String?) -> Bool {
        let name = type?.split(separator: ";").first?.filter { !$0.isWhitespace }.lowercased()
        return name == "application/xml" || name == "text/xml"
    }

    private static func document(_ body: [UInt8]) throws(ProblemDocument) -> CPIXDocument {
        do throws(SignalingError) { return try CPIXDocument(xml: body) } catch {
            // These errors contain no parts of the document.
            throw ProblemDocument(.malformedRequest, detail: "\(error).", reason: error.code.rawValue)
        }
    }

    private static func audit(
        _ request: AdminRequest,
        _ spekeRequest: SPEKERequest,
        _ outcome: SPEKEKeys.Outcome
    ) -> AuditRecord {
        let form = spekeRequest.document.deliveryData.isEmpty ? "in the clear" : "encrypted"
        var detail =
            "\(counted(outcome.records.count, "key")) of title \(spekeRequest.title) \(form), "
            + "\(outcome.made.count) created"
        let shown = outcome.made.prefix(8).map(\.hexadecimal)
        if !shown.isEmpty { detail += ": " + shown.joined(separator: " ") }
        if outcome.made.count > shown.count { detail += " and \(outcome.made.count - shown.count) more" }
        var record = request.audit("speke", detail)
        if let key = spekeRequest.keys.first, spekeRequest.keys.count == 1 {
            record.assetID = outcome.records[key.keyID]?.info.assetID
        }
        return record
    }
}

extension HTTPField.Name {
    static let spekeVersion = Self("X-Speke-Version")!
    static let spekeUserAgent = Self("X-Speke-User-Agent")!
}
