import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import ServerCrypto
import TextCoding
import ToolSupport

/// `certificates`.
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates",
        abstract: "Add, list, and delete application certificates with their private keys.",
        subcommands: [Add.self, List.self, Delete.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an application certificate with its private key and the source of its DASk.",
            discussion: """
                A bundle is an application certificate with its private key and the source of its DASk. ASk is the \
                application secret key that Apple issues with a certificate. DASk is the key that is derived from \
                ASk for each SPC (server playback context, a client's license request) and decrypts the SPC's \
                session key.

                Either --private-key or --private-key-uri is required. A bundle of kind development requires --ask \
                (Keyway's own derivation, for the virtual device), --dask (a fixed value), or --plugin, and works \
                only with `serve --dev`. A bundle of kind production requires --plugin; --ask is then optional and \
                is passed to the plug-in: see docs/dask.md. The private key, ASk, DASk, and the plug-in's data are \
                encrypted in the store.

                The server selects the bundle for an SPC by the certificate that the SPC was created for.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(
            help: ArgumentHelp(
                """
                The name of the bundle. Apps get its certificate with GET /fps/certificate?app=NAME; without ?app=, \
                the server returns its only certificate, or 404 if it has several.
                """,
                valueName: "name"
            )
        )
        var name: String
        @Option(help: ArgumentHelp("The kind of bundle.", valueName: "kind"))
        var kind: CertificateBundleRecord.Kind
        @Option(help: ArgumentHelp("The application certificate, PEM or DER.", valueName: "file"))
        var certificate: InputPath
        @Option(help: ArgumentHelp("A file with the private key, PEM or DER.", valueName: "file"))
        var privateKey: InputPath?
        @Option(
            help: ArgumentHelp(
                """
                The URI of a private key that OpenSSL loads: file:, or a scheme of a configured provider, such as \
                pkcs11:.
                """,
                valueName: "uri"
            )
        )
        var privateKeyURI: String?
        @Option(
            help: ArgumentHelp(
                "A file with the passphrase of --private-key. Required if that key is encrypted.",
                valueName: "file"
            )
        )
        var passphraseFile: InputPath?
        @Option(
            help: ArgumentHelp(
                "The ASk, 16 bytes in hexadecimal digits; @FILE reads the digits from a file.",
                valueName: "hex|@file"
            )
        )
        var ask: HexArgument?
        @Option(
            help: ArgumentHelp(
                """
                A fixed DASk, 16 bytes in hexadecimal digits; @FILE reads the digits from a file. Development only; \
                not with --plugin.
                """,
                valueName: "hex|@file"
            )
        )
        var dask: HexArgument?
        @Option(help: ArgumentHelp("A DASk plug-in, the absolute path of a shared library.", valueName: "file"))
        var plugin: InputPath?
        @Option(
            help: ArgumentHelp(
                "The configuration text that the plug-in receives. Requires --plugin.",
                valueName: "text"
            )
        )
        var pluginConfiguration = ""
        @Option(
            help: ArgumentHelp(
                "A file with provisioning data for the plug-in. Requires --plugin.",
                valueName: "file"
            )
        )
        var provisioningData: InputPath?
        @Option(
            help: ArgumentHelp(
                """
                A prefix of the asset IDs that the bundle may serve: text, or 0x followed by hexadecimal digits; \
                repeatable. (default: all asset IDs)
                """,
                valueName: "prefix"
            )
        )
        var assetPrefix: [AssetIDArgument] = []
        @Flag(
            help:
                """
                Replace the bundle of this name, if there is one. Without it, an existing bundle is an error. With \
                it, omitted options are reset to their defaults.
                """
        )
        var replace = false
        @OptionGroup var output: JSONOption

        func validate() throws {
            guard (privateKey == nil) != (privateKeyURI == nil) else {
                throw ValidationError("Use either --private-key or --private-key-uri.")
            }
            guard plugin != nil || (ask == nil) != (dask == nil) else {
                throw ValidationError("Use one of --ask, --dask, and --plugin.")
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
                certificate: X509Certificate(try InputFile.read(certificate.path)).der,
                privateKey: try storedPrivateKey(),
                dask: try storedDASk(),
                scope: assetPrefix.isEmpty ? .all : .assetIDPrefixes(assetPrefix.map(\.bytes))
            )
            // Report now any problem that would prevent the server from using the bundle.
            let bundle = try CertificateBundle(record, plugins: PluginLoader())
            try await store.withStore(creating: .ifMissing) { store in
                let hash = Hexadecimal.encode(bundle.certificate.sha1)
                let (kind, name) = (kind, name)
                let outcome = try await store.putCertificateBundle(record, replacing: replace) { outcome in
                    let what = "\(kind.rawValue) bundle \(name) \(outcome), certificate SHA-1 \(hash)"
                    return .command("certificates add", "certificate-put", what) { $0.bundleName = name }
                }
                try output.print(record.administrationJSON) {
                    escaped(
                        "\(outcome.verb) \(kind.rawValue) bundle \(name): RSA-\(bundle.privateKey.bits), "
                            + "certificate SHA-1 \(hash)"
                    ) + "\nrunning servers load it within certificates.reload, ten seconds by default"
                }
            }
        }

        private func storedPrivateKey() throws -> CertificateBundleRecord.PrivateKey {
            if let privateKeyURI { return .store(uri: privateKeyURI) }
            let passphrase = try passphraseFile.map { try SecretFile.readText($0.path) }
            let key = try RSAPrivateKey(try SecretFile.read(privateKey?.path ?? "").reveal(), passphrase: passphrase)
            return .pkcs8(try key.encodedPKCS8())
        }

        private func storedDASk() throws -> CertificateBundleRecord.DASk {
            if let plugin {
                return .plugin(
                    .init(
                        path: plugin.path,
                        configuration: pluginConfiguration,
                        ask: try ask?.secret(16, option: "--ask", rules: .required),
                        provisioningData: try provisioningData.map { try SecretFile.read($0.path, limit: 1 << 20) }
                    )
                )
            }
            if let ask { return .development(ask: try ask.secret(16, option: "--ask", rules: .required)) }
            return .fixed(try dask?.secret(16, option: "--dask", rules: .required) ?? SecretBytes(count: 0) { _ in })
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the bundles, without their secrets.",
            discussion: """
                A DASk plug-in is loaded in a process of its own, and the list contains the functions of the \
                interface that it provides and its capabilities, or the reason why it cannot be loaded.
                """
        )

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for record in try await store.certificateBundles() {
                    let certificate = try X509Certificate(record.certificate)
                    let days = (certificate.notAfter - systemMilliseconds() / 1000) / 86_400
                    let hash = Hexadecimal.encode(certificate.sha1)
                    let line = fields([record.name, record.kind.rawValue, hash, "\(counted(days, "day")) left"])
                    guard case .plugin(let plugin) = record.dask else {
                        try list.append(record.administrationJSON, or: [line])
                        continue
                    }
                    let declared = PluginDeclaration(plugin, bundle: record.name)
                    try list.append(
                        record.administrationJSON.adding("plugin", declared.json),
                        or: [line, "  " + declared.text]
                    )
                }
                try list.finish()
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a bundle.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the bundle.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let what = "bundle \(name) deleted"
                let audit = AuditRecord.command("certificates delete", "certificate-delete", what) {
                    $0.bundleName = name
                }
                guard try await store.deleteCertificateBundle(name: name, audit: audit) else {
                    throw CommandFailure.input(
                        "there is no bundle \(name)",
                        next: "see `keyway-server certificates list`"
                    )
                }
                try printLine("deleted bundle \(name)")
            }
        }
    }
}
