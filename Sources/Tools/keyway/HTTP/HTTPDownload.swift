import Foundation
import HTTPRequests

/// GET requests whose redirections are followed, and whose answer is refused as soon as it is too long, too slow, or not
/// what was asked for.
enum HTTPDownload {
    /// What came.
    struct Answer: Sendable {
        let bytes: [UInt8]
        /// Where it came from, after redirections; without user information.
        let url: URL
        /// The Content-Type header.
        let contentType: String?
    }

    /// Why nothing came, in words that hold no URL.
    struct Failure: Error {
        let reason: String
    }

    private static let maximumRedirections = 10

    /// Fetches what is at a URL.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - timeout: How long all of it may take, redirections included, in seconds.
    ///   - headers: The headers for a URL, asked again for each redirection: it may be another host.
    static func get(
        _ url: URL,
        limit: Int,
        timeout: Double,
        headers: @Sendable (URL) -> [String: String]
    ) async throws(Failure) -> Answer {
        let deadline = ContinuousClock.now + .seconds(timeout)
        var url = url
        for _ in 0...maximumRedirections {
            let answer = try await answer(url, limit, until: deadline, timeout, headers)
            let bare = url.withoutUserInformation
            switch answer.status {
            case 200..<300:
                return Answer(bytes: answer.body, url: bare, contentType: answer.header("Content-Type"))
            case 301, 302, 303, 307, 308:
                guard let location = answer.header("Location") else { throw refusal(answer.status) }
                guard let next = URL(string: location, relativeTo: bare)?.absoluteURL,
                    ["http", "https"].contains(next.scheme?.lowercased())
                else { throw Failure(reason: "the server redirects to an address that is neither http nor https") }
                url = next
            default: throw refusal(answer.status)
            }
        }
        throw Failure(reason: "the server redirects more than \(maximumRedirections) times")
    }

    private static func answer(
        _ url: URL,
        _ limit: Int,
        until deadline: ContinuousClock.Instant,
        _ timeout: Double,
        _ headers: @Sendable (URL) -> [String: String]
    ) async throws(Failure) -> BoundedHTTP.Answer {
        var request = BoundedHTTP.Request(
            url.withoutUserInformation.absoluteString,
            timeout: max(.zero, deadline - ContinuousClock.now),
            maximumAnswer: limit
        )
        var fields = ["User-Agent": "keyway", "Accept-Encoding": "identity"]
        fields["Authorization"] = url.basicAuthorization
        // Names of header fields are the same in any case.
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
            case .deadline: throw Failure(reason: "no whole answer within \(shortNumber(timeout)) s")
            case .tooLarge: throw Failure(reason: "it is longer than \(limit) bytes")
            default: throw Failure(reason: error.reason)
            }
        }
    }

    private static func refusal(_ status: Int) -> Failure {
        Failure(reason: "the server answers with status \(status)")
    }
}

/// A number without a fraction where it has none.
func shortNumber(_ number: Double) -> String {
    guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
    return "\(Int64(number))"
}
