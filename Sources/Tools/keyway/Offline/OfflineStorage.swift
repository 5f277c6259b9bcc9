import ContentKeySession
import Foundation
import OfflineAssets
import ToolSupport

/// The storage of the keys of a folder of downloads, and of the virtual device that they are for.
///
///     LIBRARY/TITLE/…                    a download
///     LIBRARY/.keyway/storage.key        the key that encrypts everything here, unless it is stored elsewhere
///     LIBRARY/.keyway/keys/              the keys and their state
///     LIBRARY/.keyway/device             the storage of the virtual device
struct OfflineStorage {
    /// The folder of downloads.
    let library: String
    /// The folder of keys and device storage.
    let state: String
    /// The key that encrypts everything in the folder.
    let key: StorageKey
    /// The store of persistent keys.
    let store: OfflineKeyStore

    static let folder = ".keyway"

    /// Opens the storage of a folder of downloads, and creates it if it does not exist.
    init(library: String, _ options: OfflineStorageOptions) throws(CommandFailure) {
        self.library = library
        state = options.state?.path ?? library + "/" + Self.folder
        do throws(OfflineStorageError) {
            try OfflineKeyStore.makeFolder(state)
            key = try StorageKey.open(options.storageKey?.path ?? state + "/storage.key")
            store = try OfflineKeyStore(folder: state + "/keys", key: key)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The encrypted storage of the virtual device.
    var deviceMemory: EncryptedDeviceMemory { EncryptedDeviceMemory(state + "/device", key: key) }
}

extension CommandFailure {
    /// Creates a failure for stored data that cannot be read or written.
    init(_ error: OfflineStorageError) {
        self = .file("\(error)", next: error.advice)
    }

    /// Creates a failure for an error of the key server, the device or the network.
    init(_ error: OfflineKeyError) {
        self.init(kind: error.code == "no-connection" ? .file : .input, what: "\(error)", next: nil)
    }

    /// Creates a failure for a bundle that cannot be read.
    init(_ error: AssetBundleError) {
        let isFile = error.code == .storage || error.code == .missing || error.code == .notABundle
        self.init(kind: isFile ? .file : .input, what: "\(error)", next: nil)
    }

    /// Returns the failure of a command for an error of offline storage; other errors are returned unchanged.
    static func offline(_ error: any Error) -> any Error {
        switch error {
        case let error as OfflineStorageError: CommandFailure(error)
        case let error as OfflineKeyError: CommandFailure(error)
        case let error as AssetBundleError: CommandFailure(error)
        default: error
        }
    }
}
