import Foundation

/// A difference between a file of a bundle and its state when the download was complete.
public struct BundleDifference: Sendable, Hashable, CustomStringConvertible {
    /// The kind of difference.
    public enum Kind: Sendable, Hashable {
        /// The file does not exist.
        case missing
        /// The length differs, in bytes.
        case length(found: UInt64, expected: UInt64)
        /// The length is correct, but bytes have changed.
        case changed
        /// The file cannot be read, or is not a regular file; the value is the reason.
        case unreadable(String)
    }

    /// The path of the file in the bundle.
    public let file: String
    /// The kind of difference.
    public let kind: Kind

    /// The stable name of the kind: `missing`, `shortened`, `lengthened`, `changed` or `unreadable`.
    public var code: String {
        switch kind {
        case .missing: "missing"
        case .length(let found, let expected): found < expected ? "shortened" : "lengthened"
        case .changed: "changed"
        case .unreadable: "unreadable"
        }
    }

    /// The file and the difference, on one line.
    public var description: String { "\(file): \(explanation)" }

    /// The difference, without the file.
    public var explanation: String {
        switch kind {
        case .missing: "missing"
        case .length(let found, let expected): "\(code): \(found) bytes, expected \(expected)"
        case .changed: "changed"
        case .unreadable(let reason): "unreadable: \(reason)"
        }
    }
}

extension AssetBundle {
    /// The files to read when a bundle is compared with its description.
    public enum Comparison: Sendable, Hashable {
        /// All files are read completely.
        case contents
        /// Lengths are compared. A media file is read only if it is newer than the description, which is written last:
        /// then the file was changed after the download.
        case attributes
    }

    /// Compares the files of a bundle with its description, and returns all differences, in the order of the description.
    /// Media files that are not complete yet are not compared.
    ///
    /// - Parameter progress: A function that is called with the number of compared files and the total.
    public func differences(
        _ comparison: Comparison,
        progress: (Int, Int) -> Void = { _, _ in }
    ) -> [BundleDifference] {
        let files = BundleFolder(folder)
        let written = files.modificationTime(of: Self.descriptionFile)
        let total = description.playlists.count + description.resources.count
        var (differences, count): ([BundleDifference], Int) = ([], 0)
        func check(_ file: String, _ difference: () throws(AssetBundleError) -> BundleDifference.Kind?) {
            do throws(AssetBundleError) {
                if let kind = try difference() { differences.append(BundleDifference(file: file, kind: kind)) }
            } catch {
                let kind: BundleDifference.Kind = error.code == .missing ? .missing : .unreadable(error.reason)
                differences.append(BundleDifference(file: file, kind: kind))
            }
            count += 1
            progress(count, total)
        }
        for playlist in description.playlists {
            check(playlist.file) { () throws(AssetBundleError) in
                try files.content(of: playlist.file).sha256 == playlist.sha256 ? nil : .changed
            }
        }
        for resource in description.resources {
            check(resource.file) { () throws(AssetBundleError) in
                guard let expected = resource.content else { return nil }
                if comparison == .attributes, files.length(of: resource.file) == expected.length,
                    let written, let modified = files.modificationTime(of: resource.file), modified <= written
                {
                    return nil
                }
                let found = try files.content(of: resource.file)
                guard found.length == expected.length else {
                    return .length(found: found.length, expected: expected.length)
                }
                return found == expected ? nil : .changed
            }
        }
        return differences
    }
}

extension BundleFolder {
    /// Returns the time of the last change of a file's contents, in nanoseconds since 1970; nil if there is no file.
    func modificationTime(of file: String) -> Int64? {
        var status = stat()
        guard lstat(path(of: file), &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
