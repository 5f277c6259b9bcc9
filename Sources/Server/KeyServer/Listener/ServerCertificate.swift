import FPSCrypto
package import Logging
import NIOCertificateReloading
package import NIOSSL
import ServiceLifecycle
import Synchronization

/// The TLS certificate of the listeners, read again every minute: who has it renewed only has to replace the files.
///
/// New files that cannot be used, such as when only one of them has been replaced yet, change nothing but the log.
package final class ServerCertificate: Service {
    private let reloader: TimedCertificateReloader
    private let state: State

    private final class State: Sendable {
        let expiry = Mutex<Int64?>(nil)
        let failure = Mutex<String?>(nil)
    }

    /// Reads the certificate and its key, whose file follows the rule for files with secrets.
    ///
    /// - Parameters:
    ///   - certificate: a PEM file with the certificate and what it was issued by, in this order.
    ///   - key: a PEM file with its private key, not encrypted.
    ///   - interval: how often the files are read.
    ///   - logger: is told of every new certificate and of every failure.
    /// - Throws: ``SecretFileError``, `TimedCertificateReloader.Error` and others when the two cannot be used.
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
                    let reason = Self.words(for: failure.error)
                    // Once, and not every minute until somebody comes.
                    let isNew = state.failure.withLock { known in
                        defer { known = reason }
                        return known != reason
                    }
                    guard isNew else { return }
                    logger.error(
                        "the TLS certificate cannot be read; the last one stays in use",
                        metadata: ["file": "\(certificate)", "key": "\(key)", "reason": "\(reason)"]
                    )
                }
            }
        )
    }

    /// When the certificate ends, in Unix seconds.
    package var expiry: Int64? { state.expiry.withLock { $0 } }

    /// Reads the files now. On failure the last certificate stays, and the log says why.
    ///
    /// - Returns: whether the files could be used.
    @discardableResult
    package func reload() -> Bool {
        do {
            try reloader.reload()
            return true
        } catch {
            return false
        }
    }

    /// The cipher suites of TLS 1.2: those with forward secrecy whose encryption is authenticated (AEAD). The others that NIO
    /// would offer encrypt with CBC and authenticate before that, which has been attacked again and again. TLS 1.3 has no others.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// What a listener needs: TLS 1.2 or later, HTTP/1.1, and for every connection the certificate of its time.
    ///
    /// - Throws: `TLSConfiguration.CertificateReloaderError`, never once this object has been made.
    package func listenerConfiguration() throws -> TLSConfiguration {
        var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: reloader)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    /// Reads the files every now and then, until the end.
    package func run() async throws { try await reloader.run() }

    /// An unknown error's text may hold anything, even parts of a key.
    private static func words(for error: any Error) -> String {
        switch error {
        case let error as SecretFileError: error.description
        case let error as TimedCertificateReloader.Error where error == .publicKeyMismatch:
            "the key is not the certificate's"
        case let error as TimedCertificateReloader.Error:
            error.description
        default:
            "it is no certificate or no key in PEM: \(type(of: error))"
        }
    }
}

extension LogLine {
    /// As ``time(_:)``, of seconds.
    static func time(seconds: Int64) -> String { time(seconds.multipliedReportingOverflow(by: 1000).partialValue) }
}
