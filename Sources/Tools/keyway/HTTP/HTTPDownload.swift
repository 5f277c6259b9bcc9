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

    /// Downloads the resource at a URL.
    ///
    /// - Parameters:
    ///   - limit: The maximum size, in bytes.
    ///   - timeout: The timeout for the whole download, including redirects, in seconds.
    ///   - client: The client, which adds headers and follows redirects.
    static func get(
        _ url: URL,
        limit: Int,
        timeout: Double,
        by client: WebClient
    ) async throws(Failure) -> Response {
        var request = BoundedHTTP.Request(
            url.absoluteString,
            timeout: .seconds(timeout),
            maximumResponseSize: limit
        )
        request.headers = [.init("User-Agent", "keyway"), .init("Accept-Encoding", "identity")]
        request.readsBody = { (200..<300).contains($0) }
        let answer: BoundedHTTP.Answer
        do {
            answer = try await client.send(request, while: nil)
        } catch {
            switch error.code {
            case .deadline: throw Failure(reason: "no complete response within \(shortNumber(timeout)) s")
            case .tooLarge: throw Failure(reason: "the response is larger than \(limit) bytes")
            default: throw Failure(reason: error.reason)
            }
        }
        guard (200..<300).contains(answer.status), let final = URL(string: answer.url) else {
            throw Failure(reason: "the server responded with status \(answer.status)")
        }
        return Response(bytes: answer.body, url: final, contentType: answer.header("Content-Type"))
    }
}

/// Returns a number as text, without a fraction if it is an integer.
func shortNumber(_ number: Double) -> String {
    guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
    return "\(Int64(number))"
}
