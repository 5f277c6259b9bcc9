import DRMSignaling
import Foundation

extension PackagingJob {
    /// How long segments may be aimed to be, in seconds.
    package static let segmentDurations: ClosedRange<Double> = 0.5...60

    /// Holds that the job does not contradict itself. Of files only the paths are looked at.
    ///
    /// - Throws: ``JobFailure``, which says what to do; `SignalingError` about keys and their URIs.
    package func validate() throws {
        try checkInputs()
        try checkOutput()
        try checkNames()
        try checkManifests()
        guard Self.segmentDurations.contains(segmentDuration.seconds) else {
            throw JobFailure("segment-duration", "it is a number of seconds from 0.5 to 60; 6 is what Apple advises")
        }
        try checkLive()
        guard let scheme else { return try checkClear() }
        try checkScheme(scheme)
        try checkRotation(scheme)
        if awaitsKeys {
            guard keys.isEmpty else {
                throw JobFailure("keys", "keys are given, and fetched as well: leave one of the two out")
            }
        } else {
            try checkKeys(period: nil)
        }
        if let clearLead, clearLead <= .zero {
            throw JobFailure("clear-lead", "it is a number of seconds above 0; leave it out to encrypt all")
        }
    }

    private func checkInputs() throws(JobFailure) {
        guard !inputs.isEmpty else { throw JobFailure("input", "there is none: name a file") }
        var taken: [String: Set<MediaTrack.Kind>] = [:]
        for input in inputs {
            let kinds = input.tracks ?? Set(MediaTrack.Kind.allCases)
            let earlier = taken[input.path] ?? []
            if !earlier.isDisjoint(with: kinds) {
                let name = input.isStandardInput ? "standard input" : input.path
                throw JobFailure(
                    "input",
                    "\(name) is given twice, and would be packaged twice: leave one out, or divide its tracks with "
                        + "tracks=video and tracks=audio"
                )
            }
            if input.isStandardInput, !earlier.isEmpty {
                throw JobFailure("input", "standard input can be read but once: give it without tracks=")
            }
            taken[input.path] = earlier.union(kinds)
        }
    }

    /// Holds that writing does not destroy what is read.
    private func checkOutput() throws(JobFailure) {
        guard !output.isEmpty else { throw JobFailure("out", "there is no output folder: name one") }
        guard output != "-" else {
            throw JobFailure("out", "a presentation is many files and cannot go to standard output: name a folder")
        }
        let folder = Self.resolved(output)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), !isFolder.boolValue {
            throw JobFailure("out", "\(output) is a file: name a folder, which is made when it is not there")
        }
        for input in inputs where !input.isStandardInput {
            let path = Self.resolved(input.path)
            guard path != folder else {
                throw JobFailure("out", "\(output) is the input: name another folder")
            }
            // Folders of renditions are replaced whole; a file right in the output folder is left alone.
            let inner = folder == "/" ? "/" : folder + "/"
            guard path.hasPrefix(inner) else { continue }
            if path.dropFirst(inner.count).contains("/") {
                throw JobFailure(
                    "out",
                    "the input \(input.path) lies in a folder below \(output), which packaging may replace: name another "
                        + "output folder"
                )
            }
            if path.dropFirst(inner.count) == names.multivariant {
                throw JobFailure("out", "the input \(input.path) would be overwritten: name another output folder")
            }
        }
    }

    private func checkNames() throws(JobFailure) {
        let fields = [
            ("main playlist", names.multivariant), ("DASH manifest", names.dash), ("media playlist", names.media),
            ("I-frame playlist", names.iFrames ?? "x"), ("segments", names.segmentPrefix + "1"),
        ]
        for (what, name) in fields {
            guard !name.isEmpty, !name.hasPrefix("."), name.utf8.allSatisfy(Self.isFileNameByte) else {
                throw JobFailure(
                    nil,
                    "“\(name)” cannot be the name of the \(what): letters, digits, hyphens, underscores and full stops make a "
                        + "name that is the same as a file and in a URI"
                )
            }
        }
        guard names.iFrames != names.media else {
            throw JobFailure(nil, "the media playlist and the I-frame playlist have one name, \(names.media): give two")
        }
    }

    /// Holds that DASH has a place for what is asked for.
    private func checkManifests() throws(JobFailure) {
        guard !manifests.isEmpty else { throw JobFailure("manifests", "there is none: name hls, dash or both") }
        guard manifests.contains(.dash) else { return }
        guard container == .fmp4 else {
            throw JobFailure("manifests", "DASH has fragmented MP4 here: use the container fmp4, or hls alone")
        }
        guard scheme != .aes128 else {
            throw JobFailure(
                "manifests",
                "DASH has no whole segments that are encrypted: use cbcs or cenc, or hls alone"
            )
        }
        guard !systems.contains(.identity) else {
            throw JobFailure(
                "manifests",
                "DASH has no place for the address of an identity key: name other systems, or hls alone"
            )
        }
    }

    /// What an unencrypted presentation must not have.
    private func checkClear() throws(JobFailure) {
        guard keys.isEmpty else {
            throw JobFailure("scheme", "it is none, and there are keys: name a scheme, or leave the keys out")
        }
        guard clearLead == nil else {
            throw JobFailure("clear-lead", "all is clear with the scheme none: leave it out, or name a scheme")
        }
        guard systems.isEmpty else {
            throw JobFailure("systems", "the scheme none has no key to signal: leave it out, or name a scheme")
        }
    }

    private func checkScheme(_ scheme: TrackProtection.Scheme) throws(JobFailure) {
        switch (scheme, container) {
        case (.cbcs, .ts), (.cenc, .ts):
            throw JobFailure(
                "scheme",
                "\(scheme.rawValue) encrypts the samples of fragmented MP4: use the container fmp4, or the scheme sample-aes in ts"
            )
        case (.sampleAES, .fmp4):
            throw JobFailure(
                "scheme",
                "sample-aes encrypts the samples of transport streams: use the container ts, or the scheme cbcs in fmp4"
            )
        case (.cbcs, .fmp4), (.cenc, .fmp4), (.sampleAES, .ts), (.aes128, _): break
        }
        guard !systems.isEmpty else {
            throw JobFailure(
                "systems",
                "nobody is told how to get the keys: name one of "
                    + ProtectionSystem.known.map(\.name).joined(separator: ", ")
            )
        }
        if scheme == .cenc, systems.contains(.fairPlay) {
            throw JobFailure(
                "systems",
                "FairPlay does not decrypt cenc: use the scheme cbcs, which Widevine and PlayReady decrypt as well, or leave "
                    + "fairplay out"
            )
        }
        guard ivSize == 8 || ivSize == 16 else {
            throw JobFailure("iv-size", "the initialization vectors of cenc have 8 or 16 bytes")
        }
        for system in systems where scheme == .aes128 && system != .identity {
            throw JobFailure(
                "systems",
                "\(system.name) does not decrypt whole segments: use the scheme cbcs (fmp4) or sample-aes (ts), or the system "
                    + "identity, which hands out the key itself"
            )
        }
        let allowed: [ProtectionSystem] = [.fairPlay, .identity]
        if scheme == .sampleAES, let system = systems.first(where: { !allowed.contains($0) }) {
            throw JobFailure(
                "systems",
                "\(system.name) does not decrypt transport streams: use cbcs in fmp4, or leave \(system.name) out"
            )
        }
    }

    /// The path without links, as far as it exists, and without dots.
    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    private static func isFileNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

extension TrackClass {
    /// What `{track}` of a key URI stands for: `audio`, `sd`, `hd`, `uhd`.
    package var uriName: String { rawValue.lowercased() }
}
