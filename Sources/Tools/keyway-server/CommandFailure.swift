import FPSCrypto
import KeyStore

/// Why a command ends without success, in one line, and its exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// What went wrong, by exit code.
    enum Kind: Int32 {
        /// The input is not what it should be, or a check has failed.
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
    /// What a file with a secret is not used for.
    init(_ error: SecretFileError) { self.init(error.description, kind: .file) }

    /// What a store says, with a word on what to do next.
    init(_ error: KeyStoreError) {
        let (place, reason) = (error.place, error.reason ?? error.code.rawValue)
        switch error.code {
        case .missingStore:
            let isPostgres = place == "PostgreSQL"
            let option = isPostgres ? "--store" : "--data"
            self.init(
                "there is no key server data in \(place): \(reason); check \(option), or make one with "
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
        case .unsafePermissions: self.init("\(place): \(reason)", kind: .file)
        case .unavailable: self.init("\(place) cannot be used: \(reason)", kind: .file)
        case .locked:
            self.init("\(place) is in use: \(reason); try again when no other process holds it", kind: .file)
        case .corrupt: self.init("\(place) is damaged: \(reason); restore a backup", kind: .file)
        case .missingKEK:
            self.init("\(error); give the key-encryption key that this database was made with", kind: .file)
        case .wrongKEK: self.init("\(error); give the key-encryption key that this database was made with")
        case .conflict where error.reason == KeyStoreError.exists("").reason:
            self.init("\(error); --replace puts the new one in its place")
        case .missingReference: self.init("\(error); add it first")
        default: self.init("\(error)")
        }
    }
}
