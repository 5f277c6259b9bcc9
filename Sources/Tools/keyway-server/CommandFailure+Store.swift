import KeyStore
import ToolSupport

extension CommandFailure {
    /// Creates a failure from a store's error, with what to do next.
    init(_ error: KeyStoreError) {
        let (place, reason) = (error.place, error.reason ?? error.code.rawValue)
        self =
            switch error.code {
            case .missingStore: Self.missingStore(place, reason)
            case .foreignDatabase:
                .file("\(place) is not a database of keyway-server: \(reason)", next: "check the name")
            case .newerSchema:
                .file("\(place) was written by a newer version of keyway-server: \(reason)", next: "use that version")
            case .unsafePermissions: .file("\(place): \(reason)")
            case .unreleasedSchema, .unavailable: .file("\(place) cannot be used: \(reason)")
            case .locked: .file("\(place) is in use: \(reason)", next: "stop the other process, or try again later")
            case .corrupt: .file("\(place) is damaged: \(reason)", next: "restore a backup")
            case .missingKEK:
                .file(
                    "\(error)",
                    next: "give the server's --config, or the --kek-* option with the key of this database"
                )
            case .wrongKEK: .input("\(error)", next: "use the key-encryption key that encrypts this database")
            case .conflict where error.reason == KeyStoreError.exists("").reason:
                .input("\(error)", next: "use --replace to replace it")
            case .missingReference: .input("\(error)", next: "add it first")
            default: .input("\(error)")
            }
    }

    private static func missingStore(_ place: String, _ reason: String) -> CommandFailure {
        let isPostgres = place == "PostgreSQL"
        let option = isPostgres ? "--store" : "--data"
        let initialize = "keyway-server init \(option) \(isPostgres ? "ADDRESS" : place)"
        return .file(
            "there is no key server data in \(place): \(reason)",
            next: "check \(option), or create it with \(initialize)"
        )
    }
}
