import Logging
import NIOCertificateReloading
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The TLS certificate, whose files are read again every minute: to renew it, the operator only replaces them. If the new
/// files are not valid, for example because only one of them has been replaced so far, the previous certificate stays in
/// use and the reason is logged.
final class OriginCertificate: Service {
    private let reloader: TimedCertificateReloader

    /// Reads the files. That of the key must fulfill the rules of ``PrivateFile``, each time that it is read.
    ///
    /// - Throws: ``OriginError`` if they cannot be used.
    init(_ files: OriginConfiguration.TLS, logger: Logger) throws(OriginError) {
        let failures = ReportedFailure()
        do {
            reloader = try TimedCertificateReloader.makeReloaderValidatingSources(
                configuration: .init(
                    refreshInterval: .seconds(60),
                    certificateSource: .init(location: .file(path: files.certificate), format: .pem),
                    privateKeySource: .init(location: .memory { try PrivateFile.read(files.key).bytes }, format: .pem)
                ) { configuration in
                    configuration.onCertificateLoaded = { change in
                        failures.clear()
                        guard change.currentCertificateChain != change.previousCertificateChain else { return }
                        logger.notice("a TLS certificate is in use", metadata: ["file": "\(files.certificate)"])
                    }
                    configuration.onCertificateLoadFailed = { failure in
                        let reason = Self.reason(failure.error, files)
                        guard failures.isNew(reason) else { return }
                        logger.error(
                            "the TLS certificate cannot be used; the previous one stays in use",
                            metadata: ["reason": "\(reason)"]
                        )
                    }
                }
            )
        } catch {
            throw OriginError(Self.reason(error, files))
        }
    }

    /// The reason that was logged last, so that it is not logged every minute.
    private final class ReportedFailure: Sendable {
        private let state = Mutex((isInUse: false, reason: String?.none))

        /// Records that the files are in use.
        func clear() { state.withLock { $0 = (true, nil) } }

        /// Records a reason, and returns whether to log it: not before any files were in use, when it is the error of the
        /// start.
        func isNew(_ reason: String) -> Bool {
            state.withLock { state in
                defer { state.reason = reason }
                return state.isInUse && state.reason != reason
            }
        }
    }

    /// Returns the reason why the files cannot be used. The text of an unknown error may contain parts of the key.
    private static func reason(_ error: any Error, _ files: OriginConfiguration.TLS) -> String {
        switch error {
        case let error as PrivateFileError: "\(files.key) \(error.problem)"
        case let error as TimedCertificateReloader.Error where error == .publicKeyMismatch:
            "the key in \(files.key) does not belong to the certificate in \(files.certificate)"
        default:
            "\(files.certificate) and \(files.key) are not a certificate and its key in PEM (\(type(of: error)))"
        }
    }

    /// Reads the files now.
    func reload() { try? reloader.reload() }

    /// The configuration of the listener: TLS 1.2 or later, with forward secrecy and authenticated encryption only, as
    /// HTTP/2 requires (RFC 9113, section 9.2.2).
    func listenerConfiguration() throws -> TLSConfiguration {
        var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: reloader)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return configuration
    }

    func run() async throws { try await reloader.run() }
}

/// A setting or a file that prevents the start.
package struct OriginError: Error, Hashable, CustomStringConvertible {
    /// The problem and the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
