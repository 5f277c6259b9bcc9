import ContentKeySession
import Foundation
import TextCoding

/// Sends Sync SPCs to the key server.
struct SyncClient: Sendable {
    let service: OfflineKeyService
    let transport: any KeyTransport
    /// Of a request that nobody answered: the proof of an invalidation cannot be made again.
    private static let attempts = 3

    init(service: OfflineKeyService, transport: any KeyTransport) {
        (self.service, self.transport) = (service, transport)
    }

    /// The application certificate.
    func certificate() async throws(OfflineKeyError) -> [UInt8] {
        try await send(.get, service.keys.certificateURL, [], purpose: .certificate, place: service.keys.certificateURL)
    }

    /// A challenge, for one Sync SPC.
    func challenge() async throws(OfflineKeyError) -> UInt64 {
        let place = service.challengeURL
        let body = try await send(.post, place, [], purpose: .license, place: place)
        guard let digits = JSONValue(answer: body)?["challenge"]?.text, let bytes = Hexadecimal.decode(digits),
            bytes.count == 8
        else { throw OfflineKeyError(code: "unreadable-answer", place: place, reason: "the answer is no challenge") }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Sends a Sync SPC, and reads what the server has read of it.
    func send(_ spc: [UInt8], place: String) async throws(OfflineKeyError) -> SyncAnswer {
        let body = try await send(.post, service.keys.licenseURL, spc, purpose: .license, place: place)
        guard let answer = SyncAnswer(json: body) else {
            throw OfflineKeyError(code: "unreadable-answer", place: place, reason: "the answer is no Sync report")
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
        var headers: [KeyTransportHeader]
        do {
            headers = try await service.keys.headers(purpose)
            if purpose != .certificate, let token = try await service.keys.token(purpose) {
                headers.append(.init("Authorization", "Bearer " + token.value))
            }
        } catch {
            throw OfflineKeyError(code: "no-token", place: place, reason: "there is no token: sign in again")
        }
        if method == .post { headers.append(.init("Content-Type", "application/octet-stream")) }
        let request = KeyTransportRequest(method, url, headers: headers, body: body)
        var attempt = 1
        while true {
            let answer: KeyTransportAnswer
            do throws(KeyTransportError) {
                answer = try await transport.send(request)
            } catch {
                // The server gives the same request the same answer.
                guard error == .noConnection, attempt < Self.attempts else {
                    throw OfflineKeyError(
                        code: "no-connection",
                        place: place,
                        reason: "the key server does not answer: check the address and the network"
                    )
                }
                attempt += 1
                continue
            }
            guard answer.status == 200 else { throw Self.refusal(answer, place) }
            return answer.body
        }
    }

    /// What a problem document says (RFC 9457), as far as it may be shown.
    private static func refusal(_ answer: KeyTransportAnswer, _ place: String) -> OfflineKeyError {
        let problem = JSONValue(answer: answer.body)
        let type = problem?["type"]?.text?.split { $0 == ":" || $0 == "/" }.last.flatMap { LogWord(String($0)) }
        let reason = problem?["reason"]?.text.flatMap { LogWord($0) }
        let words = [type, reason].compactMap { $0?.description }.joined(separator: ", ")
        return OfflineKeyError(
            code: reason?.description ?? type?.description ?? "status-\(answer.status)",
            place: place,
            reason: "the server refuses it, status \(answer.status)\(words.isEmpty ? "" : ": \(words)")"
        )
    }
}

/// What a key server has read of a Sync SPC.
public struct SyncAnswer: Sendable, Hashable {
    /// 1 or 2.
    public let version: Int
    /// For how many seconds the key may still be used; nil: without end.
    public let remaining: Int64?
    /// What the device said, such as `report` and `success`; none in version 1.
    public let flags: [String]
    /// The streams whose keys are gone, in hexadecimal.
    public let invalidatedStreamIDs: [String]

    /// Reads it; nil where it is none.
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
