import Foundation

/// Loads media from `file:` URLs, and from nowhere else.
public struct FileMediaLoader: MediaLoader {
    /// Makes a loader.
    public init() {}

    /// Reads a file, or a range of it.
    ///
    /// - Throws: ``MediaLoadError`` `bad-address` for another scheme; `not-found`, `too-large`, `wrong-range`.
    public func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard resource.url.lowercased().hasPrefix("file:") else { throw MediaLoadError(.badAddress, resource.url) }
        guard let url = URL(string: resource.url), let handle = try? FileHandle(forReadingFrom: url) else {
            throw MediaLoadError(.notFound, resource.url)
        }
        defer { try? handle.close() }
        let limit = UInt64(clamping: resource.maximumSize)
        let wanted = resource.range.map { $0.upperBound - $0.lowerBound }
        guard wanted ?? 0 <= limit else { throw MediaLoadError(.tooLarge, resource.url) }
        // Of a whole file one byte more than is allowed, which says that it is too large.
        guard (try? handle.seek(toOffset: resource.range?.lowerBound ?? 0)) != nil,
            let data = try? handle.read(upToCount: Int(clamping: wanted ?? limit + 1))
        else { throw MediaLoadError(.wrongRange, resource.url) }
        guard wanted ?? 0 <= data.count else { throw MediaLoadError(.wrongRange, resource.url) }
        guard data.count <= limit else { throw MediaLoadError(.tooLarge, resource.url) }
        return LoadedMedia(bytes: Array(data), url: resource.url)
    }
}
