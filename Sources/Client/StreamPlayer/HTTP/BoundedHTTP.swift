package import AsyncHTTPClient
package import ContentKeySession
import Foundation
import NIOCore
import NIOHTTP1

/// Sends one HTTP request with async-http-client and reads its answer, bounded in time and size. It neither retries nor
/// follows redirects: the caller decides on both.
package struct BoundedHTTP: Sendable {
    /// A request.
    package struct Request: Sendable {
        /// The method, in capitals.
        package var method = "GET"
        /// The absolute URL. Its user information is not sent.
        package var url: String
        /// The header fields, in order.
        package var headers: [KeyTransportHeader] = []
        /// The body; nil for none.
        package var body: [UInt8]?
        /// How long the whole exchange may take, the body of the answer included.
        package var timeout: Duration
        /// The size limit of the answer's body, in bytes.
        package var maximumAnswer: Int
        /// Whether the body of an answer with this status is read; otherwise it is empty.
        package var readsBody: @Sendable (Int) -> Bool = { _ in true }

        /// Makes a GET request.
        package init(_ url: String, timeout: Duration, maximumAnswer: Int) {
            (self.url, self.timeout, self.maximumAnswer) = (url, timeout, maximumAnswer)
        }
    }

    /// Why there is no answer.
    package struct Failure: Error, Sendable {
        /// The kind of failure.
        package let code: KeyTransportError
        /// The reason in words, without the URL.
        package let reason: String

        /// Describes a failure.
        package init(_ code: KeyTransportError, _ reason: String) { (self.code, self.reason) = (code, reason) }
    }

    private let client: HTTPClient

    /// Uses a client that its owner shuts down; start from ``HTTPClientTransport/configuration``.
    package init(_ client: HTTPClient) { self.client = client }

    /// Uses a client for the whole process, which is never shut down.
    package init() { self.init(HTTPClientTransport.shared) }

    /// Sends a request and reads its whole answer.
    package func send(_ request: Request) async throws(Failure) -> KeyTransportAnswer {
        // The client's own deadline ends with the head of the answer, and a body may trickle for ever.
        try await withTaskGroup(of: Result<KeyTransportAnswer, Failure>?.self) { tasks in
            tasks.addTask { await exchange(request) }
            tasks.addTask {
                // Nil when it is cancelled, because the answer was there first or the caller was cancelled.
                (try? await Task.sleep(for: request.timeout)).map {
                    .failure(Failure(.deadline, "there was no whole answer in time"))
                }
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(Failure(.cancelled, "cancelled"))
        }.get()
    }

    private func exchange(_ request: Request) async -> Result<KeyTransportAnswer, Failure> {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        do {
            // The other task keeps the time; this limit only has to be longer.
            let (seconds, _) = request.timeout.components
            let limit = TimeAmount.seconds(min(max(seconds, 0), 86_400) + 5)
            let response = try await client.execute(outgoing, timeout: limit)
            let status = Int(response.status.code)
            var answer = KeyTransportAnswer(status: status)
            answer.headers = response.headers.map { KeyTransportHeader($0.name, $0.value) }
            if request.readsBody(status) {
                answer.body = Array(buffer: try await response.body.collect(upTo: request.maximumAnswer))
            }
            return .success(answer)
        } catch is NIOTooManyBytesError {
            return .failure(Failure(.tooLarge, "the answer is longer than \(request.maximumAnswer) bytes"))
        } catch let error as HTTPClientError where Self.isAddressError(error) {
            return .failure(Failure(.badAddress, error.shortDescription))
        } catch {
            let code: KeyTransportError = Task.isCancelled ? .cancelled : .noConnection
            return .failure(Failure(code, Self.words(for: error)))
        }
    }

    private static func isAddressError(_ error: HTTPClientError) -> Bool {
        [.invalidURL, .emptyHost, .emptyScheme].contains(error) || "\(error)".contains("unsupportedScheme")
    }

    /// What went wrong on the way, in a few words. The errors of NIO and BoringSSL are long descriptions of values, in
    /// which only the system's error number and the name of the TLS failure mean something to people.
    static func words(for error: any Error) -> String {
        if let error = error as? HTTPClientError {
            switch error {
            case .connectTimeout: return "there was no connection in time"
            case .remoteConnectionClosed: return "the server closed the connection before the answer was complete"
            default: return error.shortDescription
            }
        }
        let text = "\(error)"
        if let match = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) {
            return "TLS failed: \(match.1.lowercased().replacing("_", with: " "))"
        }
        if text.contains("failedToValidateHostname") { return "TLS failed: the certificate is for another host name" }
        if text.hasPrefix("DNS error") { return "the host name cannot be resolved" }
        if let match = text.firstMatch(of: /errno: ([0-9]+)/), let number = Int32(match.1) {
            return String(cString: strerror(number))
        }
        return text
    }
}
