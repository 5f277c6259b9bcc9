import Foundation
import HLSPlaylist
import TextCoding
import ToolSupport

/// The location of a playlist.
enum PlaylistLocation: Hashable, Sendable {
    /// Standard input.
    case standardInput
    /// A file on this machine, by path.
    case file(String)
    /// An http or https URL, without user information.
    case web(URL)

    /// Parses a command-line argument.
    ///
    /// - Throws: A failure of kind `usage` for a URL that is neither http nor https.
    init(argument: String) throws(CommandFailure) {
        if argument == "-" {
            self = .standardInput
        } else if let url = URLArgument.url(argument) {
            self = .web(url.withoutUserInformation)
        } else if argument.contains("://"), !FileManager.default.fileExists(atPath: argument) {
            throw .usage(
                "\(PlaylistText.printable(argument)) is neither a file nor an http or https URL",
                next: "give a path, - for standard input, or a URL"
            )
        } else {
            self = .file(argument)
        }
    }

    /// The base of relative URIs in the playlist. A path is percent-encoded, so that no character has a special
    /// meaning.
    var base: String {
        switch self {
        case .standardInput: return ""
        case .web(let url): return url.absoluteString
        case .file(let path):
            let encoded = path.reduce(into: "") { result, character in
                switch character {
                case "%": result += "%25"
                case "?": result += "%3F"
                case "#": result += "%23"
                // In the first path segment, a colon would end a scheme.
                case ":": result += "%3A"
                default: result.append(character)
                }
            }
            // Two slashes at the beginning would start an authority.
            return encoded.hasPrefix("/") ? "/" + encoded.drop { $0 == "/" } : encoded
        }
    }

    /// True if the playlist is on the web.
    var isRemote: Bool { if case .web = self { true } else { false } }

    /// The name in output: URLs without user information and query.
    var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        case .web(let url): PlaylistText.redacted(url.absoluteString)
        }
    }

    /// The reason why a referenced playlist must not be read.
    struct Refusal: Error {
        let reason: String
    }

    /// Returns the location of a playlist that this playlist references.
    ///
    /// - Parameter uri: The URI of the playlist, resolved against ``base``.
    /// - Throws: ``Refusal`` if this machine must not read the location: a playlist from the web may reference only
    ///   http and https URLs; a local playlist may also reference files.
    func child(_ uri: String) throws(Refusal) -> PlaylistLocation {
        let scheme = URIReference.scheme(of: uri)
        switch scheme {
        case "http", "https":
            guard let url = URL(string: uri), url.host?.isEmpty == false else {
                throw Refusal(reason: "the URI has no host")
            }
            return .web(url)
        case nil, "file":
            guard !isRemote else {
                throw Refusal(reason: "a playlist from the web must not reference a local file")
            }
            guard !uri.hasPrefix("//"), scheme == nil || uri.dropFirst(5).hasPrefix("///") else {
                throw Refusal(reason: "the URI has a host, but not http or https")
            }
            let path = URIReference.path(of: uri)
            let decoded = PercentEncoding.decode(path) ?? path
            guard !decoded.isEmpty, !decoded.utf8.contains(0) else {
                throw Refusal(reason: "the path of the playlist's URI is empty or contains a null byte")
            }
            return .file(decoded)
        default:
            throw Refusal(reason: "the URI scheme \(scheme ?? "") is not supported: use http, https, or a path")
        }
    }
}

extension URL {
    /// The value of an Authorization header for the user name and password in the URL; nil if the URL has none.
    var basicAuthorization: String? {
        guard let user else { return nil }
        let decoded = [user, password ?? ""].map { PercentEncoding.decode($0) ?? $0 }
        return "Basic " + Base64.encode(Array(decoded.joined(separator: ":").utf8))
    }

    /// The scheme, host and port; secrets are sent only to the same origin.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
