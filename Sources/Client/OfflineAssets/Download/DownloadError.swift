public import StreamPlayer

/// Why a download does not begin, or has stopped. What is complete by then stays, and the download may be resumed but where
/// the table says otherwise.
public struct DownloadError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    ///
    /// | Code | Means | Run again |
    /// |---|---|---|
    /// | `load` | a playlist or a segment does not come, after all tries | goes on |
    /// | `playlist` | a playlist cannot be read, or is none | once it is mended |
    /// | `live` | it has no EXT-X-ENDLIST: it is not over | when it is |
    /// | `no-variant`, `no-rendition` | nothing there is as the selection wants it | with another selection |
    /// | `limit` | it is larger than ``DownloadLimits`` let it be | with other limits |
    /// | `keys` | keys are refused, or do not open what was downloaded | asks again |
    /// | `disk-full` | no space is left | goes on once there is |
    /// | `storage` | the bundle's folder cannot be read or written | once it can |
    /// | `changed-on-server` | a resource had other bytes when it was asked for a second time | anew, in another folder |
    /// | `no-ranges` | the server sends whole files where a part far inside is wanted | no |
    /// | `other-bundle` | the folder holds something else, or a download that was begun otherwise | in another folder |
    /// | `busy` | another process downloads into the folder | later |
    /// | `damaged` | a file of the bundle is not as it was written | its file is fetched again |
    /// | `cancelled` | somebody stopped it | goes on |
    public enum Code: String, Sendable, CaseIterable {
        case load, playlist, live, limit, keys, storage, busy, damaged, cancelled
        case noVariant = "no-variant"
        case noRendition = "no-rendition"
        case diskFull = "disk-full"
        case changedOnServer = "changed-on-server"
        case noRanges = "no-ranges"
        case otherBundle = "other-bundle"
    }

    /// What went wrong.
    public let code: Code
    /// Where: a URL without user, query and fragment, a file of the bundle, a key's URI.
    public let place: String
    /// What is wrong, and what can be done about it.
    public let reason: String
    /// What the loader said, with `load`.
    public let load: MediaLoadError?

    /// Makes an error about a file of this machine, or a key.
    init(_ code: Code, _ place: String, _ reason: String) {
        (self.code, self.place, self.reason, load) = (code, place, reason, nil)
    }

    /// Makes an error about a URL, which is shown without what may hold a token.
    init(_ code: Code, url: String, _ reason: String) {
        self.init(code, MediaLoadError(.badAddress, url).place, reason)
    }

    init(_ load: MediaLoadError) {
        (code, place, self.load) = (load.code == .cancelled ? .cancelled : .load, load.place, load)
        let status = load.status.map { "status \($0)" }
        reason =
            switch load.code {
            case .noConnection: "there is no connection, or it broke off"
            case .deadline: "the answer does not come, or hardly"
            case .tooLarge: "it is larger than what is taken"
            case .badAddress: "it is no address of a web server"
            case .notFound: "it is not there" + (status.map { " (\($0))" } ?? "")
            case .status: status ?? "an error"
            case .wrongRange: "the server sends other bytes than were asked for"
            case .cancelled, .abandoned: "it was stopped"
            }
    }

    /// Whether the server does not take an address, also after its playlists were loaded again: 401, 403 or 410. A URL that
    /// is signed may have ended.
    public var isRefusedAddress: Bool { load?.isRefusedAddress ?? false }

    /// One line.
    public var description: String { "\(place): \(reason)" }
}
