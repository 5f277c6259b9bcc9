import FPSCrypto
import KeyServerModule
import Logging
import ServiceLifecycle

/// The reason why the TLS settings cannot be used.
package struct ServerTLSError: Error, CustomStringConvertible {
    /// The setting, the reason and the remedy.
    package let description: String
    /// True if the file of the private key cannot be used; false if its contents, or those of another file, are wrong.
    package let isUnusableKeyFile: Bool

    private init(_ description: String, isUnusableKeyFile: Bool = false) {
        self.description = description
        self.isUnusableKeyFile = isUnusableKeyFile
    }

    static func keyFile(_ error: SecretFileError) -> Self { Self("tls.key: \(error)", isUnusableKeyFile: true) }

    static func mismatch(_ certificate: String, _ key: String) -> Self {
        Self("tls: \(certificate) and \(key) cannot be used together")
    }

    static func authorities(_ file: String) -> Self {
        Self(
            "admin.clientCA: \(file) cannot be read, or does not contain valid PEM certificates: test it with "
                + "`openssl x509 -noout -subject -in \(file)`"
        )
    }
}

/// The TLS of both listeners: the certificate, and the authorities for clients' certificates on the listener for
/// administration.
struct ServerTLS: Sendable {
    let certificate: ServerCertificate
    /// nil means that no client certificate is requested.
    let authorities: ClientAuthorities?

    /// Reads the files that the configuration names; nil if it turns TLS off.
    ///
    /// - Throws: ``ServerTLSError`` if a file cannot be used. The log contains further details.
    init?(_ configuration: ServerConfiguration, time: ServerTime, logger: Logger) throws(ServerTLSError) {
        guard let file = configuration.tls.certificate, let key = configuration.tls.key else { return nil }
        let interval = Duration.seconds(Int64(configuration.tls.reload.rawValue))
        let certificate: ServerCertificate
        do {
            certificate = try ServerCertificate(certificate: file, key: key, interval: interval, logger: logger)
        } catch let error as SecretFileError {
            throw .keyFile(error)
        } catch {
            throw .mismatch(file, key)
        }
        self.certificate = certificate
        guard let authorities = configuration.admin.clientCA else {
            self.authorities = nil
            return
        }
        do {
            self.authorities = try ClientAuthorities(
                file: authorities,
                certificate: certificate,
                interval: interval,
                time: time,
                logger: logger
            )
        } catch {
            throw .authorities(authorities)
        }
    }

    /// The services that read the files regularly.
    var services: [any Service] { [certificate as any Service] + (authorities.map { [$0] } ?? []) }

    /// Reads the files now.
    func reload() {
        certificate.reload()
        authorities?.reload()
    }
}
