import DRMSignaling
package import FPSCrypto
import HLSPlaylist
import TextCoding

/// The keys of several periods, from a file.
///
///     file    = *( line LF )
///     line    = [ "#" comment ]                  ignored
///             / key *( SP key )                  a period; the first one is number 0
///     key     = [ class "=" ] KID ":" KEY ":" IV  in hexadecimal; without a class, for all classes without a key
///     class   = "audio" / "SD" / "HD" / "UHD"
package struct KeyPeriodFile: ContentKeyPeriods {
    /// The maximum size of the file in bytes.
    package static let maximumSize = 16 << 20

    private let name: String
    private let periods: [ContentKeys]

    /// Parses the content of a file.
    ///
    /// - Parameter name: The file's name, for errors.
    /// - Throws: ``JobFailure`` with the line number; `SignalingError` for an invalid key. Neither contains a key.
    package init(_ content: SecretBytes, name: String) throws {
        guard content.count <= Self.maximumSize else {
            throw JobFailure("period-keys", "\(name) is larger than \(Self.maximumSize >> 20) MiB")
        }
        var bytes = content.reveal()
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        var periods: [ContentKeys] = []
        var used: Set<ContentKeyID> = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = words.first, first.first != 0x23 else { continue }
            let location = "\(name):\(index + 1)"
            let keys = try Self.keys(words, location)
            let all = Set(keys.all.map(\.key.keyID))
            guard used.isDisjoint(with: all) else {
                throw JobFailure(
                    "period-keys",
                    "\(location): a key ID is also used in an earlier period: every period needs different keys"
                )
            }
            used.formUnion(all)
            periods.append(keys)
        }
        guard !periods.isEmpty else {
            throw JobFailure("period-keys", "\(name) contains no keys: write one period per line, as KID:KEY:IV")
        }
        self.name = name
        self.periods = periods
    }

    private static func keys(_ words: [ArraySlice<UInt8>], _ location: String) throws -> ContentKeys {
        var keys = ContentKeys()
        for word in words {
            let text = String(decoding: word, as: UTF8.self)
            guard let sign = text.firstIndex(of: "=") else {
                guard keys.shared == nil else {
                    throw JobFailure(
                        "period-keys",
                        "\(location): two keys have no class: write CLASS= before at least one"
                    )
                }
                keys.shared = try PackagingKey(parsing: text, option: location)
                continue
            }
            guard let trackClass = TrackClass(parsing: text[..<sign]), keys.classes[trackClass] == nil else {
                let known = TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw JobFailure(
                    "period-keys",
                    "\(location): the text before = must be a class, used once per line: \(known)"
                )
            }
            keys.classes[trackClass] = try PackagingKey(
                parsing: text[text.index(after: sign)...].description,
                option: location
            )
        }
        return keys
    }

    package func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        guard periods.indices.contains(request.number) else {
            throw KeyPeriodFailure(
                request.number,
                "\(name) has keys for only \(counted(periods.count, "period")): add lines to the "
                    + "file and restart"
            )
        }
        let start = request.start?.seconds
        return ContentKeyPeriod(number: request.number, keys: periods[request.number], start: start)
    }
}
