import Foundation
import HTTPRequests
import ToolSupport

/// GET requests that follow redirects, and fail as soon as the response is too large, too slow, or an error.
enum HTTPDownload {
    /// A downloaded resource.
    struct Response: Sendable {
        let bytes: [UInt8]
        /// The final URL after redirects, without user information.
        let url: URL
        /// The Content-Type header.
        let contentType: String?
    }

    /// The reason of a failed download; it contains no URL.
    struct Failure: Error {
        let reason: String
    }

    private static let maximumRedirections = 10

    /// Downloads the resource at a URL.
    ///
    /// - Parameters:
    ///   - limit: The maximum size, in bytes.
    ///   - timeout: The timeout for the whole download, including redirects, in seconds.
    ///   - headers: Returns the headers for a URL. It is called again for each redirect, because the host may change.
    static func get(
        _ url: URL,
        limit: Int,
        timeout: Double,
        headers: @Sendable (URL) -> [String: String]
    ) async throws(Failure) -> Response {
        let deadline = ContinuousClock.now + .seconds(timeout)
        var url = url
        for _ in 0...maximumRedirections {
            let response = try await send(url, limit, until: deadline, timeout, headers)
            let bare = url.withoutUserInformation
            switch response.status {
            case 200..<300:
                return Response(bytes: response.body, url: bare, contentType: response.header("Content-Type"))
            case 301, 302, 303, 307, 308:
                guard let location = response.header("Location") else { throw refusal(response.status) }
                guard let next = URL(string: location, relativeTo: bare)?.absoluteURL,
                    ["http", "https"].contains(next.scheme?.lowercased())
                else { throw Failure(reason: "the server redirects to a URL that is neither http nor https") }
                url = next
            default: throw refusal(response.status)
            }
        }
        throw Failure(reason: "the server redirects more than \(maximumRedirections) times")
    }

    private static func send(
        _ url: URL,
        _ limit: Int,
        until deadline: ContinuousClock.Instant,
        _ timeout: Double,
        _ headers: @Sendable (URL) -> [String: String]
    ) async throws(Failure) -> BoundedHTTP.Answer {
        var request = BoundedHTTP.Request(
            url.withoutUserInformation.absoluteString,
            timeout: max(.zero, deadline - ContinuousClock.now),
            maximumResponseSize: limit
        )
        var fields = ["User-Agent": "keyway", "Accept-Encoding": "identity"]
        fields["Authorization"] = url.basicAuthorization
        // Header names are case-insensitive.
        for (name, value) in headers(url) {
            for known in fields.keys where known.lowercased() == name.lowercased() { fields[known] = nil }
            fields[name] = value
        }
        request.headers = fields.map { BoundedHTTP.Header($0.key, $0.value) }
        request.readsBody = { (200..<300).contains($0) }
        do {
            return try await CommandHTTP.send(request)
        } catch {
            switch error.code {
            case .deadline: throw Failure(reason: "no complete response within \(shortNumber(timeout)) s")
            case .tooLarge: throw Failure(reason: "the response is larger than \(limit) bytes")
            default: throw Failure(reason: error.reason)
            }
        }
    }

    private static func refusal(_ status: Int) -> Failure {
        Failure(reason: "the server responded with status \(status)")
    }
}

/// Returns a number as text, without a fraction if it is an integer.
func shortNumber(_ number: Double) -> String {
    guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
    return "\(Int64(number))"
}
