package import DRMSignaling
import FileWriting
import Foundation

/// What is to be done, worked out from a job and from what its inputs turned out to be. Nothing has been written yet: a
/// dry run prints this.
package struct PackagingPlan {
    /// A rendition to be: one track of one input.
    package struct Rendition: Sendable {
        /// The place of its input in ``inputs`` and in the job's.
        package var input: Int
        /// The place of its track in the input.
        package var track: Int
        /// The track.
        package var media: MediaTrack
        /// Its folder below the Multivariant Playlist.
        package var folder: String
        /// Its name for people.
        package var name: String
        /// The language as a BCP 47 tag; nil: not known.
        package var language: String?
        /// The group of EXT-X-MEDIA, where the job names one.
        package var group: String?
        /// What it is for.
        package var role: TrackRole?
        /// What decides its key and its output protection; nil for subtitles.
        package var trackClass: TrackClass?
        /// How it is encrypted; nil: it stays clear, or its keys have still to come.
        package var protection: TrackProtection?
        /// Whether it is to be encrypted.
        package var isProtected: Bool
    }

    /// The job.
    package internal(set) var job: PackagingJob
    /// The inputs, opened.
    package let inputs: [any MediaInput]
    /// What becomes of their tracks, in the order of the inputs and their tracks.
    package internal(set) var renditions: [Rendition] = []

    /// When the first key period begins, in Unix seconds; nil: it has no date.
    var periodStart: Int64?

    /// Opens the inputs of a job and decides what becomes of their tracks.
    ///
    /// - Parameter open: Opens an input by its path.
    /// - Throws: ``JobFailure``, ``InputFailure``, ``FileFailure``, `SignalingError`.
    package init(_ job: PackagingJob, open: (String) throws -> any MediaInput = MediaInputs.open) throws {
        try job.validate()
        self.job = job
        inputs = try job.inputs.map { try open($0.path) }
        var folders = FolderNames()
        for (index, input) in inputs.enumerated() {
            for (place, track) in input.tracks.enumerated() where job.inputs[index].takes(track.kind) {
                renditions.append(
                    try Self.rendition(
                        of: track,
                        from: job.inputs[index],
                        job,
                        (index, place, renditions.count),
                        &folders
                    )
                )
            }
        }
        guard !renditions.isEmpty else { throw JobFailure("input", "no track of the inputs is wanted") }
        if let duration = presentationDuration { try job.checkClearLead(presentation: duration) }
        try checkManifests()
        try checkStreams()
        // A live run looks into its folder itself: it may go on there.
        if job.live == nil { try checkOutput() }
    }

    /// How many segments a rendition has at most, as far as the inputs say how long they are: segments are no shorter than
    /// is aimed for, but the last one.
    var mostSegments: Int? {
        presentationDuration.map { max(1, Int(($0.seconds / job.segmentDuration.seconds).rounded(.up))) + 2 }
    }

    /// Holds that a DASH manifest can say what will be there.
    ///
    /// - Throws: ``JobFailure``.
    private func checkManifests() throws(JobFailure) {
        guard job.manifests.contains(.dash) else { return }
        if job.isSingleFile, presentationDuration == nil {
            throw JobFailure(
                "manifests",
                "the inputs do not say how long they are, so that no room can be left for the index that DASH wants in "
                    + "single files: leave single-file out, or dash"
            )
        }
        if job.clearLead != nil, renditions.contains(where: { $0.media.kind == .subtitles }) {
            throw JobFailure(
                "manifests",
                "a clear lead makes two periods in DASH, and a file of subtitles cannot be divided: leave one of dash, the "
                    + "clear lead and the subtitles out"
            )
        }
    }

    /// Holds that inputs without an end can be packaged as the job wants it.
    ///
    /// - Throws: ``JobFailure``.
    private func checkStreams() throws(JobFailure) {
        if job.live != nil, renditions.contains(where: { $0.media.kind == .subtitles }) {
            throw JobFailure(
                "input",
                "subtitles are read as a whole, and a live presentation has no end: leave them out"
            )
        }
        guard job.live == nil, job.rotation != nil, mostPeriods == nil else { return }
        throw JobFailure(
            "rotate-keys",
            "the inputs do not say how long they are, so that nobody knows how many keys are needed: use event, which "
                + "asks for keys as they are needed"
        )
    }

    /// What has to be said of the inputs (tracks that are left out, damage), and of what a key server gave.
    package var warnings: [String] { inputs.flatMap(\.warnings) + job.keys.systemData.warnings }

    /// How long the longest track says it is; nil when none says.
    package var presentationDuration: MediaTime? {
        renditions.compactMap { rendition in
            rendition.media.duration.map {
                MediaTime(Int64(clamping: $0), timescale: rendition.media.timescale)
            }
        }.max()
    }

    private static func rendition(
        of track: MediaTrack,
        from input: PackagingJob.Input,
        _ job: PackagingJob,
        _ place: (input: Int, track: Int, rendition: Int),
        _ folders: inout FolderNames
    ) throws -> Rendition {
        try job.check(track)
        let language = input.language ?? TrackLanguage.tag(track.language)
        let known = track.kind == .video ? nil : language
        return Rendition(
            input: place.input,
            track: place.track,
            media: track,
            folder: folders.name(for: track, language: known),
            name: input.name ?? known.map(TrackLanguage.name) ?? track.kind.rawValue.capitalized,
            language: language,
            group: input.group,
            role: input.role,
            trackClass: job.trackClass(of: track, from: input),
            protection: job.awaitsKeys
                ? nil : try job.protection(of: track, from: input, number: place.rendition),
            isProtected: job.protects(track, from: input)
        )
    }

    /// Holds that nothing is replaced that was not meant to be.
    ///
    /// - Throws: ``JobFailure``.
    func checkOutput() throws {
        try checkKinds()
        guard !job.overwrites else { return }
        let unfinished = PresentationFolder.unfinished(in: job.output)
        for name in renditions.map(\.folder) + job.manifestNames
        where !unfinished.contains(name) && FileManager.default.fileExists(atPath: job.output + "/" + name) {
            throw JobFailure(
                "out",
                "\(job.output)/\(name) is there already: name another folder, or say that it may be replaced (overwrite)"
            )
        }
    }
}

extension PackagingPlan {
    /// Requires that what has the names of playlists and folders are files and folders: a link or a device that was put
    /// there would be destroyed.
    ///
    /// - Throws: ``JobFailure``.
    func checkKinds() throws {
        for (names, kind, word) in [
            (renditions.map(\.folder), S_IFDIR, "a folder"), (job.manifestNames, S_IFREG, "a file"),
        ] {
            for name in names {
                var status = stat()
                guard lstat(job.output + "/" + name, &status) == 0, status.st_mode & S_IFMT != kind else { continue }
                throw JobFailure(
                    "out",
                    "\(job.output)/\(name) is there, and is not \(word): remove it, or name another folder"
                )
            }
        }
    }
}

/// Names for the folders of renditions, each once: `video-1080`, `audio-en`, `audio-en-2`.
private struct FolderNames {
    private var taken: Set<String> = []

    mutating func name(for track: MediaTrack, language: String?) -> String {
        var base = track.kind.rawValue
        if track.kind == .video, track.height > 0 { base += "-\(track.height)" }
        if let language { base += "-" + language.lowercased() }
        var name = base
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }
}
