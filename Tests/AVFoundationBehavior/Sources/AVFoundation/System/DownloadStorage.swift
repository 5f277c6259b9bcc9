import Foundation
import Locking

/// The storage policy of a package.
struct StoragePolicy: Hashable, Sendable {
    var isImportant: Bool
    var expirationDate: Date
}

extension DownloadService {
    // MARK: Policies

    /// The policy belongs to the package, whose path stays when the container moves (rule 121).
    func setPolicy(_ policy: StoragePolicy, for location: URL) {
        guard let path = path(of: location) else { return }
        state.withLock { $0.policies[path] = policy }
    }

    func policy(for location: URL) -> StoragePolicy? {
        guard let path = path(of: location) else { return nil }
        return state.withLock { $0.policies[path] }
    }

    // MARK: Files

    /// The locations of all packages, in the order of their tasks.
    package var packages: [URL] {
        let paths = state.withLock { state in state.records.values.sorted { $0.id < $1.id }.compactMap(\.path) }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }.map(location)
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// The system deletes a package, without telling the app (rule 120). Users do the same in Settings.
    package func purge(_ location: URL) {
        try? FileManager.default.removeItem(at: location)
    }

    /// The system deletes packages to make space: those whose date has passed first, then those of default priority,
    /// then important ones (rule 121). Returns their locations.
    package func makeSpace(deleting count: Int) -> [URL] {
        let now = state.withLock { $0.system.object }?.clock.date ?? Date.distantPast
        func rank(_ location: URL) -> Int {
            let policy = policy(for: location)
            if let policy, policy.expirationDate <= now { return 0 }
            return policy?.isImportant == true ? 2 : 1
        }
        let order = packages.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
        let deleted = order.prefix(count).map(\.element)
        for location in deleted { purge(location) }
        return deleted
    }

    /// The URL of a task's asset in the container of this process.
    func currentURL(of record: DownloadRecord) -> URL {
        record.url.isFileURL ? record.path.map(location) ?? record.url : record.url
    }
}

extension MediaService {
    /// The presentation of a URL: that of the package for a file.
    func resolve(_ url: URL) throws(NSError) -> ResolvedContent {
        guard url.isFileURL else { return ResolvedContent(content: try remoteContent(url), package: nil) }
        // Rule 120: the package may be gone.
        guard let package = DownloadPackage(at: url) else { throw MediaErrors.notAvailable }
        return ResolvedContent(content: package.content, package: package)
    }
}
