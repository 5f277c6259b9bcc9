import FPSCrypto

/// Reads certificates.
enum CertificateFile {
    /// The certificate in a file, and how it is written there.
    ///
    /// - Throws: a failure that says what the file really is.
    static func read(_ path: String) throws(CommandFailure) -> (X509Certificate, FileKind.Encoding) {
        let bytes = try InputFile.read(path)
        let kind = FileKind(bytes)
        do {
            let certificate = try X509Certificate(bytes)
            return (certificate, bytes.first == 0x30 ? .der : .pem)
        } catch {
            if case .pem("CERTIFICATE") = kind {
                throw .input("\(path): \(error)", next: "give one certificate, whole")
            }
            throw .input("\(path) is \(kind.words), not a certificate", next: advice(kind))
        }
    }

    private static func advice(_ kind: FileKind) -> String {
        switch kind {
        case .base64(.certificate): "decode it: base64 -d FILE"
        case .html, .json: "the server answered with something else: look at the status of the answer"
        case .pem(let label) where label.contains("REQUEST"):
            "that is what Apple gets; the certificate is what Apple sends back"
        default: "give the application certificate in DER or PEM"
        }
    }
}
