import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about HTTP. A value that is not known violates no rule.
    static let deliveryRules: [ValidationRule] = [
        ValidationRule(
            "playlist-media-type",
            .should,
            "10.4",
            .http,
            "The Content-Type of playlists is application/vnd.apple.mpegurl.",
            advice: "Configure the media type of .m3u8 on the server: application/vnd.apple.mpegurl."
        ) { presentation, findings in
            for (name, http) in presentation.playlistResponses {
                guard let type = http.mediaType, !["application/vnd.apple.mpegurl", "audio/mpegurl"].contains(type)
                else {
                    continue
                }
                // In wide use, and played everywhere.
                let isCommon = ["application/x-mpegurl", "audio/x-mpegurl"].contains(type)
                findings.report(
                    .init(name),
                    "The Content-Type is not that of a playlist.",
                    measured: type,
                    limit: "application/vnd.apple.mpegurl",
                    level: isCommon ? .advice : .should
                )
            }
        },
        ValidationRule(
            "playlist-not-compressed",
            .must,
            "10.1",
            .http,
            "Playlists are compressed with gzip for clients that accept it.",
            advice: "Enable gzip for playlists on the server or the CDN."
        ) { presentation, findings in
            for (name, http) in presentation.playlistResponses where http.contentEncoding == nil {
                // A short playlist becomes no shorter.
                guard presentation.size(ofPlaylist: name) > 1024 else { continue }
                findings.report(.init(name), "The server does not compress the playlist.")
            }
        },
        .rendition(
            "segment-media-type",
            .should,
            "10.4",
            .http,
            "The Content-Type of segments is that of their container.",
            advice:
                "Configure the media types of segments on the server. text/vtt is right for WebVTT, although Apple's validator "
                + "reports it."
        ) { rendition, findings in
            let kind = rendition.kind
            for segment in rendition.segments {
                guard let type = segment.http?.mediaType, let measurement = segment.measurement,
                    let types = measurement.mediaTypes(kind), !types.contains(type)
                else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The Content-Type is not that of the segment.",
                    measured: type,
                    limit: types[0]
                )
            }
        },
        .rendition(
            "segment-redirected",
            .must,
            "8.18",
            .http,
            "Segments are loaded without redirections.",
            advice: "Write the final URLs into the playlist: each redirection costs a round trip."
        ) { rendition, findings in
            for segment in rendition.segments where segment.http?.redirections ?? 0 > 0 {
                findings.report(.init(rendition, segment), "The server redirects the request for the segment.")
            }
        },
        ValidationRule(
            "not-secure",
            .should,
            "11.1",
            .http,
            "Playlists and segments are delivered over TLS.",
            advice: "Deliver over https."
        ) { presentation, findings in
            for (name, http) in presentation.playlistResponses where http.isSecure == false {
                findings.report(.init(name), "The playlist is delivered without TLS.")
            }
            for rendition in presentation.renditions {
                guard rendition.http?.isSecure == true,
                    let segment = rendition.segments.first(where: { $0.http?.isSecure == false })
                else { continue }
                findings.report(.init(rendition, segment), "Segments are delivered without TLS.")
            }
        },
        .rendition(
            "range-ignored",
            .must,
            "8216bis:4.4.4.2",
            .http,
            "The server honors the byte ranges of segments.",
            advice: "Enable range requests: the server sends the whole file for each segment."
        ) { rendition, findings in
            for segment in rendition.segments where segment.byteRange != nil && segment.http?.status == 200 {
                findings.report(
                    .init(rendition, segment),
                    "The server answers a request for a byte range with the whole resource.",
                    measured: "status 200",
                    limit: "status 206"
                )
            }
        },
        .rendition(
            "playlist-stale",
            .should,
            "8.24",
            .http,
            "A live playlist was modified at most three Target Durations ago.",
            advice: "Look for a packager that stopped, or for a cache that keeps playlists too long."
        ) { rendition, findings in
            let limit = 3 * Double(rendition.playlist.targetDuration)
            guard rendition.isLive, let age = rendition.http?.secondsSinceModification, age > limit else { return }
            findings.report(
                .init(rendition.name),
                "By Last-Modified, the live playlist is older than three Target Durations.",
                measured: secondsText(age),
                limit: secondsText(limit)
            )
        },
    ]
}

extension HTTPObservation {
    /// The media type without parameters, in lower case.
    var mediaType: String? {
        contentType.map { type in
            String(type.prefix { $0 != ";" }).split(separator: " ").joined().lowercased()
        }
    }
}

extension SegmentMeasurement {
    /// The media types of Apple's authoring specification (10.4) for a segment, the usual one first; nil if the segment
    /// is encrypted as a whole.
    ///
    /// - Parameter kind: The kind of media in the rendition.
    fileprivate func mediaTypes(_ kind: TrackFormat.Kind?) -> [String]? {
        switch container {
        case .mp4:
            switch kind {
            case .video: ["video/mp4", "video/iso.segment"]
            case .subtitles: ["application/mp4", "video/mp4", "video/iso.segment"]
            // Servers choose the type by the extension, which does not tell audio from video.
            default: ["audio/mp4", "video/mp4", "video/iso.segment"]
            }
        case .transportStream: ["video/mp2t"]
        case .packedAudio:
            switch tracks.first?.format.sampleEntry {
            case "ac-3": ["audio/ac3"]
            case "ec-3": ["audio/eac3"]
            default: ["audio/aac", "audio/mpeg"]
            }
        // Apple's validator demands text/plain, which was right before WebVTT had a type.
        case .webVTT: ["text/vtt", "text/plain"]
        case nil: nil
        }
    }
}

extension MeasuredPresentation {
    /// The HTTP responses with playlists.
    fileprivate var playlistResponses: [(name: String, http: HTTPObservation)] {
        var responses: [(name: String, http: HTTPObservation)] = []
        if let multivariant, let http { responses.append((multivariant.name, http)) }
        for rendition in renditions {
            if let http = rendition.http { responses.append((rendition.name, http)) }
        }
        return responses
    }

    /// The size of a playlist's text in bytes.
    fileprivate func size(ofPlaylist name: String) -> Int {
        let file = multivariant?.name == name ? multivariant : renditions.first { $0.name == name }?.file
        return file.map { $0.lines.reduce(0) { $0 + $1.text.utf8.count + 1 } } ?? 0
    }
}
