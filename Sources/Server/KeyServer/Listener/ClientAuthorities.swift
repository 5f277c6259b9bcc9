import Foundation
package import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate authorities for client certificates, with which encoders authenticate: a PEM file that is read again
/// at an interval and on request. New connections use the new file.
///
/// If a new file is not valid, the previous one stays in use and the error is logged. An error in the file therefore does
/// not change which client certificates are accepted.
package final class ClientAuthorities: Service {
    private struct State {
        /// The contents of the file that is in use.
        var file: Data
        /// The TLS context for new connections.
        var context: NIOSSLContext
        /// The reason why the file could not be used at the last reload; nil if it could.
        var failure: String?
    }

    private let path: String
    private let certificate: ServerCertificate
    private let interval: Duration
    private let time: ServerTime
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: The path of a PEM file with the certificate authorities.
    ///   - certificate: The listener's certificate, which may change over time.
    ///   - interval: The interval at which the file is read.
    ///   - time: The clock that measures the interval.
    ///   - logger: The logger for changes and failures.
    /// - Throws: An error if the file cannot be read, if it contains no PEM certificates or a damaged one, or if the TLS
    ///   context cannot be created.
    package init(
        file: String,
        certificate: ServerCertificate,
        interval: Duration = .seconds(60),
        time: ServerTime = ServerTime(),
        logger: Logger
    ) throws {
        path = file
        self.certificate = certificate
        self.interval = interval
        self.time = time
        self.logger = logger
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        let context = try Self.context(content, certificate).context
        state = Mutex(State(file: content, context: context))
    }

    /// The TLS context for a new connection.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Reads the file now. If it is not valid, the previous one stays in use, and the reason is logged once.
    ///
    /// - Returns: Whether the file is valid.
    @discardableResult
    package func reload() -> Bool {
        let reason: String
        do {
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            guard state.withLock({ $0.file != file || $0.failure != nil }) else { return true }
            let (context, count) = try Self.context(file, certificate)
            state.withLock { $0 = State(file: file, context: context) }
            logger.notice(
                "clients' certificates are checked against a new file",
                metadata: ["file": "\(path)", "certificates": "\(count)"]
            )
            return true
        } catch is CocoaError {
            reason = "the file cannot be read"
        } catch NIOSSLError.failedToLoadCertificate {
            reason = "the file does not contain PEM certificates, or one of them is damaged"
        } catch {
            reason = "the TLS context cannot be created: \(type(of: error))"
        }
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure != reason
        }
        if isNew {
            logger.error(
                "the file with clients' certificate authorities is not valid; the previous one stays in use",
                metadata: ["file": "\(path)", "reason": "\(reason)"]
            )
        }
        return false
    }

    /// Reads the file regularly, until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await self.time.clock.sleep(for: self.interval)) != nil { self.reload() }
        }
    }

    /// Creates a TLS context. TLS sessions of the previous context cannot be resumed, so each client authenticates
    /// again.
    ///
    /// - Throws: `NIOSSLError.failedToLoadCertificate` if the file contains no PEM certificates or a damaged one; other
    ///   errors if the TLS context cannot be created.
    private static func context(
        _ file: Data,
        _ certificate: ServerCertificate
    ) throws -> (context: NIOSSLContext, count: Int) {
        guard !file.isEmpty, let authorities = try? NIOSSLCertificate.fromPEMBytes(Array(file)), !authorities.isEmpty
        else { throw NIOSSLError.failedToLoadCertificate }
        var configuration = try certificate.listenerConfiguration()
        configuration.trustRoots = .certificates(authorities)
        // A client certificate is optional, but an invalid one is refused.
        configuration.certificateVerification = .optionalVerification
        return (try NIOSSLContext(configuration: configuration), authorities.count)
    }
}
