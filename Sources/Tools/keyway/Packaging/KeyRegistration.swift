import DRMSignaling
import FPSCrypto
import FileWriting
import Packager
import TextCoding
import ToolSupport

/// The new keys of a presentation, for registration with a development server and for a key file.
struct KeyRegistration {
    /// A key and its use.
    struct Entry: Sendable {
        var classes: [TrackClass]
        let key: PackagingKey
        /// The asset ID on the server: the key URI without `skd://`.
        let assetID: String
        /// The output protection that the playlists signal for the key; nil if they signal none.
        var protection: OutputProtection?

        /// The track type for the server; nil if audio and video share the key.
        var track: String? {
            guard classes.contains(.audio) else { return "video" }
            return classes.count == 1 ? "audio" : nil
        }
    }

    /// The keys that a plan uses, without duplicates.
    let entries: [Entry]

    /// Collects the keys that renditions use.
    ///
    /// - Throws: `SignalingError`.
    init(_ plan: PackagingPlan) throws {
        let template = plan.job.keyURI ?? .fairPlay
        var entries: [Entry] = []
        for rendition in plan.renditions where rendition.protection != nil {
            guard let trackClass = rendition.trackClass, let key = plan.job.keys[trackClass] else { continue }
            if let index = entries.firstIndex(where: { $0.key.keyID == key.keyID }) {
                if !entries[index].classes.contains(trackClass) { entries[index].classes.append(trackClass) }
                continue
            }
            let uri = try template.uri(keyID: key.keyID, track: trackClass.uriName, title: plan.job.title)
            let assetID = uri.hasPrefix("skd://") ? String(uri.dropFirst(6)) : uri
            let protection = plan.signaledProtection(of: trackClass)
            entries.append(Entry(classes: [trackClass], key: key, assetID: assetID, protection: protection))
        }
        self.entries = entries
    }

    /// Collects all keys of a job whose tracks are not known yet.
    ///
    /// - Throws: `SignalingError`.
    init(_ job: PackagingJob) throws {
        let template = job.keyURI ?? .fairPlay
        entries = try TrackClass.allCases.compactMap { trackClass in
            guard let key = job.keys[trackClass] else { return nil }
            let uri = try template.uri(keyID: key.keyID, track: trackClass.uriName, title: job.title)
            let assetID = uri.hasPrefix("skd://") ? String(uri.dropFirst(6)) : uri
            let protection = job.signaledProtection(of: trackClass)
            return Entry(classes: [trackClass], key: key, assetID: assetID, protection: protection)
        }
    }

    /// The keys for a registrar; their key period does not change.
    var keys: [KeyRegistrar.Key] { entries.map { KeyRegistrar.Key(entry: $0, period: nil) } }

    /// Writes the keys to a file, one `KID:KEY:IV` per line, as `keyway decrypt --key` reads them.
    func save(to file: OutputFile) throws(CommandFailure) {
        var text: [UInt8] = []
        for entry in entries {
            text += "\(entry.key.keyID.hexadecimal):\(Hexadecimal.encode(entry.key.key.reveal()))".utf8
            if let iv = entry.key.iv { text += ":\(Hexadecimal.encode(iv.reveal()))".utf8 }
            text.append(0x0A)
        }
        defer { text.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        do {
            try file.write(text)
            try file.finish()
        } catch {
            throw CommandFailure(error)
        }
    }
}
