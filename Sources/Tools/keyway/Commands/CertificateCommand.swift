import ArgumentParser
import FPSCrypto
import Foundation
import ToolSupport

/// `keyway certificate`: commands for application certificates.
struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Check application certificates.",
        subcommands: [CertificateCheckCommand.self]
    )
}

/// `keyway certificate check`.
struct CertificateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Print the properties of a certificate, and check whether a private key matches it."
    )

    @Argument(help: "The certificate, in PEM or DER; - for standard input.")
    var file: InputPath

    @OptionGroup var key: PrivateKeyOptions
    @OptionGroup var output: JSONOption

    /// The RSA key sizes in bits that SPCs support, with the SPC version for each.
    private static let keySizes = [1024: "SPC version 1", 2048: "SPC version 2"]

    func validate() throws {
        if key.passphraseFile != nil, key.privateKeyFile == nil {
            throw ValidationError("--passphrase-file requires --private-key.")
        }
    }

    func run() throws {
        let (certificate, encoding) = try CertificateFile.read(file.path)
        let privateKey = try key.privateKey()
        var report = Report(kind: "certificate", headline: "Certificate of \(escaped(certificate.subject))")
        let publicKey = Result { () throws(CryptoError) in try certificate.publicKey }
        let bits = try? publicKey.get().bits
        report.tables = [table(certificate, encoding, bits: bits, privateKey)]
        report.notes = notes(certificate, encoding)
        report.problem = problem(certificate, publicKey, privateKey)
        try ReportOptions.print(report, json: output.json)
    }

    private func table(
        _ certificate: X509Certificate,
        _ encoding: FileKind.Encoding,
        bits: Int?,
        _ privateKey: RSAPrivateKey?
    ) -> FieldTable {
        var fields = [
            Field("encoding", .text(encoding.rawValue)),
            Field("subject", .text(certificate.subject)),
            Field("SHA-1", .bytes(certificate.sha1)),
            Field("valid from", .time(certificate.notBefore)),
            Field("valid to", .time(certificate.notAfter)),
            Field("days left", .number(daysLeft(certificate))),
        ]
        if let bits {
            fields.append(Field("RSA key", .number(bits, unit: "bits")))
            fields.append(Field("suitable for", .text(Self.keySizes[bits] ?? "no version of the SPC")))
        }
        if let privateKey { fields.append(Field("private key matches", .flag(certificate.matches(privateKey)))) }
        return FieldTable(title: "Certificate", fields: fields)
    }

    private func daysLeft(_ certificate: X509Certificate) -> Int64 {
        (certificate.notAfter - Int64(Date().timeIntervalSince1970)) / 86_400
    }

    private func notes(_ certificate: X509Certificate, _ encoding: FileKind.Encoding) -> [String] {
        var notes: [String] = []
        if encoding == .pem {
            notes.append("convert it to DER for devices; the SHA-1 above, which SPCs carry, is that of the DER form")
        }
        let now = Int64(Date().timeIntervalSince1970)
        if certificate.notAfter < now { notes.append("the certificate has expired, which FairPlay Streaming ignores") }
        if certificate.notBefore > now {
            notes.append("the certificate is not valid yet, which FairPlay Streaming ignores")
        }
        return notes
    }

    private func problem(
        _ certificate: X509Certificate,
        _ publicKey: Result<RSAPublicKey, CryptoError>,
        _ privateKey: RSAPrivateKey?
    ) -> Report.Problem? {
        switch publicKey {
        case .failure(let error):
            return Report.Problem(
                stage: "certificate",
                code: error.code.rawValue,
                reason: "FairPlay Streaming does not support the algorithm or size of the certificate's key: \(error)",
                next: "use an RSA key of 1024 or 2048 bits"
            )
        case .success(let key) where Self.keySizes[key.bits] == nil:
            return Report.Problem(
                stage: "certificate",
                code: "key-size",
                reason: "the certificate's key has \(key.bits) bits",
                next: "FairPlay Streaming supports keys of 1024 and 2048 bits"
            )
        case .success:
            guard let privateKey, !certificate.matches(privateKey) else { return nil }
            return Report.Problem(
                stage: "certificate",
                code: "key-mismatch",
                reason: "the private key does not match the certificate",
                next: "use the private key that the certificate signing request was created with"
            )
        }
    }
}
