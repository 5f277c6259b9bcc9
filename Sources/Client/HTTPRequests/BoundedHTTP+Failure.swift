import AsyncHTTPClient
import Foundation

extension BoundedHTTP {
    /// Why there is no answer.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The kinds of failure.
        package enum Code: Sendable, Hashable {
            /// No connection, or it broke before an answer began.
            case noConnection
            /// The connection broke within the body of the answer.
            case brokenOff
            /// There was no whole answer in time.
            case deadline
            /// The answer is larger than ``Request/maximumAnswer``.
            case tooLarge
            /// The address cannot be used, or it redirects without end.
            case badAddress
            /// The caller ended it on the way.
            case abandoned
            /// The task was cancelled.
            case cancelled
        }

        /// The kind of failure.
        package let code: Code
        /// The reason in words, without the URL.
        package let reason: String

        /// The reason.
        package var description: String { reason }

        /// Describes a failure.
        package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

        /// Describes an error of the client that came before the head of the answer.
        package init(beforeAnswer error: any Error) { self.init(error, .noConnection) }

        /// Describes an error of the client that came within the body of the answer.
        package init(withinAnswer error: any Error) { self.init(error, .brokenOff) }

        private init(_ error: any Error, _ otherwise: Code) {
            guard !Task.isCancelled, !(error is CancellationError) else {
                self.init(.cancelled, "cancelled")
                return
            }
            switch error as? HTTPClientError {
            case .some(let error) where Self.isAboutAddress(error): self.init(.badAddress, error.shortDescription)
            case .deadlineExceeded, .readTimeout: self.init(.deadline, "there was no answer in time")
            default: self.init(otherwise, Self.words(for: error))
            }
        }

        private static func isAboutAddress(_ error: HTTPClientError) -> Bool {
            [.invalidURL, .emptyHost, .emptyScheme, .redirectLimitReached, .redirectCycleDetected].contains(error)
                || "\(error)".contains("unsupportedScheme")
        }

        /// What went wrong on the way, in a few words. The errors of NIO and BoringSSL are long descriptions of values,
        /// in which only the system's error number and the name of the TLS failure mean something to people.
        private static func words(for error: any Error) -> String {
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
            if text.contains("failedToValidateHostname") {
                return "TLS failed: the certificate is for another host name"
            }
            if text.hasPrefix("DNS error") { return "the host name cannot be resolved" }
            if let match = text.firstMatch(of: /errno: ([0-9]+)/), let number = Int32(match.1) {
                return String(cString: strerror(number))
            }
            return text
        }
    }
}
