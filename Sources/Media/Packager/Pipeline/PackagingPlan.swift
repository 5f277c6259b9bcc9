package import DRMSignaling
import FileWriting
import Foundation

/// A packaging plan: the inputs of a job and the renditions to write. Nothing has been written yet; a dry run prints
/// the plan.
package struct PackagingPlan {
    /// A planned rendition: one track of one input.
    package struct Rendition: Sendable {
        /// The index of its input in ``inputs`` and in the job's inputs.
        package var input: Int
        /// The index of its track in the input.
        package var track: Int
        /// The track.
        package var media: MediaTrack
        /// The name of its folder, relative to the Multivariant Playlist.
        package var folder: String
        /// The name shown to viewers.
        package var name: String
        /// The language as a BCP 47 tag; nil if unknown.
        package var language: String?
        /// The rendition group in EXT-X-MEDIA; nil if the job specifies none.
        package var group: String?
        /// The role; nil if none is signaled.
        package var role: TrackRole?
        /// The class that determines its key and its output protection; nil for subtitles.
        package var trackClass: TrackClass?
        /// The encryption; nil if the rendition stays clear, or its keys have not arrived.
        package var protection: TrackProtection?
        /// True if the rendition is to be encrypted.
        package var isProtected: Bool
    }

    /// The job.
    package internal(set) var job: PackagingJob
    /// The open inputs.
    package let inputs: [any MediaInput]
    /// The renditions to write, in the order of the inputs and their tracks.
    package internal(set) var renditions: [Rendition] = []

    /// The start of the first key period in Unix seconds; nil if it has no date.
    var periodStart: Int64?

    /// Opens the inputs of a job and plans the renditions of their tracks.
    ///
    /// - Parameter open: Opens the input at a path.
    /// - Throws: ``JobFailure``, ``InputFailure``, ``OmissionFailure``, ``FileError``, `SignalingError`.
    package init(_ job: PackagingJob, open: (String) throws -> any MediaInput = MediaInputs.open) throws {
        try job.validate()
        self.job = job
        inputs = try job.inputs.map { try open($0.path) }
        var folders = FolderNames()
        for (index, input) in inputs.enumerated() {
            for (trackIndex, track) in input.tracks.enumerated() where job.inputs[index].includes(track.kind) {
                renditions.append(
                    try Self.rendition(
                        of: track,
                        from: job.inputs[index],
                        job,
                        (index, trackIndex, renditions.count),
                        &folders
                    )
                )
            }
        }
        try checkOmissions()
        guard !renditions.isEmpty else {
            throw JobFailure("input", "the inputs have no track of the selected kinds: change tracks=")
        }
        if let duration = presentationDuration { try job.checkClearLead(presentation: duration) }
        try checkManifests()
        try checkStreams()
        // A live run checks its folder itself, because it may continue there.
        if job.live == nil { try checkOutput() }
    }

    /// The maximum number of segments of a rendition, from the durations in the inputs; nil if unknown. Only the last
    /// segment may be shorter than the target duration.
    var maximumSegments: Int? {
        presentationDuration.map { max(1, Int(($0.seconds / job.segmentDuration.seconds).rounded(.up))) + 2 }
    }

    /// Checks that a DASH manifest can describe the output.
    ///
    /// - Throws: ``JobFailure``.
    private func checkManifests() throws(JobFailure) {
        guard job.manifests.contains(.dash) else { return }
        if job.isSingleFile, presentationDuration == nil {
            throw JobFailure(
                "manifests",
                "the inputs do not specify their durations, so no space can be reserved for the segment index that "
                    + "DASH requires in single files: remove single-file, or dash"
            )
        }
    }

    /// Checks that the inputs can be packaged live or with key rotation, as the job requires.
    ///
    /// - Throws: ``JobFailure``.
    private func checkStreams() throws(JobFailure) {
        if job.live != nil, renditions.contains(where: { $0.media.kind == .subtitles }) {
            throw JobFailure(
                "input",
                "subtitle files are read as a whole, which a live presentation does not support: remove them"
            )
        }
        guard job.live == nil, job.rotation != nil, maximumPeriods == nil else { return }
        throw JobFailure(
            "rotate-keys",
            "the inputs do not specify their durations, so the number of keys is unknown: use event, which "
                + "requests keys as they are needed"
        )
    }

    /// The warnings about the inputs (skipped tracks, damage), and about the data from a key server.
    package var warnings: [String] {
        inputs.flatMap(\.warnings) + omissionWarnings(of: inputs) + job.keys.systemData.warnings
            + renditions.flatMap { rendition in
                rendition.media.notes.map { "\(inputs[rendition.input].name): \($0)" }
            }
    }

    /// Returns a warning for each omission of the selected kinds.
    ///
    /// - Parameter inputs: The inputs of the plan, or those with which the presentation continues.
    func omissionWarnings(of inputs: [any MediaInput]) -> [String] {
        zip(inputs, job.inputs).flatMap { input, selection in
            input.omissions.filter { selection.includes($0.kind) }
                .map { "\(input.name): \($0.description); it is left out" }
        }
    }

    /// Checks that no video, audio or subtitles of the selected kinds are left out, unless the job permits it. Some
    /// omissions are known only when the inputs have been read to their ends.
    ///
    /// - Throws: ``OmissionFailure`` for the first input that has any.
    func checkOmissions() throws(OmissionFailure) {
        guard !job.skipsUnsupported else { return }
        for input in inputs.indices {
            let omitted = omissions(of: input)
            guard !omitted.isEmpty else { continue }
            let packaged = renditions.filter { $0.input == input }.map(\.media.kind)
            throw OmissionFailure(inputs[input].name, omitted, packaged: Set(packaged))
        }
    }

    private func omissions(of input: Int) -> [Omission] {
        inputs[input].omissions.filter { job.inputs[input].includes($0.kind) }
    }

    /// The longest duration of a track with samples, as specified in the inputs; nil if none is specified. Subtitles
    /// are cut where it ends.
    package var presentationDuration: RationalTime? {
        renditions.compactMap { rendition in
            guard rendition.media.kind != .subtitles else { return nil }
            return rendition.media.duration.map {
                RationalTime(Int64(clamping: $0), timescale: rendition.media.timescale)
            }
        }.max()
    }

    private static func rendition(
        of track: MediaTrack,
        from input: PackagingJob.Input,
        _ job: PackagingJob,
        _ indexes: (input: Int, track: Int, rendition: Int),
        _ folders: inout FolderNames
    ) throws -> Rendition {
        try job.check(track)
        let language = input.language ?? TrackLanguage.tag(track.language)
        let known = track.kind == .video ? nil : language
        return Rendition(
            input: indexes.input,
            track: indexes.track,
            media: track,
            folder: folders.name(for: track, language: known),
            name: input.name ?? track.name(language: known),
            language: language,
            group: input.group,
            role: input.role ?? track.role,
            trackClass: job.trackClass(of: track, from: input),
            protection: job.keysArriveLater
                ? nil : try job.protection(of: track, from: input, number: indexes.rendition),
            isProtected: job.protects(track, from: input)
        )
    }

    /// Checks that no existing output is replaced without permission.
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
                "\(job.output)/\(name) already exists: choose another folder, or allow replacing it (overwrite)"
            )
        }
    }
}

extension PackagingPlan {
    /// Checks that existing entries with the names of playlists and folders are files and folders: symbolic links and
    /// devices must not be replaced.
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
                    "\(job.output)/\(name) exists and is not \(word): remove it, or choose another folder"
                )
            }
        }
    }
}

/// Creates unique names for the folders of renditions: `video-1080`, `audio-en`, `audio-en-2`.
private struct FolderNames {
    private var usedNames: Set<String> = []

    mutating func name(for track: MediaTrack, language: String?) -> String {
        var base = track.kind.rawValue
        if track.kind == .video, track.height > 0 { base += "-\(track.height)" }
        if let language { base += "-" + language.lowercased() }
        var name = base
        var number = 2
        while !usedNames.insert(name).inserted {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }
}
