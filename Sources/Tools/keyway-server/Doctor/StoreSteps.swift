import FPSCrypto
import KeyServer
import KeyServerModule
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite
import TextCoding
import ToolSupport

/// The steps of the diagnosis about the store and what is in it.
struct StoreSteps {
    let configuration: ServerConfiguration
    let isDevelopment: Bool
    /// The current time in seconds since 1970.
    let now: Int64

    /// The results.
    struct Results {
        var kek: Diagnosis.Step
        var store: Diagnosis.Step
        var certificates = Diagnosis.Step.skipped("certificates", "the store cannot be read")
        var clock = Diagnosis.Step.skipped("clock", "the store cannot be read")
        var audit = Diagnosis.Step.skipped("audit", "the store cannot be read")
    }

    /// The clock difference in seconds at which tokens are refused by default.
    private static let allowedDifference: Int64 = 30
    private static let keyCodes: Set<KeyStoreError.Code> = [.wrongKEK, .missingKEK, .malformedKEK]

    /// Checks the steps.
    func run() async -> Results {
        let location = StoreLocation(configuration)
        let inspection: StoreInspection
        do throws(KeyStoreError) {
            inspection = try await location.inspect()
        } catch {
            let problem = Self.problem(error)
            let isAboutKey = Self.keyCodes.contains(error.code) || error.place.hasSuffix("/kek")
            return Results(
                kek: isAboutKey
                    ? Diagnosis.Step("kek", "the key-encryption key is not usable", problems: [problem])
                    : .skipped("kek", "the store cannot be read"),
                store: isAboutKey
                    ? .skipped("store", "the key-encryption key is not usable")
                    : Diagnosis.Step("store", "the store cannot be used", problems: [problem])
            )
        }
        return Results(
            kek: Diagnosis.Step("kek", "decrypts the store"),
            store: storeStep(inspection, location),
            certificates: certificatesStep(inspection.bundles),
            clock: clockStep(inspection),
            audit: auditStep(inspection)
        )
    }

    private static func problem(_ error: KeyStoreError) -> Diagnosis.Problem {
        let remedy =
            switch error.code {
            case .missingStore: "Create it: `keyway-server init --data FOLDER`; or correct the path."
            case .missingKEK: "Restore the key from your backup of it; without it the data cannot be decrypted."
            case .wrongKEK: "Give the key that the database was encrypted with: setting `kek`, docs/operations.md."
            case .malformedKEK: "The key is 64 hexadecimal digits; restore it from your backup of it."
            case .unsafePermissions: "Run this as the user of the server; secrets need mode 0600 (`chmod 600`)."
            case .newerSchema: "Install the version of keyway-server that changed the database, or a newer one."
            case .unreleasedSchema: "Export the keys with the version that created the database."
            case .foreignDatabase: "The file is not a database of keyway-server: correct the path."
            case .corrupt: "Restore a backup (`keyway-server restore`), and keep the damaged files: docs/operations.md."
            case .locked: "Another process holds the database; try again, and look for a long backup."
            case .diskFull: "Free space on the disk."
            default: "Check that the database runs and can be reached with this address: docs/many-nodes.md."
            }
        return .failure("store-\(error.code)", "\(error).", remedy: remedy, isUnreachable: error.code == .unavailable)
    }

    private func storeStep(_ inspection: StoreInspection, _ location: StoreLocation) -> Diagnosis.Step {
        var step = Diagnosis.Step("store", "\(inspection.server ?? "SQLite"), schema \(inspection.schema)")
        if inspection.schema < inspection.supportedSchema {
            step.details.append("the next start migrates it to schema \(inspection.supportedSchema); back it up before")
        }
        step.problems += location.warnings.map { warning in
            .warning("store-connection", "\(warning).", remedy: "See docs/many-nodes.md.")
        }
        return step
    }

    // MARK: Certificates

    private func certificatesStep(_ records: [CertificateBundleRecord]) -> Diagnosis.Step {
        var step = Diagnosis.Step("certificates", counted(records.count, "bundle"))
        // Loading checks that the key pair matches, and that the plug-in and the ASk are usable.
        let loaded = BundleLoader.load(records, allowingDevelopment: isDevelopment, plugins: PluginLoader())
        let remedy = "Replace it with `keyway-server certificates add --replace`: docs/server.md."
        if loaded.bundles.isEmpty {
            let reasons = loaded.skipped.map { "\($0.name): \($0.reason)" }.joined(separator: "; ")
            step.problems.append(
                .failure(
                    "no-certificate",
                    "There is no certificate to serve with\(reasons.isEmpty ? "" : " (\(reasons))").",
                    remedy: "Add one with `keyway-server certificates add`; development bundles need `serve --dev`."
                )
            )
        } else {
            step.problems += loaded.skipped.map { name, reason in
                .warning("certificate-unused", "The bundle \(name) is not used: \(reason).", remedy: remedy)
            }
        }
        for record in records {
            guard let certificate = try? X509Certificate(record.certificate) else { continue }
            let days = (certificate.notAfter - now) / 86_400
            let end = Timestamp.text(seconds: certificate.notAfter)
            step.details.append("\(record.name): \(record.kind.rawValue), valid to \(end)")
            guard days < 90 else { continue }
            let state = certificate.notAfter < now ? "has expired" : "expires in \(counted(days, "day"))"
            let code = certificate.notAfter < now ? "expired" : days < 30 ? "expires-in-30-days" : "expires-in-90-days"
            step.problems.append(
                .warning(
                    "certificate-\(code)",
                    "The certificate of \(record.name) \(state).",
                    remedy: "Request a new one from Apple in time, and add it as a second bundle; FairPlay itself "
                        + "ignores the date: docs/pitfalls.md."
                )
            )
        }
        return step
    }

    // MARK: Clock and audit log

    /// Compares this machine's clock with the database server's, and with the newest entry of the audit log.
    private func clockStep(_ inspection: StoreInspection) -> Diagnosis.Step {
        let remedy = "Synchronize the clock (`timedatectl`): tokens, SPCs, leases, and key periods contain times."
        if let serverTime = inspection.serverTime {
            let difference = abs(serverTime / 1000 - now)
            guard difference > Self.allowedDifference else {
                return Diagnosis.Step("clock", "agrees with the database server's")
            }
            let text = "The clocks of this machine and of the database server differ by \(difference) s."
            return Diagnosis.Step("clock", "", problems: [.failure("clock-wrong", text, remedy: remedy)])
        }
        guard let newest = inspection.newest?.record.milliseconds else {
            return .skipped("clock", "there is nothing to compare with: the store has no entry")
        }
        let time = Timestamp.text(seconds: newest / 1000)
        guard newest / 1000 - now > Self.allowedDifference else {
            return Diagnosis.Step("clock", "after the newest entry of the audit log, \(time)")
        }
        let text = "The newest entry of the audit log, \(time), is in the future: this machine's clock is behind."
        return Diagnosis.Step("clock", "", problems: [.failure("clock-wrong", text, remedy: remedy)])
    }

    private func auditStep(_ inspection: StoreInspection) -> Diagnosis.Step {
        guard let fault = inspection.audit.firstBreak else {
            let count = min(inspection.audit.entries + 1, StoreInspection.auditEntries)
            return Diagnosis.Step(
                "audit",
                inspection.newest == nil ? "the log is empty" : "the last entries are intact (\(count) at most)"
            )
        }
        let number = fault.number.map { " at entry \($0)" } ?? ""
        return Diagnosis.Step(
            "audit",
            "the log is not intact",
            problems: [
                .failure(
                    "audit-\(fault.fault.rawValue)",
                    "The hash chain of the audit log is broken\(number): \(fault.fault.rawValue).",
                    remedy: "`keyway-server audit verify` reads the whole log; treat it as an incident: "
                        + "docs/operations.md."
                )
            ]
        )
    }
}

extension StoreLocation {
    /// Reads what a diagnosis needs from the store, without changing it.
    func inspect() async throws(KeyStoreError) -> StoreInspection {
        switch self {
        case .dataFolder(let folder, let key): try SQLiteKeyStore.inspect(dataFolder: folder, key: key)
        case .postgres(let location):
            try await PostgresKeyStore.inspect(try location.settings()) { () throws(KeyStoreError) in
                try location.key.keys(inFolder: location.folder, mayCreate: false)
            }
        }
    }
}
