import DRMSignaling
import FPSCrypto
import HLSPlaylist
import MediaFormats
import Packager
import TextCoding
import ToolSupport

/// Reports of planned and completed packaging.
enum PackagingTables {
    /// Returns a report of the plan: tracks, variants, keys and files.
    static func plan(_ plan: PackagingPlan) throws -> Report {
        let playlists = try PresentationPlaylists(plan.expectedRenditions, options: PlaylistOptions(plan.job))
        var report = Report(
            kind: "packaging-plan",
            headline: "\(counted(plan.renditions.count, "rendition")) for "
                + "\(escaped(plan.job.output)); nothing is written"
        )
        report.tables = [
            settings(plan.job), tracks(plan), variants(playlists, isMeasured: false), keys(try KeyRegistration(plan)),
            files(plan, playlists),
        ]
        report.notes = plan.warnings
        return report
    }

    /// Returns a report of the completed packaging.
    static func run(_ plan: PackagingPlan, _ run: PackagingReport, seconds: Double) throws -> Report {
        let size = ByteCount.text(Double(run.bytesWritten))
        let rate = seconds > 0 ? ", \(ByteCount.text(Double(run.bytesRead) / seconds))/s" : ""
        var report = Report(
            kind: "packaging",
            headline: "\(size) in \(escaped(plan.job.output))\(rate); play \(escaped(plan.job.output))/"
                + (plan.job.manifestNames.first ?? "")
        )
        var fields: [Field] = []
        if plan.job.manifests.contains(.hls) {
            fields.append(Field("playlist", .text("\(plan.job.output)/\(plan.job.names.multivariant)")))
        }
        if plan.job.manifests.contains(.dash) {
            fields.append(Field("DASH manifest", .text("\(plan.job.output)/\(plan.job.names.dash)")))
        }
        fields.append(Field("read", .number(run.bytesRead, unit: "bytes")))
        fields.append(Field("written", .number(run.bytesWritten, unit: "bytes")))
        let output = FieldTable(title: "Output", fields: fields)
        report.tables = [output, tracks(plan), variants(run.playlists, isMeasured: true)]
        let registration = try KeyRegistration(plan)
        if !registration.entries.isEmpty { report.tables.append(keys(registration)) }
        report.notes = run.warnings
        return report
    }

    private static func settings(_ job: PackagingJob) -> FieldTable {
        var fields = [
            Field("scheme", .text(job.scheme?.rawValue ?? "none")),
            Field("container", .text(job.container.rawValue)),
            Field("single file", .flag(job.isSingleFile)),
            Field("segment duration", .decimal(job.segmentDuration.seconds, unit: "s")),
        ]
        if let clearLead = job.clearLead { fields.append(Field("clear lead", .decimal(clearLead.seconds, unit: "s"))) }
        if !job.systems.isEmpty { fields.append(Field("systems", .list(job.systems.map(\.name)))) }
        return FieldTable(title: "Settings", fields: fields)
    }

    private static func tracks(_ plan: PackagingPlan) -> FieldTable {
        let blocks = plan.renditions.map { rendition -> FieldTable in
            let media = rendition.media
            var fields = [Field("input", .text(plan.inputs[rendition.input].name))]
            fields.append(Field("codecs", .text(media.codecs)))
            switch media.kind {
            case .video:
                fields.append(Field("resolution", .text("\(media.width)x\(media.height)")))
                if let range = media.videoRange { fields.append(Field("video range", .text(range.rawValue))) }
            case .audio:
                if let channels = media.channels { fields.append(Field("channels", .text(channels))) }
                fields.append(Field("sample rate", .number(media.sampleRate, unit: "Hz")))
            case .subtitles: break
            }
            if let language = rendition.language { fields.append(Field("language", .text(language))) }
            if media.kind != .video { fields.append(Field("name", .text(rendition.name))) }
            if let role = rendition.role { fields.append(Field("role", .text(role.rawValue))) }
            if let trackClass = rendition.trackClass { fields.append(Field("class", .text(trackClass.rawValue))) }
            fields.append(Field("key ID", rendition.protection.map { .bytes($0.keyID) } ?? .text("clear")))
            let heading = [Field("folder", .text(rendition.folder)), Field("kind", .text(media.kind.rawValue))]
            return FieldTable(title: rendition.folder, heading: heading, fields: fields)
        }
        return FieldTable(title: "Tracks", blocks: blocks)
    }

    private static func variants(_ playlists: PresentationPlaylists, isMeasured: Bool) -> FieldTable {
        let blocks = playlists.multivariant.variants.map { variant -> FieldTable in
            var fields: [Field] = []
            if isMeasured {
                fields.append(Field("bandwidth", .quantity(Int64(clamping: variant.bandwidth), unit: "bit/s")))
            }
            fields.append(Field("codecs", .text(variant.codecs.joined(separator: ","))))
            if let audio = variant.streamInf.audio { fields.append(Field("audio", .text(audio))) }
            if let level = variant.hdcpLevel { fields.append(Field("HDCP", .text(level.rawValue))) }
            if let allowed = variant.allowedCPC {
                fields.append(Field("allowed CPC", .text(allowed.description)))
            }
            return FieldTable(title: variant.uri, heading: [Field("URI", .text(variant.uri))], fields: fields)
        }
        return FieldTable(title: "Variants", blocks: blocks)
    }

    /// Returns a table of key IDs and fingerprints, which identify keys without revealing them.
    private static func keys(_ registration: KeyRegistration) -> FieldTable {
        let blocks = registration.entries.map { entry in
            let classes = entry.classes.map(\.rawValue)
            return FieldTable(
                title: classes.joined(separator: ", "),
                heading: [Field("classes", .list(classes))],
                fields: [
                    Field("key ID", .bytes(entry.key.keyID.bytes)),
                    Field("fingerprint", .bytes(Report.fingerprint(of: entry.key.key))),
                ]
            )
        }
        return FieldTable(title: "Keys", blocks: blocks)
    }

    private static func files(_ plan: PackagingPlan, _ playlists: PresentationPlaylists) -> FieldTable {
        let names = plan.job.names
        let blocks = plan.renditions.map { rendition -> FieldTable in
            var files = [names.media]
            let hasIFrames = plan.job.scheme != .aes128 || rendition.protection == nil
            if rendition.media.kind == .video, hasIFrames, let iFrames = names.iFrames { files.append(iFrames) }
            let count = plan.expectedSegmentCount.map { "about \($0)" } ?? "unknown number"
            let media =
                plan.job.isSingleFile
                ? "one file with all segments" : "\(names.segmentPrefix)1, \(names.segmentPrefix)2 … (\(count))"
            return FieldTable(
                title: rendition.folder,
                heading: [Field("folder", .text(rendition.folder))],
                fields: [Field("playlists", .list(files)), Field("segments", .text(media))]
            )
        }
        return FieldTable(title: "Files", fields: [Field("playlist", .text(playlists.path))], blocks: blocks)
    }
}

extension PackagingPlan {
    /// The renditions as known before packaging: without segments.
    var expectedRenditions: [Packager.Rendition] {
        renditions.map { rendition in
            Packager.Rendition(
                track: rendition.media,
                folder: rendition.folder,
                name: rendition.name,
                language: rendition.language,
                group: rendition.group,
                role: rendition.role?.rawValue,
                protection: rendition.protection,
                policyClass: rendition.trackClass
            )
        }
    }

    /// The approximate number of segments of a rendition; nil if the duration is unknown.
    var expectedSegmentCount: Int? {
        presentationDuration.map { max(1, Int(($0.seconds / job.segmentDuration.seconds).rounded(.up))) }
    }
}
