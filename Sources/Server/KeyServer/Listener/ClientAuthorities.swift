import Foundation
package import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate authorities for clients' certificates: a PEM file that is read again every minute and on request.
/// New connections use the new file.
///
/// If a new file is not valid, the previous one stays in use and the error is logged, so that an error in the file
/// neither locks encoders out nor admits other clients.
package final class ClientAuthorities: Service {
    private struct State {
        var file: Data
        /// The TLS context for new connections.
        var context: NIOSSLContext
        /// The reason why the file could not be used the last time.
        var failure: String?
    }

    private let path: String
    private let certificate: ServerCertificate
    private let interval: Duration
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: The path of a PEM file with the certificate authorities.
    ///   - certificate: The listener's certificate, which may change over time.
    ///   - interval: The interval at which the file is read.
    ///   - logger: The logger for changes and failures.
    /// - Throws: An error if the file contains no certificates.
    package init(
        file: String,
        certificate: ServerCertificate,
        interval: Duration = .seconds(60),
        logger: Logger
    ) throws {
        path = file
        self.certificate = certificate
        self.interval = interval
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
        } catch {
            reason = "the file contains no PEM certificates"
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
            while (try? await Task.sleep(for: self.interval)) != nil { self.reload() }
        }
    }

    /// Creates a TLS context. TLS sessions of the previous context cannot be resumed, so each client authenticates
    /// again.
    private static func context(
        _ file: Data,
        _ certificate: ServerCertificate
    ) throws -> (context: NIOSSLContext, count: Int) {
        let authorities = file.isEmpty ? [] : try NIOSSLCertificate.fromPEMBytes(Array(file))
        guard !authorities.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        var configuration = try certificate.listenerConfiguration()
        configuration.trustRoots = .certificates(authorities)
        // A client certificate is optional, but an invalid one is refused.
        configuration.certificateVerification = .optionalVerification
        return (try NIOSSLContext(configuration: configuration), authorities.count)
    }
}
