import FPSCrypto
import KeyStore

/// The failure of a command: a one-line message and the exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// The cause of the failure; the raw value is the exit code.
    enum Kind: Int32 {
        /// The input is invalid, or a check failed.
        case input = 1
        /// The command line is wrong.
        case usage = 2
        /// A file or a connection cannot be used.
        case file = 3
    }

    let description: String
    let kind: Kind

    init(_ description: String, kind: Kind = .input) {
        self.description = description
        self.kind = kind
    }
}

extension CommandFailure {
    /// Creates a failure from an error about a secret file.
    init(_ error: SecretFileError) { self.init(error.description, kind: .file) }

    /// Creates a failure from a store's error and adds what to do next.
    init(_ error: KeyStoreError) {
        let (place, reason) = (error.place, error.reason ?? error.code.rawValue)
        switch error.code {
        case .missingStore:
            let isPostgres = place == "PostgreSQL"
            let option = isPostgres ? "--store" : "--data"
            self.init(
                "there is no key server data in \(place): \(reason); check \(option), or create it with "
                    + "keyway-server init \(option) \(isPostgres ? "ADDRESS" : place)",
                kind: .file
            )
        case .foreignDatabase:
            self.init("\(place) is not a database of keyway-server: \(reason); check the name", kind: .file)
        case .newerSchema:
            self.init(
                "\(place) was written by a newer version of keyway-server: \(reason); use that version",
                kind: .file
            )
        case .unreleasedSchema: self.init("\(place) cannot be used: \(reason)", kind: .file)
        case .unsafePermissions: self.init("\(place): \(reason)", kind: .file)
        case .unavailable: self.init("\(place) cannot be used: \(reason)", kind: .file)
        case .locked:
            self.init("\(place) is in use: \(reason); stop the other process, or try again later", kind: .file)
        case .corrupt: self.init("\(place) is damaged: \(reason); restore a backup", kind: .file)
        case .missingKEK:
            self.init("\(error); use the key-encryption key that encrypts this database", kind: .file)
        case .wrongKEK: self.init("\(error); use the key-encryption key that encrypts this database")
        case .conflict where error.reason == KeyStoreError.exists("").reason:
            self.init("\(error); use --replace to replace it")
        case .missingReference: self.init("\(error); add it first")
        default: self.init("\(error)")
        }
    }
}
