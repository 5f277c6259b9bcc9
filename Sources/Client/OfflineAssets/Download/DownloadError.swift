public import StreamPlayer

/// An error that prevents or stops a download. Complete files are kept, and the download can be resumed unless the
/// table states otherwise.
public struct DownloadError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    ///
    /// | Code | Meaning | Effect of another run |
    /// |---|---|---|
    /// | `load` | a playlist or a segment could not be loaded, after all retries | resumes |
    /// | `playlist` | a playlist is invalid | resumes after it is corrected |
    /// | `live` | the playlist has no EXT-X-ENDLIST: the stream has not ended | resumes after the end, or see ``AssetDownload/Request/assumesEnd`` |
    /// | `no-variant`, `no-rendition` | no variant or rendition matches the selection | needs another selection |
    /// | `limit` | a limit of ``DownloadLimits`` is exceeded | needs other limits |
    /// | `keys` | keys are refused, or do not decrypt the media | requests the keys again |
    /// | `disk-full` | the disk is full | resumes after space is freed |
    /// | `storage` | the bundle's folder cannot be read or written | resumes after that is corrected |
    /// | `not-media` | the server returned something other than media, such as an HTML page, or media without its end | downloads the file again |
    /// | `changed-on-server` | a resource has changed during the download | restarts, in another folder |
    /// | `no-ranges` | the server ignores byte ranges, and the wanted range is too far inside | fails again |
    /// | `other-bundle` | the folder contains other files or another download | needs another folder |
    /// | `busy` | another process downloads into the folder | resumes when that has finished |
    /// | `damaged` | a file of the bundle has changed since it was written | downloads the file again |
    /// | `cancelled` | the download was cancelled | resumes |
    public enum Code: String, Sendable, CaseIterable {
        case load, playlist, live, limit, keys, storage, busy, damaged, cancelled
        case noVariant = "no-variant"
        case noRendition = "no-rendition"
        case diskFull = "disk-full"
        case notMedia = "not-media"
        case changedOnServer = "changed-on-server"
        case noRanges = "no-ranges"
        case otherBundle = "other-bundle"
    }

    /// The kind of error.
    public let code: Code
    /// The location of the error: a URL without user information, query and fragment, a file of the bundle, or a key
    /// URI.
    public let place: String
    /// A description of the error and what to do about it.
    public let reason: String
    /// The error of the loader, for the code `load`.
    public let load: MediaLoadError?

    /// Creates an error for a local file or a key.
    init(_ code: Code, _ place: String, _ reason: String) {
        (self.code, self.place, self.reason, load) = (code, place, reason, nil)
    }

    /// Creates an error for a URL, which is shortened because it may contain a token.
    init(_ code: Code, url: String, _ reason: String) {
        self.init(code, MediaLoadError(.badAddress, url).place, reason)
    }

    init(_ load: MediaLoadError) {
        (code, place, self.load) = (load.code == .cancelled ? .cancelled : .load, load.place, load)
        let status = load.status.map { "status \($0)" }
        reason =
            switch load.code {
            case .noConnection: load.explanation
            case .deadline: "the response did not arrive in time, or too slowly"
            case .tooLarge: "the resource exceeds the size limit"
            case .badAddress: "the URL must be an HTTP or HTTPS URL"
            case .notFound: "the resource does not exist" + (status.map { " (\($0))" } ?? "")
            case .status: status ?? "an error status"
            case .wrongRange: "the server returned other bytes than requested"
            case .damaged: "the file has changed"
            case .redirects, .untrusted, .encoding: load.explanation
            case .cancelled, .abandoned: "the download was cancelled"
            }
    }

    /// True if the server rejects a URL with 401, 403 or 410, even after the playlists were reloaded: its signature may
    /// have expired.
    public var isRefusedAddress: Bool { load?.isRefusedAddress ?? false }

    /// The location and the reason, on one line.
    public var description: String { "\(place): \(reason)" }
}
