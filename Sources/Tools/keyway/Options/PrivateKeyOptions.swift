import ArgumentParser
import FPSCrypto
import ServerCrypto
import ToolSupport

/// The options that specify the private key.
struct PrivateKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("private-key"),
        help: .init("The certificate's RSA private key, in PEM or DER.", valueName: "file")
    )
    var privateKeyFile: InputPath?

    @Option(
        name: .customLong("passphrase-file"),
        help: .init(
            "A file with the passphrase of the private key, if it is encrypted; a trailing newline is "
                + "ignored.",
            valueName: "file"
        )
    )
    var passphraseFile: InputPath?

    /// Returns the key, or nil if the option is not given.
    func privateKey() throws(CommandFailure) -> RSAPrivateKey? {
        guard let path = privateKeyFile?.path else { return nil }
        let bytes = try InputFile.readSecret(path)
        do {
            return try RSAPrivateKey(bytes, passphrase: try passphrase())
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw Self.failure(error as? CryptoError, path, FileKind(bytes))
        }
    }

    /// Returns the passphrase, or nil if the option is not given.
    func passphrase() throws(CommandFailure) -> SecretBytes? {
        try passphraseFile.map { file throws(CommandFailure) in try Self.passphrase(file) }
    }

    /// Returns the passphrase in a file.
    static func passphrase(_ file: InputPath) throws(CommandFailure) -> SecretBytes {
        let bytes = try InputFile.readLine(file.path)
        guard !bytes.isEmpty else {
            throw .input("\(file): the first line is empty", next: "write the passphrase there")
        }
        return SecretBytes(copying: bytes)
    }

    private static func failure(_ error: CryptoError?, _ path: String, _ kind: FileKind) -> CommandFailure {
        switch (error?.code, kind) {
        case (CryptoError.Code.passphraseRequired, _):
            .input("\(path) is encrypted", next: "give the passphrase with --passphrase-file")
        case (CryptoError.Code.wrongPassphrase, _):
            .input("the passphrase does not decrypt \(path)", next: "check --passphrase-file")
        case (_, .privateKey):
            .input("\(path): \(error?.description ?? "unreadable")", next: "FairPlay Streaming requires an RSA key")
        default:
            .input("\(path) is \(kind.description), not a private key", next: "give an RSA key in PEM or DER")
        }
    }
}
