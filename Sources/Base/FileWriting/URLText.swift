/// The refusal of URLs where the path of a file is expected: opening one fails with a reason that does not help, and
/// writing to one would create folders of that name.
package enum URLText {
    /// Returns the scheme of a URL with an authority, such as `s3` for `s3://bucket/film.mp4`; nil for a path.
    package static func scheme(of text: String) -> String? {
        guard let end = text.firstRange(of: "://")?.lowerBound, let first = text.first, first.isASCII, first.isLetter
        else {
            return nil
        }
        let scheme = text[..<end]
        let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        return isScheme ? scheme.lowercased() : nil
    }

    /// Returns why a URL cannot be an input, and what to give instead; nil for a path.
    package static func refusal(ofInput text: String) -> String? {
        guard let scheme = scheme(of: text) else { return nil }
        let advice =
            switch scheme {
            case "file": filePath(of: text)
            case "http", "https", "ftp", "ftps": "download it first (curl -O \(text))"
            case "s3": "download it first (aws s3 cp \(text) .)"
            case "gs": "download it first (gcloud storage cp \(text) .)"
            case "udp", "rtp":
                "only keyway package --live receives from the network"
            case "rtmp", "rtmps", "rtsp", "srt", "tcp":
                "receive it with another program and give its output as a named pipe or standard input"
            default: "download it first"
            }
        return "\(text) is a URL, but input is read from files: \(advice)"
    }

    /// Returns why a URL cannot be an output, and what to give instead; nil for a path.
    package static func refusal(ofOutput text: String) -> String? {
        guard let scheme = scheme(of: text) else { return nil }
        let advice =
            switch scheme {
            case "file": filePath(of: text)
            case "s3": "give a path, and upload from there (aws s3 cp --recursive PATH \(text))"
            default: "give a path, and upload from there"
            }
        return "\(text) looks like a URL, but output is written to files: \(advice)"
    }

    private static func filePath(of text: String) -> String {
        let rest = text.dropFirst("file://".count)
        return rest.hasPrefix("/") ? "give the path \(rest)" : "give the path"
    }
}
