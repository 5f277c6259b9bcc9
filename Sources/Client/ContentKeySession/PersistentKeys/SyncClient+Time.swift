import TextCoding

extension SyncClient {
    /// Returns the server's time from the Date field of a response (RFC 9110, section 6.6.1), in seconds since 1970.
    ///
    /// The time is used only if an attacker between the device and the server cannot have written it: over TLS, which
    /// authenticates the server, or from this computer. The request is a POST, which caches do not answer. The status of
    /// the response does not matter.
    ///
    /// - Throws: ``OfflineKeyError`` `unauthenticated-time`, `no-connection`, `no-token`, or `malformed-response`.
    package func serverTime() async throws(OfflineKeyError) -> Int64 {
        let place = service.challengeURL
        guard Self.isAuthenticated(place) else {
            throw OfflineKeyError(
                code: "unauthenticated-time",
                place: place,
                reason: "the time of a server is accepted only over https, or from this computer"
            )
        }
        let response = try await response(.post, place, [], purpose: .license, place: place)
        guard let date = response.header("Date"), let time = Self.seconds(httpDate: date) else {
            throw OfflineKeyError(
                code: "malformed-response",
                place: place,
                reason: "the response does not contain the server's time (Date)"
            )
        }
        return time
    }

    /// Returns whether responses from a URL cannot be altered on the network.
    static func isAuthenticated(_ url: String) -> Bool {
        guard let origin = URLOrigin(url)?.description else { return false }
        if origin.hasPrefix("https://") { return true }
        // User information in the URL is not part of the host.
        guard !origin.contains("@") else { return false }
        let host = origin.dropFirst("http://".count)
        if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
        let name = host.prefix { $0 != ":" }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return name == "localhost" || (parts.count == 4 && parts.first == 127 && !parts.contains(nil))
    }

    /// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7), the only form that servers may
    /// write; nil for any other text.
    static func seconds(httpDate text: String) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(words[3])-\(number)-\(words[1])T\(words[4])Z")?.seconds
    }
}
