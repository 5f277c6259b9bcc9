import Foundation
import KeyServer
import Logging
import TextCoding
import ToolSupport

/// The step of the diagnosis about the files that the configuration names.
enum FileSteps {
    /// The number of days before the end of the TLS certificate's validity at which it is reported.
    private static let noticeDays: Int64 = 14

    /// Checks that the files can be read and used by this user.
    static func files(_ loaded: LoadedConfiguration, now: Int64) -> Diagnosis.Step {
        let found = loaded.fileProblems()
        var step = Diagnosis.Step("files", "the files of the settings can be used")
        step.problems = found.unreadable.map { problem in
            .failure(
                "file-unreadable",
                "\(problem).",
                remedy: "Check the path and the permissions, and run this as the user of the server.",
                isUnreachable: true
            )
        }
        step.problems += found.unusable.map { problem in
            .failure(
                "file-unusable",
                "\(problem).",
                remedy: "Replace the file; a secret must belong to the user of the server, with mode 0600."
            )
        }
        guard step.problems.isEmpty, let certificate = loaded.configuration.tls.certificate,
            let key = loaded.configuration.tls.key
        else { return step }
        let silent = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        guard let expiry = try? ServerCertificate(certificate: certificate, key: key, logger: silent).expiry else {
            return step
        }
        step.details.append("TLS certificate valid to \(Timestamp.text(seconds: expiry))")
        let remedy = "Renew it and replace the files; a running server loads them within `tls.reload`."
        let days = (expiry - now) / 86_400
        if expiry < now {
            step.problems.append(
                .failure(
                    "tls-expired",
                    "The TLS certificate \(certificate) has expired.",
                    remedy: remedy
                )
            )
        } else if days < noticeDays {
            step.problems.append(
                .warning(
                    "tls-expires",
                    "The TLS certificate \(certificate) expires in \(counted(days, "day")).",
                    remedy: remedy
                )
            )
        }
        return step
    }
}
