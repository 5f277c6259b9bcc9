#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
import AVFoundation
import ContentKeySession
public import Foundation
import Locking

/// A download and its state.
public struct DownloadedAsset: Sendable, Hashable {
    /// The state of a download.
    public enum State: Sendable, Hashable {
        /// The media is being downloaded; the fraction is 0 to 1.
        case downloading(fraction: Double)
        /// The download has finished; its package is at this location in this run of the app.
        case finished(URL)
        /// The download failed. The text contains no secrets.
        case failed(String)
        /// The download had finished, and its package is gone: the system or the viewer deleted it. The keys may still
        /// be stored. Download the title again.
        case mediaMissing
    }

    /// The title in the system's settings.
    public let title: String
    /// The identifiers of its keys.
    public let keys: [String]
    /// The state.
    public let state: State
}

/// An error of ``AssetDownloads``.
public enum AssetDownloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another instance in this process has the same identifier.
    case identifierInUse
    /// The file of the downloads cannot be read, or its folder cannot be created.
    case unreadableRecords
    /// The file of the downloads could not be written: the storage is full, or the device was not unlocked since it
    /// started. The reason consists of error domains and numbers.
    case unwrittenRecords(file: URL, reason: String)
    /// A key of a cancelled download could not be invalidated: there is no network, or the server or the device refused.
    /// The reason contains no secrets.
    case keyNotInvalidated(identifier: String, reason: String)

    /// The error and what to do.
    public var description: String {
        switch self {
        case .identifierInUse: "an AssetDownloads with this identifier exists: create one for each launch of the app"
        case .unreadableRecords: "the file of the downloads cannot be read: unlock the device, then try again"
        case .unwrittenRecords(let file, let reason):
            "\(file.path) cannot be written (\(reason)): free storage; the next change of a download is written with "
                + "the earlier ones, if the app runs until then"
        case .keyNotInvalidated(let identifier, let reason):
            "the key \(identifier) was not invalidated (\(reason)): if it is still stored, a later download of the title "
                + "uses it; otherwise, invalidate it with PlatformPersistentKeys"
        }
    }
}

/// A download in the file.
struct DownloadRecord: Codable, Hashable {
    enum State: Codable, Hashable { case downloading, finished, failed(String) }

    var title: String
    var keys: [String]
    /// The path of the package relative to the home directory; nil before it is known.
    var relativePath: String?
    var state: State

    func with(_ state: State) -> Self {
        var copy = self
        copy.state = state
        return copy
    }
}

/// The file of the downloads. It is written in the callbacks of AVFoundation, before the event is passed on.
final class DownloadRecords: Sendable {
    private let file: URL
    private let home: URL
    private let events: KeptBroadcast<AssetDownloads.Event>
    private let records: Lock<[String: DownloadRecord]>

    /// Reads the file, or creates its folder.
    ///
    /// - Parameter events: Receives ``AssetDownloads/Event/didNotRecord(name:_:)``.
    init(_ file: URL, home: URL, events: KeptBroadcast<AssetDownloads.Event>) throws(AssetDownloadError) {
        (self.file, self.home, self.events) = (file, home.standardizedFileURL, events)
        guard FileManager.default.fileExists(atPath: file.path) else {
            do { try Self.makeFolder(of: file) } catch { throw .unreadableRecords }
            records = Lock([:])
            return
        }
        guard let data = try? Data(contentsOf: file),
            let read = try? PropertyListDecoder().decode([String: DownloadRecord].self, from: data)
        else { throw .unreadableRecords }
        records = Lock(read)
    }

    var all: [String: DownloadRecord] { records.withLock { $0 } }

    /// Changes the record of a download. The file is written before this returns; if that fails, the failure is an
    /// event, and the change is kept in memory and written with the next one.
    func change(_ name: String, _ body: @Sendable (DownloadRecord?) -> DownloadRecord?) {
        let failure: AssetDownloadError? = records.withLock { records in
            records[name] = body(records[name])
            do { try write(records) } catch {
                let reason = ContentKeyError(platform: error, .session).reason
                return .unwrittenRecords(file: file, reason: reason ?? "unknown")
            }
            return nil
        }
        if let failure { events.add(.didNotRecord(name: name, failure)) }
    }

    /// Deletes the package of a download and its record.
    func remove(_ name: String) throws {
        if let location = location(of: name), FileManager.default.fileExists(atPath: location.path) {
            try FileManager.default.removeItem(at: location)
        }
        change(name) { _ in nil }
    }

    /// Returns the location of a download in this run of the app; nil before it is known.
    func location(of name: String) -> URL? {
        all[name]?.relativePath.map { home.appendingPathComponent($0) }
    }

    /// Returns the path of a location relative to the home directory.
    func relativePath(of location: URL) -> String {
        let (path, root) = (location.standardizedFileURL.path, home.path)
        // AVFoundation may report the container below /private.
        for root in [root, "/private" + root] where path.hasPrefix(root + "/") {
            return String(path.dropFirst(root.count + 1))
        }
        return location.relativePath
    }

    /// Returns the downloads with the progress of those that run.
    func downloads(_ progress: [String: Double]) -> [String: DownloadedAsset] {
        var downloads: [String: DownloadedAsset] = [:]
        for (name, record) in all {
            let state: DownloadedAsset.State =
                switch record.state {
                case .downloading: .downloading(fraction: progress[name] ?? 0)
                case .failed(let reason): .failed(reason)
                case .finished:
                    location(of: name).flatMap {
                        FileManager.default.fileExists(atPath: $0.path) ? .finished($0) : nil
                    } ?? .mediaMissing
                }
            downloads[name] = DownloadedAsset(title: record.title, keys: record.keys, state: state)
        }
        return downloads
    }

    private func write(_ records: [String: DownloadRecord]) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let options: Data.WritingOptions = [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        try Self.makeFolder(of: file)
        try encoder.encode(records).write(to: file, options: options)
    }

    private static func makeFolder(of file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
}
#endif
