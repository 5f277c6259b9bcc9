import AsyncHTTPClient
import Foundation
import HTTPRequests
import NIOSSL
import StreamValidation
import ToolSupport

/// The HTTP client of a command that reads a stream from the web. It adds the headers of the command line and the
/// cookies of earlier responses, follows redirects, and connects through proxies.
struct WebClient: HTTPExchange {
    /// The headers and the hosts that receive them.
    var headers = HeaderPolicy()
    /// The User-Agent header for all hosts; nil for that of the request.
    var userAgent: String?
    /// The maximum number of redirects to follow.
    var maximumRedirections = 10
    private let http: CommandHTTP
    private let cookies: CookieJar

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - proxies: The proxies.
    ///   - tls: The certificate authorities and the client certificate; nil for those of the system.
    init(proxies: HTTPProxies = .environment, tls: TLSConfiguration? = nil, cookies: CookieJar = CookieJar()) {
        http = .permanent(proxies: proxies, tls: tls)
        self.cookies = cookies
    }

    /// A client with the same connections and cookies that returns redirects to the caller, for requests of keys.
    var withoutRedirects: WebClient {
        var client = self
        client.maximumRedirections = 0
        return client
    }

    /// Sends a request and reads the complete response before the timeout.
    func send(
        _ request: BoundedHTTP.Request,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        let deadline = ContinuousClock.now + request.timeout
        return try await following(request) { request, url throws(BoundedHTTP.Failure) in
            var request = request
            request.timeout = max(.zero, deadline - ContinuousClock.now)
            var answer = try await http.send(request, to: url, while: shouldContinue)
            answer.url = url.withoutUserInformation.absoluteString
            return (answer, answer.status, answer.headers)
        }
    }

    /// Sends a request and waits for the head of the response.
    func open(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
        try await following(request) { request, url throws(BoundedHTTP.Failure) in
            var head = try await http.open(request, to: url)
            head.url = url.withoutUserInformation.absoluteString
            return (head, head.status, head.headers)
        }
    }

    /// Observes the TLS of a host; nil if it cannot be reached directly.
    func observeTLS(of host: TLSHost) async -> TLSObservation? { await http.observeTLS(of: host) }

    private func following<Response>(
        _ request: BoundedHTTP.Request,
        _ exchange: (BoundedHTTP.Request, URL) async throws(BoundedHTTP.Failure) -> (
            Response, status: Int, headers: [BoundedHTTP.Header]
        )
    ) async throws(BoundedHTTP.Failure) -> Response {
        guard var url = URL(string: request.url) else { throw .init(.badAddress, "the URL is invalid") }
        var redirections = 0
        // A redirect to the same URL with another cookie is not a loop: a server may set the cookie first.
        var visited: Set<[String?]> = []
        while true {
            guard visited.insert([url.absoluteString, cookies.field(for: url)]).inserted else {
                throw .init(.redirects, BoundedHTTP.Failure.redirectLoop)
            }
            let (response, status, fields) = try await exchange(prepared(request, for: url), url)
            for field in fields where field.name.lowercased() == "set-cookie" { cookies.store(field.value, from: url) }
            guard [301, 302, 303, 307, 308].contains(status), maximumRedirections > 0,
                let location = fields.first(where: { $0.name.lowercased() == "location" })?.value
            else { return response }
            redirections += 1
            guard redirections <= maximumRedirections else {
                throw .init(.redirects, "the server redirects more than \(maximumRedirections) times")
            }
            guard let next = URL(string: location, relativeTo: url.withoutUserInformation)?.absoluteURL,
                ["http", "https"].contains(next.scheme?.lowercased()), next.host?.isEmpty == false
            else { throw .init(.redirects, "the server redirects to a URL that is neither http nor https") }
            url = next
        }
    }

    /// Returns a request to a URL, with the headers and cookies for it. Headers of the request itself take precedence.
    private func prepared(_ request: BoundedHTTP.Request, for url: URL) -> BoundedHTTP.Request {
        var request = request
        request.url = url.withoutUserInformation.absoluteString
        var added = headers.headers(for: url)
        if let authorization = url.basicAuthorization,
            !added.contains(where: { $0.name.lowercased() == "authorization" })
        {
            added.append(("Authorization", authorization))
        }
        let own = Set(request.headers.map { $0.name.lowercased() }).subtracting(["user-agent", "accept-encoding"])
        added.removeAll { own.contains($0.name.lowercased()) }
        if let userAgent, !added.contains(where: { $0.name.lowercased() == "user-agent" }) {
            added.append(("User-Agent", userAgent))
        }
        let replaced = Set(added.map { $0.name.lowercased() })
        request.headers.removeAll { replaced.contains($0.name.lowercased()) }
        request.headers += added.map { .init($0.name, $0.value) }
        if let cookie = cookies.field(for: url), !own.contains("cookie") {
            // A request has one Cookie field (RFC 6265, section 5.4).
            let all = request.headers.filter { $0.name.lowercased() == "cookie" }.map(\.value) + [cookie]
            request.headers.removeAll { $0.name.lowercased() == "cookie" }
            request.headers.append(.init("Cookie", all.joined(separator: "; ")))
        }
        return request
    }
}
