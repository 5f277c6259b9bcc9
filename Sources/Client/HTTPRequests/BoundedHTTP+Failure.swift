import AsyncHTTPClient
import Foundation
import NIOHTTP1

extension BoundedHTTP {
    /// A failed request.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The kinds of failure.
        package enum Code: Sendable, Hashable {
            /// The connection failed, or was interrupted before the response started.
            case noConnection
            /// The connection was interrupted within the body of the response.
            case brokenOff
            /// The response was not complete before the timeout.
            case deadline
            /// The response is larger than ``Request/maximumResponseSize``.
            case tooLarge
            /// The URL is not valid.
            case badAddress
            /// The server redirects in a loop, or too many times.
            case redirects
            /// The server's certificate is not trusted, or the server requires a client certificate.
            case untrusted
            /// The caller stopped the request.
            case abandoned
            /// The task was cancelled.
            case cancelled
        }

        /// The kind of failure.
        package let code: Code
        /// A readable reason, without the URL.
        package let reason: String

        /// The reason.
        package var description: String { reason }

        /// Creates a failure.
        package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

        /// Creates a failure from an error of the client before the head of the response.
        package init(beforeAnswer error: any Error) { self.init(error, .noConnection) }

        /// Creates a failure from an error of the client within the body of the response.
        package init(withinAnswer error: any Error) { self.init(error, .brokenOff) }

        private init(_ error: any Error, _ otherwise: Code) {
            guard !Task.isCancelled, !(error is CancellationError) else {
                self.init(.cancelled, "cancelled")
                return
            }
            if let reason = Self.certificateProblem(error) {
                self.init(.untrusted, reason)
                return
            }
            switch error as? HTTPClientError {
            case .redirectCycleDetected: self.init(.redirects, Self.redirectLoop)
            case .redirectLimitReached: self.init(.redirects, "the server redirects too many times")
            case .some(let error) where Self.isAboutAddress(error): self.init(.badAddress, error.shortDescription)
            case .deadlineExceeded, .readTimeout: self.init(.deadline, "the server did not respond in time")
            default: self.init(otherwise, Self.words(for: error))
            }
        }

        private static func isAboutAddress(_ error: HTTPClientError) -> Bool {
            [.invalidURL, .emptyHost, .emptyScheme].contains(error) || "\(error)".contains("unsupportedScheme")
        }

        /// The reason if a redirect leads to a URL that has been requested before.
        package static let redirectLoop = "the server redirects in a loop"

        /// Returns the reason if TLS failed because of a certificate.
        private static func certificateProblem(_ error: any Error) -> String? {
            let text = "\(error)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return "the server's certificate is not trusted: no trusted authority has issued it, or it has expired"
            }
            if text.contains("failedToValidateHostname") || text.contains("unableToValidateCertificate") {
                return "the server's certificate is for another host name"
            }
            return text.contains("CERTIFICATE_REQUIRED") ? "the server requires a client certificate" : nil
        }

        /// Returns a short description of an error. The descriptions of NIO and BoringSSL errors are long dumps of
        /// values, in which only the system's error number and the name of the TLS failure are useful.
        private static func words(for error: any Error) -> String {
            if let error = error as? HTTPClientError {
                switch error {
                case .connectTimeout: return "the connection timed out"
                case .remoteConnectionClosed: return "the server closed the connection before the response was complete"
                default: return error.shortDescription
                }
            }
            switch error as? HTTPParserError {
            case .invalidEOFState: return "the server closed the connection before the response was complete"
            case .some: return "the response is not valid HTTP"
            case nil: break
            }
            let text = "\(error)"
            if let match = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) {
                return "TLS failed: \(match.1.lowercased().replacing("_", with: " "))"
            }
            if text.hasPrefix("DNS error") { return "the host name cannot be resolved" }
            if let match = text.firstMatch(of: /errno: ([0-9]+)/), let number = Int32(match.1) {
                return String(cString: strerror(number))
            }
            return text
        }
    }
}
