import FileAccess
import Logging
import NIOCertificateReloading
import NIOSSL
import ServiceLifecycle

/// The TLS certificate, whose files are read again every minute: to renew it, the operator only replaces them.
final class OriginCertificate: Service {
    private let reloader: TimedCertificateReloader

    /// Reads the files.
    ///
    /// - Throws: ``OriginError`` if they cannot be used.
    init(_ files: OriginConfiguration.TLS, logger: Logger) throws(OriginError) {
        do {
            try Self.checkKey(files.key)
            reloader = try TimedCertificateReloader.makeReloaderValidatingSources(
                configuration: .init(
                    refreshInterval: .seconds(60),
                    certificateSource: .init(location: .file(path: files.certificate), format: .pem),
                    privateKeySource: .init(location: .file(path: files.key), format: .pem)
                ) { configuration in
                    configuration.onCertificateLoadFailed = { _ in
                        // The error may contain parts of the files.
                        logger.error(
                            "the TLS certificate cannot be read; the previous one stays in use",
                            metadata: ["file": "\(files.certificate)", "key": "\(files.key)"]
                        )
                    }
                }
            )
        } catch let error as OriginError {
            throw error
        } catch {
            throw OriginError(
                "\(files.certificate) and \(files.key) are not a certificate and its key in PEM (\(type(of: error)))"
            )
        }
    }

    /// Checks that only the user who runs the server, or root, can read the key.
    private static func checkKey(_ path: String) throws(OriginError) {
        guard let status = FileStatus(path: path) else { throw OriginError("\(path) cannot be read") }
        if let problem = status.secretProblem(path: path) { throw OriginError("\(path) \(problem)") }
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
