import FPSCrypto
import ToolSupport

/// A reader of certificate files.
enum CertificateFile {
    /// Returns the certificate in a file, and the file's encoding.
    ///
    /// - Throws: A failure that names the actual type of the file.
    static func read(_ path: String) throws(CommandFailure) -> (X509Certificate, FileKind.Encoding) {
        let bytes = try InputFile.read(path)
        let kind = FileKind(bytes)
        do {
            let certificate = try X509Certificate(bytes)
            return (certificate, bytes.first == 0x30 ? .der : .pem)
        } catch {
            if case .pem("CERTIFICATE") = kind {
                throw .input("\(path): \(error)", next: "give a file with one complete certificate")
            }
            throw .input("\(path) is \(kind.description), not a certificate", next: advice(kind))
        }
    }

    private static func advice(_ kind: FileKind) -> String {
        switch kind {
        case .base64(.certificate): "decode it: base64 -d FILE"
        case .html, .json: "the server returned something else: check the status of its response"
        case .pem(let label) where label.contains("REQUEST"):
            "this is the request sent to Apple; give the certificate that Apple returned"
        default: "give the application certificate in DER or PEM"
        }
    }
}
