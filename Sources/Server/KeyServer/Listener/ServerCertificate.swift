import FPSCrypto
package import Logging
import NIOCertificateReloading
package import NIOSSL
import ServiceLifecycle
import Synchronization

/// The TLS certificate of the listeners, which is read again every minute: to renew it, the operator only replaces the
/// files.
///
/// If the new files are not valid, for example because only one of them has been replaced so far, the previous
/// certificate stays in use and the error is logged.
package final class ServerCertificate: Service {
    private let reloader: TimedCertificateReloader
    private let state: State

    private final class State: Sendable {
        let expiry = Mutex<Int64?>(nil)
        let failure = Mutex<String?>(nil)
    }

    /// Reads the certificate and its key, whose file must fulfill the rules for secret files.
    ///
    /// - Parameters:
    ///   - certificate: The path of a PEM file with the certificate chain: the certificate, followed by its issuers.
    ///   - key: The path of a PEM file with the unencrypted private key.
    ///   - interval: The interval at which the files are read.
    ///   - logger: The logger for new certificates and failures.
    /// - Throws: ``SecretFileError``, `TimedCertificateReloader.Error` and others if the files are not valid.
    package init(certificate: String, key: String, interval: Duration = .seconds(60), logger: Logger) throws {
        let state = State()
        self.state = state
        reloader = try TimedCertificateReloader.makeReloaderValidatingSources(
            configuration: .init(
                refreshInterval: interval,
                certificateSource: .init(location: .file(path: certificate), format: .pem),
                privateKeySource: .init(location: .memory { try SecretFile.read(key).reveal() }, format: .pem)
            ) { configuration in
                configuration.onCertificateLoaded = { change in
                    let chain = change.currentCertificateChain
                    var expiry: Int64?
                    if case .certificate(let first)? = chain.first { expiry = Int64(first.notValidAfter) }
                    state.expiry.withLock { $0 = expiry }
                    state.failure.withLock { $0 = nil }
                    guard chain != change.previousCertificateChain else { return }
                    logger.notice(
                        "a TLS certificate is in use",
                        metadata: ["file": "\(certificate)", "expires": "\(expiry.map(LogLine.time(seconds:)) ?? "-")"]
                    )
                }
                configuration.onCertificateLoadFailed = { failure in
                    let reason = Self.reason(for: failure.error)
                    // Log each reason once, not every minute.
                    let isNew = state.failure.withLock { known in
                        defer { known = reason }
                        return known != reason
                    }
                    guard isNew else { return }
                    logger.error(
                        "the TLS certificate cannot be read; the previous one stays in use",
                        metadata: ["file": "\(certificate)", "key": "\(key)", "reason": "\(reason)"]
                    )
                }
            }
        )
    }

    /// The expiry time of the certificate, in Unix seconds.
    package var expiry: Int64? { state.expiry.withLock { $0 } }

    /// Reads the files now. On failure the previous certificate stays in use, and the reason is logged.
    ///
    /// - Returns: Whether the files are valid.
    @discardableResult
    package func reload() -> Bool {
        do {
            try reloader.reload()
            return true
        } catch {
            return false
        }
    }

    /// The cipher suites of TLS 1.2: those with forward secrecy and authenticated encryption (AEAD). NIO's other suites
    /// use CBC with MAC-then-encrypt, which has been attacked repeatedly. TLS 1.3 has only AEAD suites.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Returns the TLS configuration of a listener: TLS 1.2 or later, HTTP/1.1, and the current certificate for each
    /// connection.
    ///
    /// - Throws: `TLSConfiguration.CertificateReloaderError`, but never after this object has been created.
    package func listenerConfiguration() throws -> TLSConfiguration {
        var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: reloader)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    /// Reads the files regularly, until the server stops.
    package func run() async throws { try await reloader.run() }

    /// Returns the reason for the log. The text of an unknown error may contain secrets, even parts of a key.
    private static func reason(for error: any Error) -> String {
        switch error {
        case let error as SecretFileError: error.description
        case let error as TimedCertificateReloader.Error where error == .publicKeyMismatch:
            "the key does not belong to the certificate"
        case let error as TimedCertificateReloader.Error:
            error.description
        default:
            "the certificate or the key is not valid PEM: \(type(of: error))"
        }
    }
}

extension LogLine {
    /// Formats a time like ``time(_:)``, from seconds.
    static func time(seconds: Int64) -> String { time(seconds.multipliedReportingOverflow(by: 1000).partialValue) }
}
