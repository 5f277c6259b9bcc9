import Foundation
package import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization

/// Who issues clients' certificates: a PEM file, read again every minute and when the operator says so. Connections that come
/// after that are held against the new ones.
///
/// A new file that cannot be used changes nothing but the log: a mistake in it locks no encoder out, and lets none in.
package final class ClientAuthorities: Service {
    private struct State {
        var file: Data
        /// What the next connection begins with.
        var context: NIOSSLContext
        /// Why the file could not be used the last time.
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
    ///   - file: a PEM file with the certificates that clients' certificates are issued by.
    ///   - certificate: the listener's own, of every moment.
    ///   - interval: how often the file is read.
    ///   - logger: is told of every change and of every failure.
    /// - Throws: when the file holds no certificates.
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

    /// TLS as it is to be for a connection that begins now.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Reads the file now. When it cannot be used the last one stays, and the log says why, once.
    ///
    /// - Returns: whether it could be used.
    @discardableResult
    package func reload() -> Bool {
        let reason: String
        do {
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            guard state.withLock({ $0.file != file || $0.failure != nil }) else { return true }
            let (context, count) = try Self.context(file, certificate)
            state.withLock { $0 = State(file: file, context: context) }
            logger.notice(
                "clients' certificates are held against a new file",
                metadata: ["file": "\(path)", "certificates": "\(count)"]
            )
            return true
        } catch is CocoaError {
            reason = "it cannot be read"
        } catch {
            reason = "it holds no certificates in PEM"
        }
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure != reason
        }
        if isNew {
            logger.error(
                "the file with clients' authorities cannot be used; the last one stays in use",
                metadata: ["file": "\(path)", "reason": "\(reason)"]
            )
        }
        return false
    }

    /// Reads the file every now and then, until the end.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: self.interval)) != nil { self.reload() }
        }
    }

    /// Sessions of an earlier context cannot be taken up in a new one: each client proves itself again.
    private static func context(
        _ file: Data,
        _ certificate: ServerCertificate
    ) throws -> (context: NIOSSLContext, count: Int) {
        let authorities = file.isEmpty ? [] : try NIOSSLCertificate.fromPEMBytes(Array(file))
        guard !authorities.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        var configuration = try certificate.listenerConfiguration()
        configuration.trustRoots = .certificates(authorities)
        // A client need not send a certificate; who sends one that is not theirs is not let in.
        configuration.certificateVerification = .optionalVerification
        return (try NIOSSLContext(configuration: configuration), authorities.count)
    }
}
