import FPSCrypto
import Foundation
import Logging
import NIOSSL

extension LoadedConfiguration {
    /// Returns the problems with the files that the configuration names: files that exist but that no server could use,
    /// and files that cannot be read on this machine. The latter are not errors, because the machine that checks the
    /// configuration does not have to have the server's files.
    ///
    /// Key sets are not checked: a server starts without them and reads them once they are valid. The permissions of a
    /// key set file with secrets are checked when the configuration is loaded.
    package func fileProblems() -> (unusable: [ConfigurationProblem], unreadable: [ConfigurationProblem]) {
        let named = settings.filter { setting in
            ServerConfiguration.filePaths.contains { setting.path.hasSuffix($0) }
                && setting.value.map { !$0.contains("://") } ?? false
        }
        let unreadable = named.filter { !FileManager.default.isReadableFile(atPath: $0.value ?? "") }
        let missing = Set(unreadable.map(\.path))
        var unusable: [ConfigurationProblem] = []
        func check(_ path: String, _ work: () throws -> Void) {
            guard let setting = named.first(where: { $0.path == path }), !missing.contains(path) else { return }
            do { try work() } catch {
                unusable.append(ConfigurationProblem(origin: setting.origin, path: path, reason: "\(error)"))
            }
        }
        check("kek.file") { _ = try SecretFile.read(configuration.kek.file ?? "") }
        check("postgres.passwordFile") { _ = try SecretFile.readText(configuration.postgres.passwordFile ?? "") }
        check("tls.key") { _ = try SecretFile.read(configuration.tls.key ?? "") }
        check("authorization.webhook.secretFile") {
            guard let webhook = configuration.authorization.webhook else { return }
            _ = try WebhookConfiguration(webhook, secret: webhook.secret())
        }
        check("licenses.keyURLs.secretFile") { _ = try configuration.licenses.keyURLs.signer() }
        check("admin.clientCA") {
            let file = configuration.admin.clientCA ?? ""
            guard let found = try? NIOSSLCertificate.fromPEMFile(file), !found.isEmpty else {
                throw AuthorizationConfigurationError(
                    "\(file) cannot be read, or does not contain valid PEM certificates: test it with "
                        + "`openssl x509 -noout -subject -in \(file)`"
                )
            }
        }
        check("tls.certificate") {
            let (certificate, key) = (configuration.tls.certificate ?? "", configuration.tls.key ?? "")
            guard !missing.contains("tls.key"), !unusable.contains(where: { $0.path == "tls.key" }) else { return }
            let silent = Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
            do { _ = try ServerCertificate(certificate: certificate, key: key, logger: silent) } catch {
                // The loader's error text can contain parts of the files.
                throw AuthorizationConfigurationError("\(certificate) and \(key) cannot be used together")
            }
        }
        return (
            unusable,
            unreadable.map {
                ConfigurationProblem(
                    origin: $0.origin,
                    path: $0.path,
                    reason: "cannot read the file \($0.value ?? "") on this machine"
                )
            }
        )
    }
}
