import Foundation
import HLSPlaylist
import TextCoding

/// Where a playlist is.
enum PlaylistLocation: Hashable, Sendable {
    /// Standard input.
    case standardInput
    /// A file on this machine, by its path.
    case file(String)
    /// An http or https URL, without user information.
    case web(URL)

    /// Reads what stands on a command line.
    ///
    /// - Throws: a failure of kind usage for a URL that is neither http nor https.
    init(argument: String) throws(CommandFailure) {
        if argument == "-" {
            self = .standardInput
        } else if let url = KeyServerClient.url(argument) {
            self = .web(url.withoutUserInformation)
        } else if argument.contains("://"), !FileManager.default.fileExists(atPath: argument) {
            throw .usage(
                "\(PlaylistText.shown(argument)) is neither a file nor an http or https address",
                next: "give a path, - for standard input, or a URL"
            )
        } else {
            self = .file(argument)
        }
    }

    /// What URIs in the playlist are relative to: a path is written as a URI is, so that no character of it means more than
    /// itself.
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
                // In the first name it would end a scheme.
                case ":": result += "%3A"
                default: result.append(character)
                }
            }
            // Two slashes would begin an authority.
            return encoded.hasPrefix("/") ? "/" + encoded.drop { $0 == "/" } : encoded
        }
    }

    /// Whether it is on the web.
    var isRemote: Bool { if case .web = self { true } else { false } }

    /// What to call it in output: URLs without user information, and without query where the user did not type it.
    var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        case .web(let url): PlaylistText.cut(url.absoluteString)
        }
    }

    /// Why a playlist is not read although another one names it.
    struct Refusal: Error {
        let reason: String
    }

    /// Where a playlist is that this one names.
    ///
    /// - Parameter uri: Its URI, resolved against ``base``.
    /// - Throws: ``Refusal`` for what a playlist must not make this machine read: anything but http and https from the web;
    ///   from a file, anything but these two and files.
    func child(_ uri: String) throws(Refusal) -> PlaylistLocation {
        let scheme = URIReference.scheme(of: uri)
        switch scheme {
        case "http", "https":
            guard let url = URL(string: uri), url.host?.isEmpty == false else {
                throw Refusal(reason: "the URI is no address")
            }
            return .web(url)
        case nil, "file":
            guard !isRemote else {
                throw Refusal(reason: "a playlist from the web must not name a file of this machine")
            }
            guard !uri.hasPrefix("//"), scheme == nil || uri.dropFirst(5).hasPrefix("///") else {
                throw Refusal(reason: "the URI names a host but no way to reach it")
            }
            let path = URIReference.path(of: uri)
            let decoded = PercentEncoding.decode(path) ?? path
            guard !decoded.isEmpty, !decoded.utf8.contains(0) else { throw Refusal(reason: "the URI names no file") }
            return .file(decoded)
        default:
            throw Refusal(reason: "only http, https and files are read, and its URI begins with \(scheme ?? ""):")
        }
    }
}

extension URL {
    /// The URL without name and password.
    var withoutUserInformation: URL {
        guard user != nil || password != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }

    /// The value of an Authorization header for the name and the password in the URL; nil when there are none.
    var basicAuthorization: String? {
        guard let user else { return nil }
        let decoded = [user, password ?? ""].map { PercentEncoding.decode($0) ?? $0 }
        return "Basic " + Base64.encode(Array(decoded.joined(separator: ":").utf8))
    }

    /// Scheme, host and port, which requests with the same secrets must share.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
