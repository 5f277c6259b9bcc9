import ArgumentParser
import FPSCrypto
import KeyServerModule
import ToolSupport

/// The options that provide what opening an SPC requires: the private key, and a source of DASk.
struct OpeningOptions: ParsableArguments {
    @OptionGroup var key: PrivateKeyOptions

    @Option(
        name: .customLong("certificate"),
        help: .init("The application certificate, in PEM or DER, to compare with that of the SPC.", valueName: "file")
    )
    var certificateFile: InputPath?

    @Option(help: .init("DASk, 16 bytes. It cannot be combined with --ask or --plugin.", valueName: "hex|@file"))
    var dask: HexArgument?

    @Option(
        help: .init(
            "The ASk, 16 bytes. Without --plugin, DASk is derived from it by the development "
                + "function; with --plugin, it is passed to the plug-in.",
            valueName: "hex|@file"
        )
    )
    var ask: HexArgument?

    @Option(
        help: .init("The path of a DASk plug-in, a shared library; --ask is optional with it.", valueName: "file")
    )
    var plugin: InputPath?

    @Option(help: .init("The configuration of the plug-in; it requires --plugin. (default: empty)", valueName: "text"))
    var pluginConfiguration: String?

    @Option(
        name: .customLong("provisioning-data"),
        help: .init("The provisioning data of the plug-in; it requires --plugin. (default: none)", valueName: "file")
    )
    var provisioningFile: InputPath?

    func validate() throws {
        if dask != nil, ask != nil || plugin != nil {
            throw ValidationError("--dask cannot be combined with --ask or --plugin.")
        }
        if plugin == nil, pluginConfiguration != nil || provisioningFile != nil {
            throw ValidationError("--plugin-configuration and --provisioning-data require --plugin.")
        }
    }

    /// Requires a private key if another option needs one.
    func requirePrivateKey() throws {
        let dependents = [
            dask.map { _ in "--dask" }, ask.map { _ in "--ask" }, certificateFile.map { _ in "--certificate" },
            key.passphraseFile.map { _ in "--passphrase-file" },
        ]
        // A plug-in may open an SPC of version 3 without a private key.
        if key.privateKeyFile == nil, plugin == nil, let option = dependents.compactMap({ $0 }).first {
            throw ValidationError("\(option) requires --private-key.")
        }
    }

    /// Requires a source of DASk.
    func requireDASk() throws {
        guard dask != nil || ask != nil || plugin != nil else {
            throw ValidationError("No source of DASk is given: give --dask, --ask, or --plugin.")
        }
    }

    /// Reads the credentials that the options specify.
    func credentials() throws(CommandFailure) -> OpeningCredentials {
        let plugin = try loadPlugin()
        return OpeningCredentials(
            privateKey: try key.privateKey(),
            certificate: try certificateFile.map { file throws(CommandFailure) in
                try CertificateFile.read(file.path).0
            },
            derivation: try derivation(plugin),
            wholeSPC: plugin?.wholeSPC
        )
    }

    private func derivation(_ plugin: DASkPlugin?) throws(CommandFailure) -> CertificateBundle.KeyDerivation? {
        if let plugin { return plugin.derivation }
        if let dask {
            let value = try dask.secret(16, option: "--dask")
            return FixedDASk(value).map { .dask($0) }
        }
        if let ask {
            let value = try ask.secret(16, option: "--ask")
            return DevelopmentDASk(ask: value).map { .dask($0) }
        }
        return nil
    }

    private func loadPlugin() throws(CommandFailure) -> DASkPlugin? {
        guard let plugin else { return nil }
        let secret = try ask.map { ask throws(CommandFailure) in
            try ask.secret(16, option: "--ask")
        }
        let provisioning = try provisioningFile.map { file throws(CommandFailure) in
            SecretBytes(copying: try InputFile.readSecret(file.path))
        }
        do {
            return try DASkPlugin(
                // dlopen searches the system's folders for a name without a slash.
                path: plugin.path.contains("/") ? plugin.path : "./\(plugin)",
                configuration: pluginConfiguration ?? "",
                ask: secret,
                provisioningData: provisioning
            )
        } catch {
            throw .input(
                "the plug-in \(plugin) cannot be used: \(error.reason)",
                next: "see docs/dask.md for the requirements of a plug-in"
            )
        }
    }
}

/// The credentials for opening an SPC, as far as they are given.
struct OpeningCredentials: Sendable {
    var privateKey: RSAPrivateKey?
    var certificate: X509Certificate?
    /// The derivation of DASk.
    var derivation: CertificateBundle.KeyDerivation?
    /// The provider that opens SPCs of version 3.
    var wholeSPC: (any WholeSPCProvider)?
}
