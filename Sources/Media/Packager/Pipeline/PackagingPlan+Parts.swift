import MediaFormats

/// The renditions in later parts of the inputs, whose tracks can differ from those at the start.
extension PackagingPlan {
    /// The plan of a later part.
    struct Part {
        /// The plan, with the tracks of the part.
        var plan: PackagingPlan
        /// The indexes of the renditions that have a track in the part, by input and track.
        var renditions: [[Int?]]
        /// The tracks without a rendition, each with the reason and what to do.
        var lost: [InputFailure] = []
    }

    /// Assigns the tracks of a new part to renditions: by kind, then by language, then by order.
    ///
    /// - Parameters:
    ///   - tracks: The tracks of each input.
    ///   - number: The number of the part; 0 is the start. With `cenc`, each part has its own counters.
    func part(_ number: Int, _ tracks: [[MediaTrack]]) -> Part {
        var part = Part(plan: self, renditions: tracks.map { $0.map { _ in nil } })
        for (input, tracks) in tracks.enumerated() {
            var found = PartTracks(
                renditions.indices.filter { renditions[$0].input == input }.map { ($0, renditions[$0]) }
            )
            found.match(tracks, where: job.inputs[input].includes)
            for (track, media) in tracks.enumerated() where job.inputs[input].includes(media.kind) {
                let name = inputs[input].name
                guard let index = found.renditions[track] else {
                    part.lost.append(
                        InputFailure(
                            name,
                            "\(media.summary) has no rendition, because the presentation started without it, and is lost "
                                + "from here on: start a new presentation, or start with an input that has all tracks"
                        )
                    )
                    continue
                }
                do {
                    try part.plan.replaceTrack(of: index, with: media, track, part: number)
                    part.renditions[input][track] = index
                } catch {
                    part.lost.append(
                        InputFailure(
                            name,
                            "\(media.summary) cannot continue \(renditions[index].folder) and is lost: \(error)"
                        )
                    )
                }
            }
        }
        return part
    }

    private mutating func replaceTrack(of index: Int, with media: MediaTrack, _ track: Int, part: Int) throws {
        let input = job.inputs[renditions[index].input]
        try job.check(media)
        let number = index + part * renditions.count
        let protection = job.keysArriveLater ? nil : try job.protection(of: media, from: input, number: number)
        renditions[index].track = track
        renditions[index].media = media
        renditions[index].trackClass = job.trackClass(of: media, from: input)
        renditions[index].isProtected = job.protects(media, from: input)
        renditions[index].protection = protection
    }
}

/// The assignment of an input's tracks to its renditions.
private struct PartTracks {
    private var free: [(index: Int, rendition: PackagingPlan.Rendition)]
    /// The indexes of the renditions by track.
    private(set) var renditions: [Int: Int] = [:]

    init(_ renditions: [(Int, PackagingPlan.Rendition)]) { free = renditions }

    mutating func match(_ tracks: [MediaTrack], where isIncluded: (MediaTrack.Kind) -> Bool) {
        // The most specific criterion first, so that a swap of two tracks is recognized.
        let criteria: [(MediaTrack, MediaTrack) -> Bool] = [
            { $0.hasLanguage(of: $1) && $0.height == $1.height && $0.hasCodec(of: $1) },
            { $0.hasLanguage(of: $1) },
            { _, _ in true },
        ]
        for isMatch in criteria {
            for (track, media) in tracks.enumerated() where isIncluded(media.kind) && renditions[track] == nil {
                let place = free.firstIndex {
                    $0.rendition.media.kind == media.kind && isMatch($0.rendition.media, media)
                }
                guard let place else { continue }
                renditions[track] = free.remove(at: place).index
            }
        }
    }
}

extension MediaTrack {
    fileprivate func hasLanguage(of other: MediaTrack) -> Bool { kind == .video || language == other.language }

    fileprivate func hasCodec(of other: MediaTrack) -> Bool {
        codecs.prefix { $0 != "." } == other.codecs.prefix { $0 != "." }
    }

    /// The kind, codec and size or language, for messages: `audio (mp4a.40.2, deu)`.
    fileprivate var summary: String {
        let detail = kind == .video ? "\(width)x\(height)" : language
        return "\(kind.rawValue) (\(codecs), \(detail))"
    }
}
