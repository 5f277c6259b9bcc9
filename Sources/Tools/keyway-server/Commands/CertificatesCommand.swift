import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import ServerCrypto
import TextCoding

/// `certificates`.
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates",
        abstract: "Add, list and remove application certificates with their private keys.",
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an application certificate with its private key and the source of its DASk.",
            discussion: """
                A bundle of kind development requires --ask (Keyway's own derivation, for the virtual device) or \
                --dask (a fixed value), and works only with `serve --dev`. A bundle of kind production requires a \
                plug-in: see docs/dask.md. The private key, ASk, DASk and the plug-in's data are encrypted at rest.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the bundle; apps select it with ?app=NAME.")
        var name: String
        @Option(help: "development or production.")
        var kind: CertificateBundleRecord.Kind
        @Option(help: ArgumentHelp("The application certificate, PEM or DER.", valueName: "file"))
        var certificate: String
        @Option(help: ArgumentHelp("The private key, PEM or DER.", valueName: "file"))
        var privateKey: String?
        @Option(help: ArgumentHelp("The store URI of a private key in an OpenSSL provider.", valueName: "uri"))
        var privateKeyURI: String?
        @Option(help: ArgumentHelp("A file with the passphrase of the private key.", valueName: "file"))
        var passphraseFile: String?
        @Option(help: ArgumentHelp("The ASk, 16 bytes; @FILE reads it from a file.", valueName: "hex"))
        var ask: SecretArgument?
        @Option(help: ArgumentHelp("A fixed DASk, 16 bytes; development only.", valueName: "hex"))
        var dask: SecretArgument?
        @Option(help: ArgumentHelp("A DASk plug-in, the absolute path of a shared library.", valueName: "path"))
        var plugin: String?
        @Option(help: ArgumentHelp("The configuration text that the plug-in receives.", valueName: "text"))
        var pluginConfiguration = ""
        @Option(help: ArgumentHelp("A file with provisioning data for the plug-in.", valueName: "file"))
        var provisioningData: String?
        @Option(
            help: ArgumentHelp(
                "A prefix of the asset IDs that the bundle may decrypt; repeatable. Without it, all asset IDs.",
                valueName: "prefix"
            )
        )
        var assetPrefix: [AssetArgument] = []
        @Flag(help: "Replace the bundle of this name, if there is one.")
        var replace = false

        func validate() throws {
            guard (privateKey == nil) != (privateKeyURI == nil) else {
                throw ValidationError("Use either --private-key or --private-key-uri.")
            }
            guard plugin != nil || (ask == nil) != (dask == nil) else {
                throw ValidationError("Use one of --ask, --dask and --plugin.")
            }
            guard plugin != nil || (pluginConfiguration.isEmpty && provisioningData == nil) else {
                throw ValidationError("--plugin-configuration and --provisioning-data require --plugin.")
            }
            guard plugin == nil || dask == nil else {
                throw ValidationError("--dask cannot be used with --plugin, which derives the DASk.")
            }
        }

        func run() async throws {
            let record = try CertificateBundleRecord(
                name: name,
                kind: kind,
                certificate: X509Certificate(try contents(ofFile: certificate)).der,
                privateKey: try storedPrivateKey(),
                dask: try storedDASk(),
                scope: assetPrefix.isEmpty ? .all : .assetIDPrefixes(assetPrefix.map(\.bytes))
            )
            // Report now any problem that would prevent the server from using the bundle.
            let bundle = try CertificateBundle(record)
            try await store.withStore(creating: .ifMissing) { store in
                let hash = Hexadecimal.encode(bundle.certificate.sha1)
                let (kind, name) = (kind, name)
                let outcome = try await store.putCertificateBundle(record, replacing: replace) { outcome in
                    let what = "\(kind.rawValue) bundle \(name) \(outcome), certificate SHA-1 \(hash)"
                    return .command("certificates add", "certificate-put", what) { $0.bundleName = name }
                }
                print(
                    "\(outcome == .created ? "added" : "replaced") \(kind.rawValue) bundle \(name): "
                        + "RSA-\(bundle.privateKey.bits), certificate SHA-1 \(hash)"
                )
                print("running servers load it within certificates.reload, ten seconds by default")
            }
        }

        private func storedPrivateKey() throws -> CertificateBundleRecord.PrivateKey {
            if let privateKeyURI { return .store(uri: privateKeyURI) }
            let passphrase = try passphraseFile.map { try SecretFile.readText($0) }
            let key = try RSAPrivateKey(try SecretFile.read(privateKey ?? "").reveal(), passphrase: passphrase)
            return .pkcs8(try key.encodedPKCS8())
        }

        private func storedDASk() throws -> CertificateBundleRecord.DASk {
            if let plugin {
                return .plugin(
                    .init(
                        path: plugin,
                        configuration: pluginConfiguration,
                        ask: try ask?.secret(16, "--ask"),
                        provisioningData: try provisioningData.map { try SecretFile.read($0, limit: 1 << 20) }
                    )
                )
            }
            if let ask { return .development(ask: try ask.secret(16, "--ask")) }
            return .fixed(try dask?.secret(16, "--dask") ?? SecretBytes(count: 0) { _ in })
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the bundles, without their secrets.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.withStore { store in
                for record in try await store.certificateBundles() {
                    let certificate = try X509Certificate(record.certificate)
                    let days = (certificate.notAfter - systemMilliseconds() / 1000) / 86_400
                    let hash = Hexadecimal.encode(certificate.sha1)
                    print("\(record.name)  \(record.kind.rawValue)  \(hash)  \(days) days left")
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a bundle.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the bundle.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let what = "bundle \(name) deleted"
                let audit = AuditRecord.command("certificates remove", "certificate-delete", what) {
                    $0.bundleName = name
                }
                guard try await store.deleteCertificateBundle(name: name, audit: audit) else {
                    throw CommandFailure("there is no bundle \(name)")
                }
                print("removed bundle \(name)")
            }
        }
    }
}

extension CertificateBundleRecord.Kind: ExpressibleByArgument {}
