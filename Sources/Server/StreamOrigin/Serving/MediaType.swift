/// The kinds of files that the origin serves and accepts: what a packager writes for players. Other files in the folder
/// do not exist for clients.
enum MediaType {
    /// Returns the content type of a path by its extension; nil if such files are not served.
    static func contentType(of path: some StringProtocol) -> String? {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        return contentTypes[path[path.index(after: dot)...].lowercased()]
    }

    private static let contentTypes = [
        "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml", "mp4": "video/mp4",
        "m4s": "video/iso.segment", "m4v": "video/mp4", "m4a": "audio/mp4", "cmfv": "video/mp4", "cmfa": "audio/mp4",
        "cmft": "application/mp4", "ts": "video/mp2t", "aac": "audio/aac", "ac3": "audio/ac3", "ec3": "audio/eac3",
        "mp3": "audio/mpeg", "vtt": "text/vtt", "webvtt": "text/vtt", "json": "application/json", "jpg": "image/jpeg",
        "jpeg": "image/jpeg", "png": "image/png",
    ]
}
