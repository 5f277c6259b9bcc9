import ArgumentParser
import ContentKeySession
import Foundation
import OfflineAssets
import ToolSupport
import VirtualDevice

/// The arguments that specify a download.
struct OfflineTitleArgument: ParsableArguments {
    @Argument(
        help: .init("The folder of a download, or the title of a download in --library.", valueName: "folder|title")
    )
    var name: String

    @Option(help: .init("The folder of downloads in which to search for a title.", valueName: "folder"))
    var library = FolderPath(argument: ".")

    /// Returns the locations of the download and of the folder that contains it.
    func location() throws(CommandFailure) -> DownloadLocation {
        if FileManager.default.fileExists(atPath: name + "/bundle.json") {
            let folder = URL(fileURLWithPath: name).standardizedFileURL
            return DownloadLocation(library: folder.deletingLastPathComponent().path, bundle: folder.path)
        }
        let root = URL(fileURLWithPath: library.path).standardizedFileURL.path
        let entries: [BundleLibrary.Entry]
        do throws(AssetBundleError) {
            entries = try BundleLibrary(root).bundles()
        } catch {
            throw CommandFailure(error)
        }
        let found = entries.filter { entry in
            (try? entry.summary.get())?.title == name || entry.folder == root + "/" + name
        }
        guard found.count <= 1 else {
            throw .input("several downloads in \(root) have the title \(name)", next: "give the folder of one instead")
        }
        guard let entry = found.first else {
            throw .file("\(root) contains no download \(name)", next: "run keyway offline list to see all downloads")
        }
        return DownloadLocation(library: root, bundle: entry.folder)
    }
}

/// The location of a download.
struct DownloadLocation {
    /// The folder that contains the download.
    let library: String
    /// The folder of the download.
    let bundle: String

    /// Opens the download.
    func open() throws(CommandFailure) -> AssetBundle {
        do throws(AssetBundleError) {
            return try AssetBundle.open(bundle)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// A download as lists show it.
struct OfflineListing {
    let folder: String
    let summary: BundleSummary
    /// The ledger entry of the key that determines the state; nil if no key is stored.
    let entry: KeyHistoryEntry?
    let kept: OfflineTitle?
    /// The size on disk, in bytes.
    let size: UInt64
    let isInUse: Bool
    /// The number of files that are missing or have changed; 0 if the download is not complete, or files were not
    /// compared. A bundle that cannot be read counts as one file.
    let damagedFileCount: Int

    /// Returns all downloads in a folder, and messages about those that cannot be read. The state of the keys is what the
    /// stored device would decide at playback.
    static func all(
        _ storage: OfflineStorage,
        at now: Int64,
        comparesFiles: Bool = false
    ) async throws -> (listings: [OfflineListing], damaged: [String]) {
        var damaged: [String] = []
        var device: FPSDevice?
        do throws(FPSError) {
            device = try storage.storedDevice()
        } catch {
            damaged.append("the device storage cannot be read: \(error)")
        }
        let (titles, broken) = try storage.store.titles()
        damaged += broken.map { "\($0): \($0.advice)" }
        let kept = Dictionary(titles.map { ($0.title, $0) }) { first, _ in first }
        var listings: [OfflineListing] = []
        for entry in try BundleLibrary(storage.library).bundles() {
            switch entry.summary {
            case .failure(let error): damaged.append("\(error)")
            case .success(let summary):
                var title = kept[summary.title]
                if let device { title = await title?.confirmed(by: device) }
                listings.append(
                    OfflineListing(
                        folder: entry.folder,
                        summary: summary,
                        entry: title?.ledger.deciding(at: now),
                        kept: title,
                        size: summary.byteCount > 0 ? summary.byteCount : diskSize(entry.folder),
                        isInUse: try storage.store.isInUse(summary.title, folder: entry.folder),
                        damagedFileCount: comparesFiles && summary.state != .downloading
                            ? (try? AssetBundle.open(entry.folder).differences(.attributes).count) ?? 1 : 0
                    )
                )
            }
        }
        return (listings, damaged)
    }

    /// Returns the state of the download's keys; nil if it needs none. If required keys are not stored, the state is
    /// `refused`.
    func keyState(at now: Int64) -> OfflineKeyState? {
        summary.keys.isEmpty ? nil : entry?.state(at: now) ?? .refused
    }

    /// Returns the download as a candidate for eviction.
    func candidate(at now: Int64) -> EvictionCandidate {
        EvictionCandidate(
            title: summary.title,
            size: size,
            policy: kept?.policy ?? StoragePolicy(),
            isInUse: isInUse,
            isComplete: summary.state == .complete,
            keys: keyState(at: now),
            lastPlayed: kept?.lastPlayed,
            created: Int64(clamping: summary.created)
        )
    }

    private static func diskSize(_ folder: String) -> UInt64 {
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder),
            includingPropertiesForKeys: [.fileSizeKey]
        )
        var sum: UInt64 = 0
        while let file = files?.nextObject() as? URL {
            sum &+= UInt64(clamping: (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
        }
        return sum
    }
}
