import DRMSignaling
package import FPSCrypto
import HLSPlaylist

/// Keys of several periods from a file.
///
///     file    = *( line LF )
///     line    = [ "#" comment ]                  passed over
///             / key *( SP key )                  a period; the first one is number 0
///     key     = [ class "=" ] KID ":" KEY ":" IV  in hexadecimal; without a class it serves all that have no other
///     class   = "audio" / "SD" / "HD" / "UHD"
package struct KeyPeriodFile: ContentKeyPeriods {
    /// How large a file may be, in bytes.
    package static let greatestSize = 16 << 20

    private let name: String
    private let periods: [ContentKeys]

    /// Reads a file's content.
    ///
    /// - Parameter name: The file's name, for errors.
    /// - Throws: ``JobFailure`` that names the line; `SignalingError` for an invalid key. Neither holds a key.
    package init(_ content: SecretBytes, name: String) throws {
        guard content.count <= Self.greatestSize else {
            throw JobFailure("period-keys", "\(name) is larger than \(Self.greatestSize >> 20) MiB")
        }
        var bytes = content.reveal()
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        var periods: [ContentKeys] = []
        var used: Set<ContentKeyID> = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = words.first, first.first != 0x23 else { continue }
            let place = "\(name):\(index + 1)"
            let keys = try Self.keys(words, place)
            let all = Set(keys.all.map(\.key.keyID))
            guard used.isDisjoint(with: all) else {
                throw JobFailure(
                    "period-keys",
                    "\(place): a key ID stands in an earlier period: each has keys of its own"
                )
            }
            used.formUnion(all)
            periods.append(keys)
        }
        guard !periods.isEmpty else {
            throw JobFailure("period-keys", "\(name) has no keys: write KID:KEY:IV, a line each")
        }
        self.name = name
        self.periods = periods
    }

    private static func keys(_ words: [ArraySlice<UInt8>], _ place: String) throws -> ContentKeys {
        var keys = ContentKeys()
        for word in words {
            let text = String(decoding: word, as: UTF8.self)
            guard let sign = text.firstIndex(of: "=") else {
                guard keys.shared == nil else { throw JobFailure("period-keys", "\(place): two keys have no class") }
                keys.shared = try PackagingKey(parsing: text, option: place)
                continue
            }
            guard let trackClass = TrackClass(parsing: text[..<sign]), keys.classes[trackClass] == nil else {
                let known = TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw JobFailure("period-keys", "\(place): before = stands a class, each once: \(known)")
            }
            keys.classes[trackClass] = try PackagingKey(
                parsing: text[text.index(after: sign)...].description,
                option: place
            )
        }
        return keys
    }

    package func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        guard periods.indices.contains(request.number) else {
            throw KeyPeriodFailure(
                request.number,
                "\(name) has keys for \(periods.count) period\(periods.count == 1 ? "" : "s"): add lines, and start again"
            )
        }
        let start = request.start?.seconds
        return ContentKeyPeriod(number: request.number, keys: periods[request.number], start: start)
    }
}
