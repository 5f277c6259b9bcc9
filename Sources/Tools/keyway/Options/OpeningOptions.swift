import ArgumentParser
import FPSCrypto
import KeyServerModule

/// What opens an SPC: the private key, and a way to DASk.
struct OpeningOptions: ParsableArguments {
    @OptionGroup var key: PrivateKeyOptions

    @Option(
        name: .customLong("certificate"),
        help: .init("The application certificate, to compare with the SPC.", valueName: "file")
    )
    var certificatePath: String?

    @Option(help: .init("DASk itself, 16 bytes.", valueName: "hex|@file"))
    var dask: String?

    @Option(help: .init("ASk, 16 bytes: for the development DASk, or for the plug-in.", valueName: "hex|@file"))
    var ask: String?

    @Option(help: .init("A DASk plug-in.", valueName: "library"))
    var plugin: String?

    @Option(help: .init("The plug-in's configuration.", valueName: "text"))
    var pluginConfiguration: String?

    @Option(
        name: .customLong("provisioning-data"),
        help: .init("The plug-in's provisioning data.", valueName: "file")
    )
    var provisioningPath: String?

    func validate() throws {
        if dask != nil, ask != nil || plugin != nil {
            throw ValidationError("--dask is DASk itself; it goes with neither --ask nor --plugin.")
        }
        if plugin == nil, pluginConfiguration != nil || provisioningPath != nil {
            throw ValidationError("--plugin-configuration and --provisioning-data are for --plugin.")
        }
    }

    /// Holds that whatever needs a private key has one.
    func requirePrivateKey() throws {
        let needy = [
            dask.map { _ in "--dask" }, ask.map { _ in "--ask" }, certificatePath.map { _ in "--certificate" },
            key.passphrasePath.map { _ in "--passphrase-file" },
        ]
        // A plug-in may open an SPC of version 3 without one.
        if key.privateKeyPath == nil, plugin == nil, let option = needy.compactMap({ $0 }).first {
            throw ValidationError("\(option) needs --private-key.")
        }
    }

    /// Holds that there is a way to DASk.
    func requireDASk() throws {
        guard dask != nil || ask != nil || plugin != nil else {
            throw ValidationError("A way to DASk is missing: give --dask, --ask or --plugin.")
        }
    }

    /// Reads all that is given.
    func credentials() throws(CommandFailure) -> OpeningCredentials {
        let plugin = try loadPlugin()
        return OpeningCredentials(
            privateKey: try key.privateKey(),
            certificate: try certificatePath.map { path throws(CommandFailure) in try CertificateFile.read(path).0 },
            derivation: try derivation(plugin),
            wholeSPC: plugin?.wholeSPC
        )
    }

    private func derivation(_ plugin: DASkPlugin?) throws(CommandFailure) -> CertificateBundle.KeyDerivation? {
        if let plugin { return plugin.derivation }
        if let dask {
            let value = try HexArgument.secret(dask, option: "--dask", count: 16)
            return FixedDASk(value).map { .dask($0) }
        }
        if let ask {
            let value = try HexArgument.secret(ask, option: "--ask", count: 16)
            return DevelopmentDASk(ask: value).map { .dask($0) }
        }
        return nil
    }

    private func loadPlugin() throws(CommandFailure) -> DASkPlugin? {
        guard let plugin else { return nil }
        let secret = try ask.map { text throws(CommandFailure) in
            try HexArgument.secret(text, option: "--ask", count: 16)
        }
        let provisioning = try provisioningPath.map { path throws(CommandFailure) in
            SecretBytes(copying: try InputFile.readSecret(path))
        }
        do {
            return try DASkPlugin(
                // dlopen would look for a plain name in the system's folders.
                path: plugin.contains("/") ? plugin : "./\(plugin)",
                configuration: pluginConfiguration ?? "",
                ask: secret,
                provisioningData: provisioning
            )
        } catch {
            throw .input(
                "the plug-in \(plugin) cannot be used: \(error.reason)",
                next: "docs/dask.md says what it must be"
            )
        }
    }
}

/// What opens an SPC, as far as it is known.
struct OpeningCredentials: Sendable {
    var privateKey: RSAPrivateKey?
    var certificate: X509Certificate?
    /// The way to DASk.
    var derivation: CertificateBundle.KeyDerivation?
    /// What opens SPCs of version 3.
    var wholeSPC: (any WholeSPCProvider)?
}
