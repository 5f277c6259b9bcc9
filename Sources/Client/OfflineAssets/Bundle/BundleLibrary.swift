import Foundation

/// A folder of bundles.
///
/// Only the first line of each bundle's `bundle.json` is read. It contains everything that a list shows, regardless of
/// the bundle's size.
public struct BundleLibrary: Sendable {
    /// The path of the folder.
    public let folder: String

    /// Creates a library for a folder, which does not have to exist yet.
    public init(_ folder: String) { self.folder = BundleFolder(folder).path }

    /// A bundle of the library.
    public struct Entry: Sendable, Hashable {
        /// The path of the bundle's folder.
        public let folder: String
        /// The summary of the bundle, or the error that prevents reading it.
        public let summary: Result<BundleSummary, AssetBundleError>
    }

    /// The maximum length of a first line in bytes: 1 MiB.
    static let maximumLineLength = 1 << 20

    /// Returns all bundles, sorted by folder name. Folders without a `bundle.json` are skipped; if a `bundle.json`
    /// cannot be read, the bundle is listed with the error.
    ///
    /// - Throws: ``AssetBundleError`` `storage` if the folder cannot be read. A folder that does not exist is empty.
    public func bundles() throws(AssetBundleError) -> [Entry] {
        var entries: [Entry] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        for name in try BundleFolder(folder).entries() ?? [] {
            let path = "\(folder)/\(name)"
            let file = "\(path)/\(AssetBundle.descriptionFile)"
            let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard errno != ENOENT, errno != ENOTDIR else { continue }
                let reason = String(cString: strerror(errno))
                entries.append(Entry(folder: path, summary: .failure(AssetBundleError(.storage, file, reason))))
                continue
            }
            defer { close(descriptor) }
            let summary: Result<BundleSummary, AssetBundleError>
            do throws(AssetBundleError) {
                let line = try Self.firstLine(descriptor, file, buffer)
                summary = .success(try BundleSummary(firstLine: line, place: file))
            } catch {
                summary = .failure(error)
            }
            entries.append(Entry(folder: path, summary: summary))
        }
        return entries
    }

    private static func firstLine(
        _ descriptor: Int32,
        _ file: String,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(AssetBundleError) -> [UInt8] {
        var line: [UInt8] = []
        while line.count <= maximumLineLength {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AssetBundleError(.storage, file, String(cString: strerror(errno))) }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let end = part.firstIndex(of: 0x0A) {
                line.append(contentsOf: part[..<end])
                return line
            }
            guard count > 0 else { break }
            line.append(contentsOf: part)
        }
        throw AssetBundleError(.malformed, file, "the first line is too long or does not end")
    }
}
