import ArgumentParser
import FPSCrypto
import Foundation

/// `keyway certificate`: about application certificates.
struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Look into application certificates.",
        subcommands: [CertificateCheckCommand.self]
    )
}

/// `keyway certificate check`.
struct CertificateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what a certificate is, and whether a private key belongs to it."
    )

    @Argument(help: "The certificate, PEM or DER; - for standard input.")
    var file: String

    @OptionGroup var key: PrivateKeyOptions
    @OptionGroup var output: JSONOption

    /// What SPCs know.
    private static let keySizes = [1024: "SPC version 1", 2048: "SPC version 2"]

    func validate() throws {
        if key.passphrasePath != nil, key.privateKeyPath == nil {
            throw ValidationError("--passphrase-file needs --private-key.")
        }
    }

    func run() throws {
        let (certificate, encoding) = try CertificateFile.read(file)
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
            fields.append(Field("for", .text(Self.keySizes[bits] ?? "no version of the SPC")))
        }
        if let privateKey { fields.append(Field("private key matches", .flag(certificate.matches(privateKey)))) }
        return FieldTable(title: "Certificate", fields: fields)
    }

    private func daysLeft(_ certificate: X509Certificate) -> Int64 {
        (certificate.notAfter - Int64(Date().timeIntervalSince1970)) / 86_400
    }

    private func notes(_ certificate: X509Certificate, _ encoding: FileKind.Encoding) -> [String] {
        var notes: [String] = []
        if encoding == .pem { notes.append("devices want DER; its SHA-1, which SPCs carry, is that of the DER too") }
        let now = Int64(Date().timeIntervalSince1970)
        if certificate.notAfter < now { notes.append("it has expired, which FairPlay Streaming does not mind") }
        if certificate.notBefore > now { notes.append("it is not valid yet, which FairPlay Streaming does not mind") }
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
                reason: "its key is none that FairPlay Streaming takes: \(error)",
                next: "it takes RSA keys of 1024 and 2048 bits"
            )
        case .success(let key) where Self.keySizes[key.bits] == nil:
            return Report.Problem(
                stage: "certificate",
                code: "key-size",
                reason: "its key has \(key.bits) bits",
                next: "FairPlay Streaming takes 1024 and 2048"
            )
        case .success:
            guard let privateKey, !certificate.matches(privateKey) else { return nil }
            return Report.Problem(
                stage: "certificate",
                code: "key-mismatch",
                reason: "the private key does not belong to it",
                next: "find the key that its signing request was made with"
            )
        }
    }
}
