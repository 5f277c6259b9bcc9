import ArgumentParser
import FPSCrypto
import FileWriting
import Foundation
import ServerCrypto
import TextCoding
import ToolSupport

/// `keyway credentials`: commands for development credentials.
struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Create credentials for development.",
        subcommands: [CredentialsNewCommand.self]
    )
}

/// `keyway credentials new`.
struct CredentialsNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a private key, a certificate, and an ASk, for development only.",
        discussion: """
            The credentials work only with Keyway's key server and virtual device. Apple devices do not accept the \
            certificate; they require credentials that Apple has issued.
            """
    )

    @Option(
        name: .customLong("out"),
        help: .init("The folder for the files; created if it does not exist.", valueName: "folder")
    )
    var folder: OutputPath

    @Option(help: "The size of the RSA key: 2048 for SPC version 2, 1024 for version 1.")
    var bits = RSAKeySize.bits2048

    @Option(name: .customLong("common-name"), help: .init("The certificate's common name.", valueName: "name"))
    var name = "Keyway development"

    @Option(
        name: .customLong("passphrase-file"),
        help: .init(
            "Encrypt the private key with the passphrase in this file. (default: not encrypted)",
            valueName: "file"
        )
    )
    var passphraseFile: InputPath?

    @OptionGroup var output: JSONOption

    /// The validity period of the certificate: long enough that no test environment outlives it.
    private static let validDays = 3650

    func validate() throws {
        guard (1...64).contains(name.unicodeScalars.count) else {
            throw ValidationError("--name: expected 1 to 64 characters.")
        }
    }

    func run() throws {
        let passphrase = try passphraseFile.map { try PrivateKeyOptions.passphrase($0) }
        try makeFolder()
        var random = SecureRandom()
        let ask = SecretBytes(count: 16, randomFrom: &random)
        let files: [(name: String, content: [UInt8], access: OutputFile.Access)]
        do {
            let key = try RSAPrivateKey.generate(bits: bits.rawValue)
            let certificate = try X509Certificate.selfSigned(subject: name, key: key, days: Self.validDays)
            files = [
                ("private-key.pem", try key.pem(passphrase: passphrase).reveal(), .owner),
                ("ask.hex", Array((Hexadecimal.encode(ask.reveal()) + "\n").utf8), .owner),
                ("certificate.der", certificate.der, .allUsers),
                ("certificate.pem", Array(certificate.pem.utf8), .allUsers),
                ("README.txt", Array(Self.readme.utf8), .allUsers),
            ]
        } catch {
            throw CommandFailure.input("the credentials cannot be created: \(error)")
        }
        try refuseToReplace(files.map(\.name))
        for file in files {
            try OutputFile.write(file.content, to: path(file.name), access: file.access, replacing: false)
        }
        let members: [JSONValue] = files.map { file in
            .object(["path": .string(path(file.name)), "isSecret": .bool(file.access == .owner)])
        }
        try output.print(
            .object(["kind": .string("credentials"), "bits": .integer(bits.rawValue), "files": .array(members)])
        ) {
            let lines = files.map { "  \(path($0.name))" + ($0.access == .owner ? "  (secret)" : "") }
            return "Development credentials, RSA-\(bits):\n" + lines.joined(separator: "\n")
        }
    }

    private func path(_ name: String) -> String {
        folder.path.hasSuffix("/") ? "\(folder)\(name)" : "\(folder)/\(name)"
    }

    private func makeFolder() throws(CommandFailure) {
        do {
            let url = URL(filePath: folder.path, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .file("cannot create the folder \(folder)", next: "check the path and its permissions")
        }
    }

    private func refuseToReplace(_ names: [String]) throws(CommandFailure) {
        guard let taken = names.map(path).first(where: { FileManager.default.fileExists(atPath: $0) }) else { return }
        throw .file(
            "\(taken) already exists, and credentials are never replaced",
            next: "choose another folder with --out"
        )
    }

    private static let readme = """
        Credentials for development, created by keyway credentials new.

        certificate.der   the application certificate, for the server and for players
        certificate.pem   the same certificate, as text
        private-key.pem   the private key of the certificate: SECRET
        ask.hex           the ASk, 16 bytes in hexadecimal: SECRET

        They work only with Keyway's key server and virtual device. The certificate is self-signed, so no Apple device
        accepts it (-42783), and the function that derives DASk from this ASk is public. Never use these credentials for
        content that needs protection: anyone who has the ASk can request its keys.

        """
}

/// The size of an RSA key on the command line, in bits.
enum RSAKeySize: Int, ExpressibleByArgument, CaseIterable, CustomStringConvertible {
    case bits1024 = 1024
    case bits2048 = 2048

    var description: String { "\(rawValue)" }
}
