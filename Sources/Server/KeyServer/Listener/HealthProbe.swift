import HTTPRequests

/// A request to a health route of a running server, for containers that have no other HTTP client.
package struct HealthProbe: Sendable {
    /// A health route.
    package enum Route: String, Sendable {
        /// The route that responds while the process responds.
        case liveness = "/healthz"
        /// The route that responds with 200 while licenses can be issued.
        case readiness = "/readyz"
    }

    /// The reason why a server is not healthy.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The server did not respond, or not in time.
        case unreachable(String)
        /// The server responded with a status other than 200. The names of the failed checks may be empty.
        case unhealthy(status: Int, checks: String)

        package var description: String {
            switch self {
            case .unreachable(let reason): reason
            case .unhealthy(let status, let checks): "status \(status)\(checks.isEmpty ? "" : ": \(checks)")"
            }
        }
    }

    /// The maximum size of a response, in bytes. A health route responds with a few words.
    private static let maximumSize = 1_024

    private let http: BoundedHTTP

    /// Creates a probe with the process's client, which does not follow redirects.
    package init() { http = .withoutRedirects }

    /// Requests a route.
    ///
    /// - Parameters:
    ///   - server: The server's URL, without a slash at its end.
    ///   - timeout: The time limit, including the response.
    package func check(_ route: Route, server: String, timeout: Duration) async throws(Failure) {
        let request = BoundedHTTP.Request(
            server + route.rawValue,
            timeout: timeout,
            maximumResponseSize: Self.maximumSize
        )
        let answer: BoundedHTTP.Answer
        do {
            answer = try await http.send(request)
        } catch {
            throw .unreachable(error.reason)
        }
        guard answer.status == 200 else {
            // Any program can use the port, so only the words that a server of this project sends are shown.
            let text = String(decoding: answer.body, as: UTF8.self)
            let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
            let words = isPlain ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : ""
            throw .unhealthy(status: answer.status, checks: words)
        }
    }
}
