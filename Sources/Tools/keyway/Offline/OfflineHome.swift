import Foundation
import OfflineAssets

/// Where the keys of a folder's downloads are, and the device that they are for.
///
///     LIBRARY/TITLE/…                    a download
///     LIBRARY/.keyway/storage.key        the key that everything here is encrypted under, unless it is kept elsewhere
///     LIBRARY/.keyway/keys/              keys and what is known of them
///     LIBRARY/.keyway/device             what the virtual device remembers
struct OfflineHome {
    /// The folder of downloads.
    let library: String
    /// The folder of the rest.
    let state: String
    /// What everything is encrypted under.
    let key: StorageKey
    /// The keys.
    let store: KeptKeyStore

    static let folder = ".keyway"

    /// Opens what belongs to a folder of downloads, and makes it when it is not there.
    init(library: String, _ options: OfflineHomeOptions) throws(CommandFailure) {
        self.library = library
        state = options.state ?? library + "/" + Self.folder
        do throws(OfflineStorageError) {
            try KeptKeyStore.makeFolder(state)
            key = try StorageKey.open(options.storageKey ?? state + "/storage.key")
            store = try KeptKeyStore(folder: state + "/keys", key: key)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// What the device remembers.
    var deviceMemory: SealedDeviceMemory { SealedDeviceMemory(state + "/device", key: key) }
}

extension CommandFailure {
    /// What is kept cannot be read or written.
    init(_ error: OfflineStorageError) {
        self = .file("\(error)", next: error.advice)
    }

    /// The key server, the device or the network has something against it.
    init(_ error: OfflineKeyError) {
        self.init(kind: error.code == "no-connection" ? .file : .input, what: "\(error)", next: nil)
    }

    /// A bundle cannot be read.
    init(_ error: AssetBundleError) {
        let isFile = error.code == .storage || error.code == .missing || error.code == .notABundle
        self.init(kind: isFile ? .file : .input, what: "\(error)", next: nil)
    }

    /// Whatever goes wrong with what is kept, in a command's words.
    static func offline(_ error: any Error) -> any Error {
        switch error {
        case let error as OfflineStorageError: CommandFailure(error)
        case let error as OfflineKeyError: CommandFailure(error)
        case let error as AssetBundleError: CommandFailure(error)
        default: error
        }
    }
}
