package import DRMSignaling
import HLSPlaylist
import SampleEncryption

/// What playlists say beyond what was written: names, and how the keys are signaled.
package struct PlaylistOptions: Sendable {
    /// What files are called.
    package var names = PackagingJob.FileNames()
    /// Whom the keys are signaled to.
    package var systems: [ProtectionSystem] = []
    /// What the URIs of keys look like.
    package var keyURI = KeyURITemplate.fairPlay
    /// What `{title}` of the key URI stands for.
    package var title: String?
    /// HDCP-LEVEL and ALLOWED-CPC.
    package var outputProtection = OutputProtectionRules.standard

    /// Options for a clear presentation.
    package init() {}

    /// Those of a job.
    package init(_ job: PackagingJob) {
        names = job.names
        systems = job.systems
        keyURI = job.keyURI ?? .fairPlay
        title = job.title
        outputProtection = job.outputProtection
    }

    /// The EXT-X-KEY tags of a rendition, one for each system, by the numbers of key periods; empty ones when it is clear.
    ///
    /// - Throws: `SignalingError`.
    func keys(of rendition: Rendition) throws -> PeriodKeys {
        guard let protection = rendition.protection, let trackClass = rendition.trackClass else { return PeriodKeys() }
        var keys = PeriodKeys(first: try self.keys(protection, trackClass, start: rendition.periodStart))
        for period in rendition.laterPeriods {
            keys.later[period.number] = try self.keys(period.protection, trackClass, start: period.start)
        }
        return keys
    }

    /// The EXT-X-KEY tags of a key.
    ///
    /// - Parameter start: When its period begins, in Unix seconds.
    /// - Throws: `SignalingError`.
    func keys(_ protection: TrackProtection, _ trackClass: TrackClass, start: Int64?) throws -> [KeyTag] {
        guard let keyID = ContentKeyID(protection.keyID) else { return [] }
        let signals = try HLSKeySignal.signals(
            to: systems,
            keyID: keyID,
            method: protection.scheme.method,
            template: keyURI,
            track: trackClass.uriName,
            title: title,
            period: start,
            // With cenc each sample has its own, in the segments.
            iv: protection.scheme == .cenc ? nil : protection.iv?.bytes
        )
        return signals.map { signal in protection.systemData.tag(for: keyID, signal.system) ?? KeyTag(signal) }
    }

    /// Whether output protection is asked for. Where the key lies open it would keep nobody from anything, so that the
    /// standard rules are not applied there; others are, since somebody wanted them.
    var isDRM: Bool {
        systems.contains { $0 != .identity } || (!systems.isEmpty && outputProtection != .standard)
    }

    /// What a variant asks of a device and of its display; nil when nothing can be asked: its video is clear.
    func outputProtection(of rendition: Rendition) -> OutputProtection? {
        guard rendition.protection != nil, isDRM, let trackClass = rendition.trackClass else { return nil }
        return outputProtection.protection(of: trackClass, variant: rendition.folder)
    }
}

/// The EXT-X-KEY tags of a rendition by the numbers of key periods.
struct PeriodKeys {
    /// Those of the first period, or of all.
    var first: [KeyTag] = []
    /// Those of others.
    var later: [Int: [KeyTag]] = [:]

    /// Those of a period.
    subscript(period: Int) -> [KeyTag] { later[period] ?? first }

    /// All of them, in order.
    var all: [KeyTag] { later.keys.sorted().reduce(first) { $0 + (later[$1] ?? []) } }
}
