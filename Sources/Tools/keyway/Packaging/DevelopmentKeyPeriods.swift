import DRMSignaling
import FPSCrypto
import FileWriting
import Foundation
import HLSPlaylist
import Packager
import TextCoding
import ToolSupport

/// A source of new random keys for each key period.
struct DevelopmentKeyPeriods: ContentKeyPeriods {
    /// Delivers the keys before they are used.
    let deliver: @Sendable ([KeyRegistrar.Key]) async throws -> Void
    let template: KeyURITemplate
    let title: String?
    /// The output protection that the playlists signal for the keys of a class.
    let protection: @Sendable (TrackClass) -> OutputProtection?

    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        let keys = try ContentKeys.random(for: request.trackClasses)
        let start = request.start?.seconds
        var new: [KeyRegistrar.Key] = []
        for trackClass in request.trackClasses {
            guard let key = keys[trackClass], key.iv != nil else { continue }
            let uri = try template.uri(keyID: key.keyID, track: trackClass.uriName, title: title, period: start)
            let assetID = uri.hasPrefix("skd://") ? String(uri.dropFirst(6)) : uri
            let entry = KeyRegistration.Entry(
                classes: [trackClass],
                key: key,
                assetID: assetID,
                protection: protection(trackClass)
            )
            new.append(.init(entry: entry, period: request.number))
        }
        try await deliver(new)
        return ContentKeyPeriod(number: request.number, keys: keys, start: start)
    }
}

/// A source that appends the keys of each key period to a file, one `KID:KEY:IV` per line, for later decryption. Only
/// the owner can read the file. Keys of earlier runs are kept.
struct RecordedKeyPeriods: ContentKeyPeriods {
    let source: any ContentKeyPeriods
    let path: String

    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        let period = try await source.period(request)
        var text: [UInt8] = []
        defer { text.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        for (_, key) in period.keys.all {
            text += "\(key.keyID.hexadecimal):\(Hexadecimal.encode(key.key.reveal()))".utf8
            if let iv = key.iv { text += ":\(Hexadecimal.encode(iv.reveal()))".utf8 }
            text.append(0x0A)
        }
        try OutputFile.append(text, to: path, access: .owner)
        return period
    }
}
