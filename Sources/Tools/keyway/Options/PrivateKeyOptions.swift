import ArgumentParser
import FPSCrypto
import ServerCrypto

/// Where the private key is.
struct PrivateKeyOptions: ParsableArguments {
    @Option(name: .customLong("private-key"), help: .init("The private key, PEM or DER.", valueName: "file"))
    var privateKeyPath: String?

    @Option(
        name: .customLong("passphrase-file"),
        help: .init("The passphrase of the private key; a newline at its end does not count.", valueName: "file")
    )
    var passphrasePath: String?

    /// The key, if there is an option for it.
    func privateKey() throws(CommandFailure) -> RSAPrivateKey? {
        guard let path = privateKeyPath else { return nil }
        let bytes = try InputFile.readSecret(path)
        do {
            return try RSAPrivateKey(bytes, passphrase: try passphrase())
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw Self.failure(error as? CryptoError, path, FileKind(bytes))
        }
    }

    /// The passphrase, if there is an option for it.
    func passphrase() throws(CommandFailure) -> SecretBytes? {
        guard let path = passphrasePath else { return nil }
        let bytes = try InputFile.readLine(path)
        guard !bytes.isEmpty else { throw .input("\(path) holds no passphrase", next: "write it into the first line") }
        return SecretBytes(copying: bytes)
    }

    private static func failure(_ error: CryptoError?, _ path: String, _ kind: FileKind) -> CommandFailure {
        switch (error?.code, kind) {
        case (CryptoError.Code.passphraseNeeded, _):
            .input("\(path) is encrypted", next: "give the passphrase with --passphrase-file")
        case (CryptoError.Code.wrongPassphrase, _):
            .input("the passphrase does not open \(path)", next: "check --passphrase-file")
        case (_, .privateKey):
            .input("\(path): \(error?.description ?? "unreadable")", next: "FairPlay Streaming takes RSA keys")
        default:
            .input("\(path) is \(kind.words), not a private key", next: "give an RSA key in PEM or DER")
        }
    }
}
