/// Removes the queries of URIs in playlists, for the comparison of snapshots whose tokens change with each reload.
enum QueryRemoval {
    /// Returns a playlist without the queries in its URI lines and URI attributes. The number of lines does not change.
    static func apply(_ playlist: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(playlist.count)
        var rest = playlist[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            if line.first == UInt8(ascii: "#") {
                appendTag(line, to: &result)
            } else {
                appendURI(line, to: &result)
            }
        }
        return result
    }

    private static func appendURI(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
        guard let query = line.firstIndex(of: UInt8(ascii: "?")) else {
            result += line
            return
        }
        result += line[..<query]
        result += line[query...].drop { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    }

    private static func appendTag(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
        var rest = line
        while let open = rest.firstIndex(of: UInt8(ascii: "\"")) {
            let isURI = rest[..<open].suffix(4).elementsEqual("URI=".utf8)
            let value = rest[(open + 1)...].prefix { $0 != UInt8(ascii: "\"") }
            result += rest[...open]
            result += isURI ? value.prefix { $0 != UInt8(ascii: "?") } : value
            rest = rest[value.endIndex...]
            if !rest.isEmpty { result.append(rest.removeFirst()) }
        }
        result += rest
    }
}
