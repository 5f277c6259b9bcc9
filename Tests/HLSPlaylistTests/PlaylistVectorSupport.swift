import HLSPlaylist
import VectorFiles

extension PlaylistVectorFile {
    /// The error of a delta vector that contains playlists other than Media Playlists.
    struct NotMedia: Error {}

    /// Returns the findings of the linter of all severities, in the order of files and lines.
    func lint() throws -> [(finding: Finding, severity: Diagnostic.Severity)] {
        do throws(PlaylistError) {
            return try findings(linter).sorted { $0.finding < $1.finding }
        } catch {
            return [(Finding(rule: error.rule.rawValue, line: error.diagnostic.line), error.diagnostic.severity)]
        }
    }

    /// The linter with the rules of the profile.
    private var linter: Linter {
        Linter(profiles: Set([profile.flatMap(LintRule.Profile.init(rawValue:))].compactMap { $0 }))
    }

    private func findings(
        _ linter: Linter
    ) throws(PlaylistError) -> [(finding: Finding, severity: Diagnostic.Severity)] {
        func finding(_ diagnostic: Diagnostic, _ file: String) -> (finding: Finding, severity: Diagnostic.Severity) {
            (Finding(file: file, rule: diagnostic.rule.rawValue, line: diagnostic.line), diagnostic.severity)
        }
        let files = try lintFiles()
        switch subject {
        case .media, .multivariant: return linter.check(files[0]).map { finding($0, "") }
        case .presentation:
            return linter.check(presentation: files[0]) { uri in files.first { $0.name == uri } }
                .map { finding($0.diagnostic, $0.file) }
        case .reload, .delta:
            let alone = files.flatMap { file in linter.check(file).map { finding($0, file.name) } }
            if subject == .delta { return alone }
            return alone + linter.check(reloadFrom: files[0], to: files[1]).map { finding($0, files[1].name) }
        }
    }

    /// Returns the playlists, parsed leniently. Media Playlists of a presentation import its variables.
    func lintFiles() throws(PlaylistError) -> [LintFile] {
        var options = ParsingOptions(url: url)
        var result: [LintFile] = []
        for (name, bytes) in files {
            let file = try LintFile(name: name, bytes: bytes, options: options)
            if subject == .presentation, result.isEmpty, case .multivariant(let playlist) = file.playlist {
                options.importedVariables = playlist.variables
            }
            result.append(file)
        }
        return result
    }

    /// Returns the playlists, parsed strictly.
    func parse() throws(PlaylistError) -> [Playlist] {
        var options = ParsingOptions(url: url)
        var result: [Playlist] = []
        for (_, bytes) in files {
            let playlist = try Playlist(strictlyParsing: bytes, options: options)
            if subject == .presentation, result.isEmpty, case .multivariant(let playlist) = playlist {
                options.importedVariables = playlist.variables
            }
            result.append(playlist)
        }
        return result
    }
}

extension Playlist {
    /// The same playlist, created from its values without references to the original text.
    var rebuilt: Playlist {
        switch self {
        case .media(let playlist): .media(playlist.rebuilt)
        case .multivariant(let playlist): .multivariant(playlist.rebuilt)
        }
    }
}

extension MediaPlaylist {
    fileprivate var rebuilt: MediaPlaylist {
        var copy = MediaPlaylist(version: version, targetDuration: targetDuration)
        copy.isIndependentSegments = isIndependentSegments
        copy.start = start
        copy.defines = defines
        copy.mediaSequence = mediaSequence
        copy.discontinuitySequence = discontinuitySequence
        copy.playlistType = playlistType
        copy.isIFramesOnly = isIFramesOnly
        copy.partInf = partInf
        copy.serverControl = serverControl
        copy.skip = skip
        copy.otherLines = otherLines
        copy.segments = segments.map { segment in
            MediaSegment(
                uri: segment.uri,
                duration: segment.duration,
                title: segment.title,
                byteRange: segment.byteRange,
                programDateTime: segment.programDateTime,
                isDiscontinuity: segment.isDiscontinuity,
                isGap: segment.isGap,
                tags: segment.tags
            )
        }
        copy.upcoming = upcoming
        copy.preloadHints = preloadHints
        copy.renditionReports = renditionReports
        copy.isEnded = isEnded
        return copy
    }
}

extension MultivariantPlaylist {
    fileprivate var rebuilt: MultivariantPlaylist {
        var copy = MultivariantPlaylist()
        copy.version = version
        copy.isIndependentSegments = isIndependentSegments
        copy.start = start
        copy.defines = defines
        copy.contentSteering = contentSteering
        copy.sessionData = sessionData
        copy.sessionKeys = sessionKeys
        copy.renditions = renditions
        copy.variants = variants
        copy.iFrameVariants = iFrameVariants
        copy.otherLines = otherLines
        return copy
    }
}
