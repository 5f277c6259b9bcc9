#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// The key loader's transport over URLSession. It follows no redirect and keeps nothing: a token stays where it was sent,
/// and no license comes from a cache.
public final class URLSessionTransport: NSObject, KeyTransport, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
        let maximum: Int
        let continuation: CheckedContinuation<Result<KeyTransportAnswer, KeyTransportError>, Never>
        var body = Data()
        var isTooLarge = false
    }

    // Constant and Sendable, but for the session, which is set before anybody can ask for it.
    private let exchanges = Lock<[Int: Exchange]>([:])
    private var session: URLSession?

    /// Makes a transport.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        super.init()
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Ends it. A session of URLSession keeps its delegate alive until this is called.
    public func invalidate() { session?.finishTasksAndInvalidate() }

    /// Sends a request.
    public func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer {
        guard let session, let url = URL(string: request.url), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host != nil
        else { throw .badAddress }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        for header in request.headers { message.addValue(header.value, forHTTPHeaderField: header.name) }
        if request.method == .post { message.httpBody = Data(request.body) }
        message.timeoutInterval = request.timeout / .seconds(1)
        let task = session.dataTask(with: message)
        // URLSession's own time begins anew with each byte.
        let clock = Task {
            guard (try? await Task.sleep(for: request.timeout)) != nil else { return }
            finish(task.taskIdentifier, with: .failure(.deadline))
            task.cancel()
        }
        defer { clock.cancel() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.withLock {
                    $0[task.taskIdentifier] = Exchange(maximum: request.maximumAnswer, continuation: continuation)
                }
                task.resume()
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            task.cancel()
        }.get()
    }

    private func finish(_ task: Int, with result: Result<KeyTransportAnswer, KeyTransportError>) {
        exchanges.withLock { $0.removeValue(forKey: task) }?.continuation.resume(returning: result)
    }

    /// Follows no redirect: the answer is the redirect itself.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Collects what comes, as far as it may go.
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

    /// Answers who waits.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation.resume(returning: Self.result(of: task, exchange.body, exchange.isTooLarge, error))
    }

    private static func result(
        of task: URLSessionTask,
        _ body: Data,
        _ isTooLarge: Bool,
        _ error: (any Error)?
    ) -> Result<KeyTransportAnswer, KeyTransportError> {
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
        return .success(KeyTransportAnswer(status: response.statusCode, headers: headers, body: Array(body)))
    }
}
#endif
