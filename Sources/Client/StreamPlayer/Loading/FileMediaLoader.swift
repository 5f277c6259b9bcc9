import Foundation

/// A loader of media from `file:` URLs only.
public struct FileMediaLoader: MediaLoader {
    /// Creates a loader.
    public init() {}

    /// Reads a file or a byte range of it.
    ///
    /// - Throws: ``MediaLoadError`` `bad-address` for another scheme; `not-found`, `too-large` or `wrong-range`.
    public func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard resource.url.lowercased().hasPrefix("file:") else { throw MediaLoadError(.badAddress, resource.url) }
        var isFolder: ObjCBool = false
        guard let url = URL(string: resource.url),
            FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue,
            let handle = try? FileHandle(forReadingFrom: url)
        else { throw MediaLoadError(.notFound, resource.url) }
        defer { try? handle.close() }
        let limit = UInt64(clamping: resource.maximumSize)
        let wanted = resource.range.map { $0.upperBound - $0.lowerBound }
        guard wanted ?? 0 <= limit else { throw MediaLoadError(.tooLarge, resource.url) }
        // Of a whole file, one byte more than the limit is read to detect a file that is too large.
        guard (try? handle.seek(toOffset: resource.range?.lowerBound ?? 0)) != nil,
            let data = try? handle.read(upToCount: Int(clamping: wanted ?? limit + 1))
        else { throw MediaLoadError(.wrongRange, resource.url) }
        guard wanted ?? 0 <= data.count else { throw MediaLoadError(.wrongRange, resource.url) }
        guard data.count <= limit else { throw MediaLoadError(.tooLarge, resource.url) }
        return LoadedMedia(bytes: Array(data), url: resource.url)
    }
}
