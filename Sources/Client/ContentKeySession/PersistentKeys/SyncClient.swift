import TextCoding

/// A client that sends Sync SPCs to the key server.
package struct SyncClient: Sendable {
    package let service: OfflineKeyService
    let transport: any KeyTransport
    /// The number of attempts of a request without a response: the proof of an invalidation cannot be created again.
    private static let attempts = 3

    package init(service: OfflineKeyService, transport: any KeyTransport) {
        (self.service, self.transport) = (service, transport)
    }

    /// Fetches the application certificate.
    package func certificate() async throws(OfflineKeyError) -> [UInt8] {
        try await send(.get, service.keys.certificateURL, [], purpose: .certificate, place: service.keys.certificateURL)
    }

    /// Requests a challenge for one Sync SPC.
    package func challenge() async throws(OfflineKeyError) -> UInt64 {
        let place = service.challengeURL
        let body = try await send(.post, place, [], purpose: .license, place: place)
        guard let digits = JSONValue(answer: body)?["challenge"]?.text, let bytes = Hexadecimal.decode(digits),
            bytes.count == 8
        else {
            throw OfflineKeyError(
                code: "malformed-response",
                place: place,
                reason: "the response does not contain a challenge"
            )
        }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Sends a Sync SPC and parses the server's response.
    package func send(_ spc: [UInt8], place: String) async throws(OfflineKeyError) -> SyncResponse {
        let body = try await send(.post, service.keys.licenseURL, spc, purpose: .license, place: place)
        guard let answer = SyncResponse(json: body) else {
            throw OfflineKeyError(
                code: "malformed-response",
                place: place,
                reason: "the response is not a Sync response"
            )
        }
        return answer
    }

    private func send(
        _ method: KeyTransportRequest.Method,
        _ url: String,
        _ body: [UInt8],
        purpose: KeyService.Purpose,
        place: String
    ) async throws(OfflineKeyError) -> [UInt8] {
        let answer = try await response(method, url, body, purpose: purpose, place: place)
        guard answer.status == 200 else { throw Self.refusal(answer, place) }
        return answer.body
    }

    /// Sends a request and returns the response, whatever its status is.
    func response(
        _ method: KeyTransportRequest.Method,
        _ url: String,
        _ body: [UInt8],
        purpose: KeyService.Purpose,
        place: String
    ) async throws(OfflineKeyError) -> KeyTransportResponse {
        var headers: [KeyTransportHeader]
        do {
            headers = try await service.keys.headers(purpose)
            if purpose != .certificate, let token = try await service.keys.token(purpose) {
                headers.append(.init("Authorization", "Bearer " + token.value))
            }
        } catch {
            throw OfflineKeyError(
                code: "no-token",
                place: place,
                reason: "the app could not get a token: sign in again"
            )
        }
        if method == .post { headers.append(.init("Content-Type", "application/octet-stream")) }
        let request = KeyTransportRequest(method, url, headers: headers, body: body)
        var attempt = 1
        while true {
            do throws(KeyTransportError) {
                return try await transport.send(request)
            } catch {
                // The server returns the same response to the same request.
                guard error == .noConnection, attempt < Self.attempts else {
                    throw OfflineKeyError(
                        code: "no-connection",
                        place: place,
                        reason: "the key server does not respond: check the address and the network"
                    )
                }
                attempt += 1
            }
        }
    }

    /// Returns the error for a problem document (RFC 9457), restricted to log-safe words.
    private static func refusal(_ answer: KeyTransportResponse, _ place: String) -> OfflineKeyError {
        let problem = JSONValue(answer: answer.body)
        let type = problem?["type"]?.text?.split { $0 == ":" || $0 == "/" }.last.flatMap { LogSafeWord(String($0)) }
        let reason = problem?["reason"]?.text.flatMap { LogSafeWord($0) }
        let words = [type, reason].compactMap { $0?.description }.joined(separator: ", ")
        let advice = reason.flatMap { KeyFailure.clockAdvice($0) }.map { ". \($0)" } ?? ""
        return OfflineKeyError(
            code: reason?.description ?? type?.description ?? "status-\(answer.status)",
            place: place,
            reason: "the server refused the request, status \(answer.status)"
                + (words.isEmpty ? "" : ": \(words)") + advice
        )
    }
}

/// A key server's response to a Sync SPC.
public struct SyncResponse: Sendable, Hashable {
    /// The version of the report, 1 or 2.
    public let version: Int
    /// The remaining time of the key in seconds; nil means unlimited.
    public let remaining: Int64?
    /// The flags in the device's report, such as `report` and `success`; empty in version 1.
    public let flags: [String]
    /// The IDs of the streams whose keys were invalidated, in hexadecimal.
    public let invalidatedStreamIDs: [String]

    /// Parses the response; nil if it is malformed.
    init?(json: [UInt8]) {
        guard let sync = JSONValue(answer: json)?["sync"], let version = sync["version"]?.wholeNumber else {
            return nil
        }
        self.version = version
        remaining = sync["remaining"]?.wholeNumber.map { Int64($0) }
        flags = sync["flags"]?.items?.compactMap(\.text) ?? []
        invalidatedStreamIDs = sync["invalidatedStreamIds"]?.items?.compactMap(\.text) ?? []
    }
}
