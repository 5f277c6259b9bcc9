import ArgumentParser
package import Foundation

/// An http or https URL on the command line, such as that of a server.
package struct URLArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The URL. It may contain a user name and a password.
    package let url: URL

    package init?(argument: String) {
        guard let url = Self.url(argument) else { return nil }
        self.url = url
    }

    /// The URL without slashes at its end, to which a path is appended.
    package var base: String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Returns the URL if the text is an http or https URL with a host.
    package static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else { return nil }
        return url
    }
}

extension URLArgument: CustomStringConvertible {
    /// The URL without user name and password.
    package var description: String { url.withoutUserInformation.absoluteString }
}

extension URL {
    /// The URL without user name and password.
    package var withoutUserInformation: URL {
        guard user != nil || password != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }
}
