import DRMSignaling
import FileWriting
import Foundation

extension PackagingJob {
    /// The allowed target durations of segments, in seconds.
    package static let segmentDurations: ClosedRange<Double> = 0.5...60

    /// Checks that the job's options are consistent. Only the paths of files are checked; no file is opened.
    ///
    /// - Throws: ``JobFailure``, which describes the correction; `SignalingError` for keys and their URIs.
    package func validate() throws {
        try checkInputs()
        try checkOutput()
        try checkNames()
        try checkManifests()
        try checkLicenseURLs()
        guard Self.segmentDurations.contains(segmentDuration.seconds) else {
            throw JobFailure("segment-duration", "must be from 0.5 to 60 seconds; Apple recommends 6")
        }
        try checkLive()
        guard let scheme else { return try checkClear() }
        try checkScheme(scheme)
        try checkKeyFormatVersions()
        try checkRotation(scheme)
        if keysArriveLater {
            guard keys.isEmpty else {
                throw JobFailure("keys", "keys are both given and fetched: remove one of the two options")
            }
        } else {
            try checkKeys(period: nil)
        }
        if let clearLead, clearLead <= .zero {
            throw JobFailure("clear-lead", "must be above 0; remove it to encrypt everything")
        }
    }

    private func checkInputs() throws(JobFailure) {
        guard !inputs.isEmpty else { throw JobFailure("input", "there is no input: give the path of a file") }
        var packagedKinds: [String: Set<MediaTrack.Kind>] = [:]
        for input in inputs {
            try input.checkAddress()
            if input.isFromNetwork, live?.isEvent != false {
                throw JobFailure("input", "UDP and RTP have no end, and can only be packaged with a window: use live")
            }
            let kinds = input.tracks ?? Set(MediaTrack.Kind.allCases)
            let earlier = packagedKinds[input.path] ?? []
            if !earlier.isDisjoint(with: kinds) {
                let name = input.isStandardInput ? "standard input" : input.path
                throw JobFailure(
                    "input",
                    "\(name) is given twice: remove one, or select different tracks with tracks=video and tracks=audio"
                )
            }
            if input.isStandardInput || input.isFromNetwork, !earlier.isEmpty {
                let name = input.isStandardInput ? "standard input" : input.path
                throw JobFailure("input", "\(name) can be read only once: give it once, without tracks=")
            }
            packagedKinds[input.path] = earlier.union(kinds)
        }
    }

    /// Checks that writing the output does not overwrite an input.
    private func checkOutput() throws(JobFailure) {
        guard !output.isEmpty else { throw JobFailure("out", "there is no output folder: give one") }
        if let reason = URLText.refusal(ofOutput: output) { throw JobFailure("out", reason) }
        guard output != "-" else {
            throw JobFailure(
                "out",
                "a presentation has several files and cannot be written to standard output: give a folder"
            )
        }
        let folder = Self.resolved(output)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), !isFolder.boolValue {
            throw JobFailure("out", "\(output) is a file: give a folder; it is created if it does not exist")
        }
        for input in inputs where !input.isStandardInput {
            let path = Self.resolved(input.path)
            guard path != folder else {
                throw JobFailure("out", "\(output) is the input: choose another folder")
            }
            // Rendition folders are replaced as a whole; files directly in the output folder are kept.
            let inner = folder == "/" ? "/" : folder + "/"
            guard path.hasPrefix(inner) else { continue }
            if path.dropFirst(inner.count).contains("/") {
                throw JobFailure(
                    "out",
                    "the input \(input.path) is in a subfolder of \(output), which packaging may replace: choose "
                        + "another output folder"
                )
            }
            if path.dropFirst(inner.count) == names.multivariant {
                throw JobFailure("out", "the input \(input.path) would be overwritten: choose another output folder")
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
                    "“\(name)” cannot be the name of the \(what): use only letters, digits, hyphens, underscores and "
                        + "periods, which need no escaping in a URI"
                )
            }
        }
        guard names.iFrames != names.media else {
            throw JobFailure(
                nil,
                "the media playlist and the I-frame playlist have the same name, \(names.media): choose two"
            )
        }
    }

    /// Checks that DASH supports the job's container, scheme and systems.
    private func checkManifests() throws(JobFailure) {
        guard !manifests.isEmpty else {
            throw JobFailure("manifests", "no manifest format is selected: use hls, dash or both")
        }
        guard manifests.contains(.dash) else { return }
        guard container == .fmp4 else {
            throw JobFailure("manifests", "DASH requires fragmented MP4: use the container fmp4, or only hls")
        }
        guard scheme != .aes128 else {
            throw JobFailure(
                "manifests",
                "DASH does not support the scheme aes-128: use cbcs or cenc, or only hls"
            )
        }
        guard !systems.contains(.identity) else {
            throw JobFailure(
                "manifests",
                "DASH manifests cannot signal the URL of an identity key: use other systems, or only hls"
            )
        }
    }

    /// Rejects options that require encryption.
    private func checkClear() throws(JobFailure) {
        guard keys.isEmpty else {
            throw JobFailure("scheme", "the scheme is none, but keys are given: choose a scheme, or remove the keys")
        }
        try checkKeyFormatVersions()
        guard clearLead == nil else {
            throw JobFailure("clear-lead", "the scheme none encrypts nothing: remove this option, or choose a scheme")
        }
        guard systems.isEmpty else {
            throw JobFailure("systems", "the scheme none has no keys to signal: remove this option, or choose a scheme")
        }
    }

    private func checkKeyFormatVersions() throws(JobFailure) {
        guard keyFormatVersions == nil || systems.contains(.fairPlay) else {
            throw JobFailure(
                "keyformat-versions",
                "applies only to FairPlay keys: add fairplay to systems, or leave it out"
            )
        }
    }

    private func checkScheme(_ scheme: TrackProtection.Scheme) throws(JobFailure) {
        switch (scheme, container) {
        case (.cbcs, .ts), (.cenc, .ts):
            throw JobFailure(
                "scheme",
                "\(scheme.rawValue) encrypts the samples of fragmented MP4: use the container fmp4, or the scheme "
                    + "sample-aes in ts"
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
                "no DRM system is selected, so players could not get the keys: use one of "
                    + ProtectionSystem.known.map(\.name).joined(separator: ", ")
            )
        }
        if scheme == .cenc, systems.contains(.fairPlay) {
            throw JobFailure(
                "systems",
                "FairPlay does not support cenc: use the scheme cbcs, which Widevine and PlayReady also support, or "
                    + "remove fairplay"
            )
        }
        guard ivSize == 8 || ivSize == 16 else {
            throw JobFailure("iv-size", "must be 8 or 16 bytes")
        }
        for system in systems where scheme == .aes128 && system != .identity {
            throw JobFailure(
                "systems",
                "\(system.name) does not support aes-128: use the scheme cbcs (fmp4) or sample-aes (ts), or the "
                    + "system identity, which serves the key in the clear"
            )
        }
        let allowed: [ProtectionSystem] = [.fairPlay, .identity]
        if scheme == .sampleAES, let system = systems.first(where: { !allowed.contains($0) }) {
            throw JobFailure(
                "systems",
                "\(system.name) does not support transport streams: use cbcs in fmp4, or remove \(system.name)"
            )
        }
    }

    /// Returns the standardized path with the symbolic links of its existing part resolved.
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
    /// The value of `{track}` in a key URI: `audio`, `sd`, `hd` or `uhd`.
    package var uriName: String { rawValue.lowercased() }
}
