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
        let range = resource.range
        let wanted = range.map { $0.upperBound - $0.lowerBound } ?? UInt64(resource.maximumSize) + 1
        guard wanted <= UInt64(resource.maximumSize) + 1 else { throw MediaLoadError(.tooLarge, resource.url) }
        guard (try? handle.seek(toOffset: range?.lowerBound ?? 0)) != nil,
            let data = try? handle.read(upToCount: Int(wanted))
        else { throw MediaLoadError(.wrongRange, resource.url) }
        if range == nil, data.count > resource.maximumSize { throw MediaLoadError(.tooLarge, resource.url) }
        if range != nil, UInt64(data.count) != wanted { throw MediaLoadError(.wrongRange, resource.url) }
        return LoadedMedia(bytes: Array(data), url: resource.url)
    }
}
