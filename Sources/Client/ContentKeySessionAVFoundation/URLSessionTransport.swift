#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// A transport for the key loader over URLSession. It does not follow redirects, so that a token is sent only to its
/// server, and does not use a cache.
public final class URLSessionTransport: NSObject, KeyTransport, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
        let maximum: Int
        let continuation: CheckedContinuation<Result<KeyTransportResponse, KeyTransportError>, Never>
        var body = Data()
        var isTooLarge = false
    }

    // All properties are constant and Sendable except for the session, which is set before it can be used.
    private let exchanges = Lock<[Int: Exchange]>([:])
    private var session: URLSession?

    /// Creates a transport.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        super.init()
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Invalidates the transport. A URLSession retains its delegate until it is invalidated.
    public func invalidate() { session?.finishTasksAndInvalidate() }

    /// Sends a request and returns the response.
    public func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        guard let session, let url = URL(string: request.url), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host != nil
        else { throw .badAddress }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        for header in request.headers { message.addValue(header.value, forHTTPHeaderField: header.name) }
        if request.method == .post { message.httpBody = Data(request.body) }
        message.timeoutInterval = request.timeout / .seconds(1)
        let task = session.dataTask(with: message)
        // The timeout of URLSession restarts with each byte.
        let clock = Task {
            guard (try? await Task.sleep(for: request.timeout)) != nil else { return }
            finish(task.taskIdentifier, with: .failure(.deadline))
            task.cancel()
        }
        defer { clock.cancel() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.withLock {
                    $0[task.taskIdentifier] = Exchange(maximum: request.maximumResponseSize, continuation: continuation)
                }
                task.resume()
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            task.cancel()
        }.get()
    }

    private func finish(_ task: Int, with result: Result<KeyTransportResponse, KeyTransportError>) {
        exchanges.withLock { $0.removeValue(forKey: task) }?.continuation.resume(returning: result)
    }

    /// Does not follow a redirect, so that the response is the redirect itself.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Collects the response body up to the maximum size.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = exchanges.withLock { all in
            guard var exchange = all.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            exchange.isTooLarge = exchange.body.count + data.count > exchange.maximum
            if !exchange.isTooLarge { exchange.body.append(data) }
            all[dataTask.taskIdentifier] = exchange
            return exchange.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    /// Returns the result to the caller.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation.resume(returning: Self.result(of: task, exchange.body, exchange.isTooLarge, error))
    }

    private static func result(
        of task: URLSessionTask,
        _ body: Data,
        _ isTooLarge: Bool,
        _ error: (any Error)?
    ) -> Result<KeyTransportResponse, KeyTransportError> {
        if isTooLarge { return .failure(.tooLarge) }
        if let error {
            switch (error as? URLError)?.code {
            case .cancelled: return .failure(.cancelled)
            case .timedOut: return .failure(.deadline)
            case .badURL, .unsupportedURL: return .failure(.badAddress)
            default: return .failure(.noConnection)
            }
        }
        guard let response = task.response as? HTTPURLResponse else { return .failure(.noConnection) }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { KeyTransportHeader(name, $0) } }
        }
        return .success(KeyTransportResponse(status: response.statusCode, headers: headers, body: Array(body)))
    }
}
#endif
