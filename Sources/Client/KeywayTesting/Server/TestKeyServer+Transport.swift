public import ContentKeySession
import Locking
import TextCoding

// The server as a transport: routes, tokens, faults and records.

extension TestKeyServer {
    /// Answers a request, like a transport that sends it to the server and waits for the response.
    ///
    /// - Throws: `KeyTransportError`, if a fault causes one.
    public func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        let route = Self.route(of: request, at: url)
        let token = request.headers.first { $0.name.lowercased() == "authorization" }?.value
        let record = RecordedRequest(
            route: route,
            url: request.url,
            time: clock.elapsed,
            token: token.map { PlaybackToken(String($0.dropFirst("Bearer ".count))) }
        )
        let number = state.withLock { state in
            state.requests.append(record)
            return state.requests.count - 1
        }
        let response = try await response(to: request, record, number, nextFault(on: route))
        note(number) { $0.status = response.status }
        guard response.body.count <= request.maximumResponseSize else { throw .tooLarge }
        return response
    }

    private func response(
        to request: KeyTransportRequest,
        _ record: RecordedRequest,
        _ number: Int,
        _ fault: ServerFault
    ) async throws(KeyTransportError) -> KeyTransportResponse {
        switch fault.effect {
        case .none, .truncatedLicense, .wrongLicense, .item: break
        case .error(let error): throw error
        case .noResponse: try await wait(.seconds(.max / 2), timeout: request.timeout)
        case .delay(let duration): try await wait(duration, timeout: request.timeout)
        case .response(let response): return response
        case .problem(let status, let name, let reason, let retryAfter):
            return TestProblem(status, name, reason: reason, retryAfter: retryAfter).response
        }
        do throws(TestProblem) {
            if record.route != .certificate, record.route != .other { try requireToken(record.token) }
            switch record.route {
            case .certificate:
                return KeyTransportResponse(
                    status: 200,
                    headers: [
                        .init("Content-Type", "application/x-x509-ca-cert"),
                        .init("Cache-Control", "public, max-age=300"),
                    ],
                    body: certificate
                )
            case .license: return try licenseResponse(to: request, number, fault)
            case .batch: return try batchResponse(to: request, number, fault)
            case .challenge: return challengeResponse()
            case .other:
                throw TestProblem(404, "not-found", detail: "This test server has only the routes of \(url)/fps.")
            }
        } catch {
            return error.response
        }
    }

    private func wait(_ duration: Duration, timeout: Duration) async throws(KeyTransportError) {
        do {
            try await clock.sleep(until: clock.now.advanced(by: min(duration, timeout)), tolerance: nil)
        } catch {
            throw .cancelled
        }
        if duration >= timeout { throw .deadline }
    }

    private func nextFault(on route: Route) -> ServerFault {
        state.withLock { state in
            // A fault of the route comes before one of any route.
            for candidate in [route, nil] {
                guard let index = state.faults.firstIndex(where: { $0.route == candidate }) else { continue }
                return state.faults.remove(at: index).fault
            }
            let lasting = state.lastingFaults
            return (lasting.last { $0.route == route } ?? lasting.last { $0.route == nil })?.fault ?? .none
        }
    }

    /// Changes the record of a request, unless the records were removed in the meantime.
    func note(_ number: Int, _ change: (inout RecordedRequest) -> Void) {
        state.withLock { state in
            guard state.requests.indices.contains(number) else { return }
            change(&state.requests[number])
        }
    }

    private func requireToken(_ token: PlaybackToken?) throws(TestProblem) {
        let (accepted, expired) = state.withLock { ($0.acceptedTokens, $0.expiredTokens) }
        guard let accepted else { return }
        guard let token else { throw TestProblem(401, "token-missing") }
        guard !expired.contains(token.value) else { throw TestProblem(401, "token-expired") }
        guard accepted.contains(token.value) else { throw TestProblem(401, "token-signature") }
    }

    private static func route(of request: KeyTransportRequest, at origin: String) -> Route {
        guard request.url.hasPrefix(origin) else { return .other }
        let path = request.url.dropFirst(origin.count).prefix { $0 != "?" && $0 != "#" }
        let route = Route(rawValue: String(path)) ?? .other
        return (route == .certificate) == (request.method == .get) ? route : .other
    }

    private func challengeResponse() -> KeyTransportResponse {
        let challenge = UInt64.random(in: 1 ... .max)
        state.withLock { _ = $0.challenges.insert(challenge) }
        let json = JSONValue.object([
            "challenge": .string(Hexadecimal.encode(challenge)),
            "expires": .integer(Int(clock.secondsSince1970) + 300),
        ])
        return KeyTransportResponse(
            status: 200,
            headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
            body: json.encoded()
        )
    }
}
