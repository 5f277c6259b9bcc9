import Foundation
import FoundationNetworking
import Synchronization

/// One GET request, whose answer is refused as soon as it is too long, too slow, or not what was asked for.
final class HTTPDownload: NSObject, URLSessionDataDelegate, Sendable {
    /// What came.
    struct Answer: Sendable {
        let bytes: [UInt8]
        /// Where it came from, after redirections.
        let url: URL
        /// The Content-Type header.
        let contentType: String?
    }

    /// Why nothing came, in words that hold no URL.
    struct Failure: Error {
        let reason: String
    }

    private struct State {
        var continuation: CheckedContinuation<Result<Answer, Failure>, Never>?
        var bytes: [UInt8] = []
        var response: HTTPURLResponse?
        var failure: String?
        var redirections = 0
    }

    /// Fewer than Foundation follows by itself.
    private static let maximumRedirections = 10

    private let limit: Int
    private let headers: @Sendable (URL) -> [String: String]
    private let state = Mutex(State())

    private init(limit: Int, headers: @escaping @Sendable (URL) -> [String: String]) {
        self.limit = limit
        self.headers = headers
    }

    /// Fetches what is at a URL.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - timeout: How long all of it may take, in seconds.
    ///   - headers: The headers for a URL, asked again for each redirection.
    static func get(
        _ url: URL,
        limit: Int,
        timeout: Double,
        headers: @escaping @Sendable (URL) -> [String: String]
    ) async throws(Failure) -> Answer {
        let download = HTTPDownload(limit: limit, headers: headers)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.httpShouldSetCookies = false
        let session = URLSession(configuration: configuration, delegate: download, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: download.request(for: url, timeout: timeout))
        // The system's time-out only sees to it that something comes.
        let deadline = DispatchWorkItem { download.stop(task, "no whole answer within \(shortNumber(timeout)) s") }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: deadline)
        defer { deadline.cancel() }
        let result = await withCheckedContinuation { continuation in
            download.state.withLock { $0.continuation = continuation }
            task.resume()
        }
        return try result.get()
    }

    private func request(for url: URL, timeout: Double) -> URLRequest {
        var request = URLRequest(
            url: url.withoutUserInformation,
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: timeout
        )
        if let authorization = url.basicAuthorization {
            request.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        for (name, value) in headers(url) { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// Ends the request; the first reason counts.
    private func stop(_ task: URLSessionTask, _ reason: String) {
        state.withLock { state in if state.failure == nil { state.failure = reason } }
        task.cancel()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let count = state.withLock { state in
            state.redirections += 1
            return state.redirections
        }
        guard let url = newRequest.url, ["http", "https"].contains(url.scheme?.lowercased()) else {
            stop(task, "the server redirects to an address that is neither http nor https")
            return completionHandler(nil)
        }
        guard count <= Self.maximumRedirections else {
            stop(task, "the server redirects more than \(Self.maximumRedirections) times")
            return completionHandler(nil)
        }
        // Not the headers of the request before: this may be another host.
        completionHandler(request(for: url, timeout: newRequest.timeoutInterval))
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
            stop(dataTask, "the server answers with status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            return completionHandler(.cancel)
        }
        guard response.expectedContentLength <= Int64(limit) else {
            stop(dataTask, tooLong)
            return completionHandler(.cancel)
        }
        state.withLock { $0.response = response }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard state.failure == nil else { return false }
            state.bytes += data
            return state.bytes.count > limit
        }
        if isTooLong { stop(dataTask, tooLong) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            let continuation = state.continuation
            state.continuation = nil
            return (continuation, outcome(state, error))
        }
        continuation?.resume(returning: result)
    }

    private func outcome(_ state: State, _ error: (any Error)?) -> Result<Answer, Failure> {
        if let reason = state.failure { return .failure(Failure(reason: reason)) }
        guard error == nil, let response = state.response, let url = response.url else {
            let words = (error as? URLError)?.localizedDescription ?? "no answer came"
            return .failure(Failure(reason: words))
        }
        let type = response.value(forHTTPHeaderField: "Content-Type")
        return .success(Answer(bytes: state.bytes, url: url, contentType: type))
    }

    private var tooLong: String { "it is longer than \(limit) bytes" }
}

/// A number without a fraction where it has none.
func shortNumber(_ number: Double) -> String {
    guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
    return "\(Int64(number))"
}
