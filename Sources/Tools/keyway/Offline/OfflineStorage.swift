import ContentKeySession
import FPSCrypto
import Foundation
import OfflineAssets
import ToolSupport
import VirtualDevice

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
    ///
    /// - Parameter mustBeWritable: Whether the command changes the storage. Otherwise the folder may be read-only.
    init(library: String, _ options: OfflineStorageOptions, mustBeWritable: Bool = true) throws(CommandFailure) {
        self.library = library
        state = options.state?.path ?? library + "/" + Self.folder
        let isReadOnly = OfflineKeyStore.isReadOnly(state)
        guard !isReadOnly || !mustBeWritable else {
            throw .file("\(state) is read-only", next: "make the folder writable, or give another --state")
        }
        do throws(OfflineStorageError) {
            if !isReadOnly { try OfflineKeyStore.makeFolder(state) }
            key = try StorageKey.open(options.storageKey?.path ?? state + "/storage.key")
            store = try OfflineKeyStore(folder: state + "/keys", key: key)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The encrypted storage of the virtual device.
    var deviceMemory: EncryptedDeviceMemory {
        EncryptedDeviceMemory(state + "/device", key: key, isReadOnly: store.isReadOnly)
    }

    /// The note that a playback could not be recorded; nil if the storage can be written.
    var readOnlyNote: String? {
        guard deviceMemory.isReadOnly else { return nil }
        return "\(state) is read-only: the playback and its time are not recorded"
    }

    /// Returns the stored virtual device; nil if none is stored. It can tell the state of keys, but cannot make requests.
    func storedDevice() throws(FPSError) -> FPSDevice? {
        let memory = deviceMemory
        guard memory.exists else { return nil }
        var random = SecureRandom()
        let rule = DASkRule.fixed(SecretBytes(count: 16, randomFrom: &random))
        return try FPSDevice(profile: .iPhone, dask: rule, memory: memory)
    }
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
