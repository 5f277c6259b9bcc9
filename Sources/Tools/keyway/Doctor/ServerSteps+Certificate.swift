import FPSCrypto
import Foundation
import HTTPRequests
import TextCoding
import ToolSupport

extension ServerSteps {
    /// The number of days before the end of a certificate's validity at which it is reported.
    private static let noticeDays: Int64 = 30

    /// Checks the application certificate of the server: its encoding, its key, its validity, and whether it belongs to
    /// the credentials.
    func certificateStep(_ answer: BoundedHTTP.Answer, _ target: DoctorTarget) -> Diagnosis.Step {
        guard answer.status == 200 else {
            let problem = ProblemResponse(status: answer.status, body: answer.body)
            let detail = (problem?.detail ?? problem?.title).map { ": \(PlaylistText.printable($0))" } ?? ""
            return Diagnosis.Step(
                "certificate",
                "the server responds with status \(answer.status)",
                problems: [
                    .failure(
                        "certificate-missing",
                        "The server has no certificate for this request\(detail).",
                        remedy: "`keyway-server certificates list` shows what it has; with several, apps add ?app=NAME."
                    )
                ]
            )
        }
        let kind = FileKind(answer.body)
        guard let certificate = try? X509Certificate(answer.body) else {
            return Diagnosis.Step(
                "certificate",
                "the response is \(kind.description)",
                problems: [
                    .failure(
                        "certificate-unreadable",
                        "The response to /fps/certificate is \(kind.description), not a certificate; devices report "
                            + "-42679.",
                        remedy: "Check what answers at this URL with `curl -i`; `keyway explain -42679` has the causes."
                    )
                ]
            )
        }
        var step = Diagnosis.Step("certificate", PlaylistText.printable(certificate.subject))
        step.details = [
            "SHA-1 \(Hexadecimal.encode(certificate.sha1)), valid to \(Timestamp.text(seconds: certificate.notAfter))"
        ]
        step.problems =
            encodingProblems(answer.body) + keyProblems(certificate) + matchProblems(certificate, target)
            + validityProblems(certificate)
        return step
    }

    private func encodingProblems(_ bytes: [UInt8]) -> [Diagnosis.Problem] {
        guard bytes.first != 0x30 else { return [] }
        return [
            .failure(
                "certificate-pem",
                "The server sends the certificate as text (PEM), and devices need DER; they report -42679.",
                remedy: "Convert it: `openssl x509 -in FILE -outform der -out certificate.der`; Keyway's own route "
                    + "sends DER."
            )
        ]
    }

    private func keyProblems(_ certificate: X509Certificate) -> [Diagnosis.Problem] {
        guard let bits = try? certificate.publicKey.bits, [1024, 2048].contains(bits) else {
            return [
                .failure(
                    "certificate-key",
                    "The certificate has no RSA key of 1024 or 2048 bits, which SPCs need.",
                    remedy: "Check it with `keyway certificate check`; it is not an application certificate of "
                        + "FairPlay."
                )
            ]
        }
        return []
    }

    private func matchProblems(_ certificate: X509Certificate, _ target: DoctorTarget) -> [Diagnosis.Problem] {
        guard let file = target.certificateFile, FileManager.default.isReadableFile(atPath: file),
            let (own, _) = try? CertificateFile.read(file), own.sha1 != certificate.sha1
        else { return [] }
        return [
            .failure(
                "certificate-differs",
                "The server's certificate is not the one of --credentials, so its ASk is another one too.",
                remedy: "Give the credentials that the server has (`keyway-server certificates list`), or add these "
                    + "with `keyway-server certificates add`."
            )
        ]
    }

    private func validityProblems(_ certificate: X509Certificate) -> [Diagnosis.Problem] {
        let time = Int64(now())
        let remedy = "Request a new one from Apple in time; FairPlay itself ignores the dates: docs/pitfalls.md."
        if certificate.notAfter < time {
            return [.warning("certificate-expired", "The certificate has expired.", remedy: remedy)]
        }
        if certificate.notBefore > time {
            return [.warning("certificate-not-yet-valid", "The certificate is not valid yet.", remedy: remedy)]
        }
        let days = (certificate.notAfter - time) / 86_400
        guard days < Self.noticeDays else { return [] }
        return [.warning("certificate-expires", "The certificate expires in \(counted(days, "day")).", remedy: remedy)]
    }
}
