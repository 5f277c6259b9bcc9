package import ArgumentParser

/// The error messages of the argument parser in the form of ours: the option, what is expected, and what is given.
package enum ParserMessage {
    /// The values that options expect, by the name of the value in the help.
    private static let expectations = [
        "account": "a name of 1 to 200 bytes",
        "asset-id": "text, or 0x and hexadecimal digits",
        "duration": "a duration with a unit, such as 90s, 10m, 2h, or PT10M",
        "filter": "type=AUDIO, group=a, language=en, or several of these separated by commas",
        "length": "a number of segments, such as 10, or a duration, such as 60s",
        "limits": "limits such as 1280x720, 3000000, or hvc1, separated by commas, or best, or all",
        "list": "values separated by commas",
        "number": "a whole number",
        "resolution": "a width and a height in pixels, such as 1280x720",
        "seconds": "a number of seconds, such as 10",
        "size": "a number of bytes, such as 5000000000, 500MB, or 2GiB",
        "time": "an ISO 8601 time with a time zone, such as 2026-12-31T20:00:00Z, or seconds since 1970",
        "url": "an http:// or https:// URL",
        "versions": "version numbers separated by commas, such as 1,2",
    ]

    /// Returns the message in lowercase and without a period at its end. A message about an invalid value starts with
    /// the option, and contains what it expects.
    static func text(_ message: String) -> String {
        guard
            let match = message.wholeMatch(
                of: /The value '(.*)' is invalid for '(?:(-\S+) )?<([^<>]+)>'(.*)/.dotMatchesNewlines()
            )
        else {
            return plain(message)
        }
        let (value, valueName, reason) = (String(match.1), String(match.3), String(match.4))
        let name = match.2.map(String.init) ?? "<\(valueName)>"
        if reason.hasPrefix(": ") { return "\(name): \(plain(String(reason.dropFirst(2))))" }
        let names = reason.matches(of: /'([^']*)'|  - (\S+)/).map { String($0.1 ?? $0.2 ?? "") }
        let known = names.isEmpty ? expectations[valueName.lowercased()] : names.joined(separator: ", ")
        // A URL may contain a password.
        if let known, valueName.lowercased() == "url" { return "\(name): expected \(known)" }
        if known == nil, let reason = OutputPath.refusal(value) { return "\(name): \(reason)" }
        let expected = known ?? "<\(valueName)>"
        return "\(name): expected \(expected), not '\(value)'"
    }

    /// Returns what an option with values of a type expects.
    ///
    /// - Parameter valueName: The name of the value in the help.
    package static func expected(_ type: any ExpressibleByArgument.Type, _ valueName: String) -> String {
        let names = type.allValueStrings
        return names.isEmpty ? expectations[valueName] ?? "<\(valueName)>" : names.joined(separator: ", ")
    }

    private static func plain(_ message: String) -> String {
        var message = message
        if message.hasSuffix("."), !message.hasSuffix(".."), !message.dropLast().contains(". ") { message.removeLast() }
        let start = message.prefix(2)
        guard start.first?.isUppercase == true, start.last?.isLowercase == true else { return message }
        return message.prefix(1).lowercased() + message.dropFirst()
    }
}
