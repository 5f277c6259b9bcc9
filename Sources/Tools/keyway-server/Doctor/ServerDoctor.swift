import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import TextCoding
import ToolSupport

/// The diagnosis of a server, from its configuration to its system. Nothing is changed.
struct ServerDoctor: Sendable {
    /// The configuration file; nil for none.
    let file: String?
    /// The environment variables.
    let environment: [String: String]
    /// True if the server runs with `--dev`.
    let isDevelopment: Bool
    /// Settings of the command line.
    var options: [(path: String, value: String, option: String)] = []
    /// Returns the current time in seconds since 1970.
    var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

    private static let steps = [
        "configuration", "files", "limits", "disk", "kek", "store", "certificates", "clock", "issuers", "ports",
        "audit",
    ]

    /// Checks all steps.
    func diagnosis() async -> Diagnosis {
        var result = Diagnosis(command: "keyway-server doctor")
        let loaded: LoadedConfiguration
        do throws(ConfigurationErrors) {
            loaded = try LoadedConfiguration.load(
                file: file,
                environment: environment,
                options: options,
                isDevelopment: isDevelopment
            )
        } catch {
            result.steps.append(invalidConfiguration(error))
            result.steps += Self.steps.dropFirst().map { .skipped($0, "the configuration is not valid") }
            return result
        }
        let configuration = loaded.configuration
        result.steps.append(configurationStep(loaded))
        result.steps.append(FileSteps.files(loaded, now: now()))
        result.steps.append(SystemSteps.limits(configuration))
        result.steps.append(SystemSteps.disk(configuration))
        let store = await StoreSteps(configuration: configuration, isDevelopment: isDevelopment, now: now()).run()
        result.steps += [store.kek, store.store, store.certificates, store.clock]
        result.steps.append(await issuers(configuration.authorization))
        result.steps.append(await PortSteps.run(configuration))
        result.steps.append(store.audit)
        return result
    }

    // MARK: Configuration

    private func invalidConfiguration(_ errors: ConfigurationErrors) -> Diagnosis.Step {
        let isReadable = file.map { FileManager.default.isReadableFile(atPath: $0) } ?? true
        let count = errors.problems.count
        return Diagnosis.Step(
            "configuration",
            isReadable ? counted(count, "invalid setting") : "the file cannot be read",
            problems: errors.problems.map { problem in
                .failure(
                    isReadable ? "configuration-invalid" : "configuration-unreadable",
                    "\(problem).",
                    remedy: isReadable
                        ? "Correct the setting; `keyway-server config example` describes all: docs/server.md."
                        : "Check the path and who may read it, and run this as the user of the server.",
                    isUnreachable: !isReadable
                )
            }
        )
    }

    private func configurationStep(_ loaded: LoadedConfiguration) -> Diagnosis.Step {
        let given = loaded.settings.count { $0.origin != .standard }
        var step = Diagnosis.Step("configuration", "\(file ?? "no file"), \(counted(given, "setting")) given")
        if isDevelopment {
            // Development mode is a decision to take these risks.
            step.details = loaded.warnings.map { "development: \($0)" }
        } else {
            step.problems = loaded.warnings.map { warning in
                .warning(
                    "configuration-risk",
                    "\(warning).",
                    remedy: "`keyway-server config check` prints the settings in use; docs/server.md explains them."
                )
            }
        }
        return step
    }

    // MARK: Issuers

    private func issuers(_ authorization: ServerConfiguration.Authorization) async -> Diagnosis.Step {
        if authorization.webhook != nil { return .skipped("issuers", "a webhook authorizes; it is not called") }
        guard !authorization.tokens.isEmpty else { return .skipped("issuers", "no tokens are verified") }
        var step = Diagnosis.Step("issuers")
        for issuer in authorization.tokens {
            let found = await issuer.inspect()
            step.details.append("\(found.issuer): \(counted(found.keyCount, "key")) of \(found.source)")
            if let problem = found.problem {
                step.problems.append(
                    .failure(
                        "issuer-keys",
                        "No token of \(found.issuer) can be verified: \(found.source): \(problem).",
                        remedy: "Check the setting `authorization.tokens[].jwks`: it must lead to the issuer's key "
                            + "set, with a key for its algorithms: docs/authorization.md."
                    )
                )
            }
            step.problems += found.warnings.map { warning in
                .warning("issuer-key-skipped", "\(found.source): \(warning).", remedy: "See docs/authorization.md.")
            }
        }
        step.summary = counted(authorization.tokens.count, "issuer")
        return step
    }
}
