import Foundation
import NIOSSL
import ToolSupport

/// The certificate authorities that the environment specifies instead of those of the system.
enum TrustedAuthorities {
    /// The variable of OpenSSL, which other tools use too.
    static let variable = "SSL_CERT_FILE"

    /// Returns the default TLS options of a client, with the authorities of the file in `SSL_CERT_FILE`, if any.
    static func configuration(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        guard let path = environment[variable], !path.isEmpty else { return tls }
        let found = try? NIOSSLCertificate.fromPEMBytes(try InputFile.read(path))
        guard let found, !found.isEmpty else {
            throw .input(
                "\(variable): \(escaped(path)) contains no certificates, or cannot be read",
                next: "give a file with certificates in PEM, or unset the variable"
            )
        }
        tls.trustRoots = .certificates(found)
        return tls
    }
}
