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
            advice: "Configure the media types of segments on the server."
        ) { rendition, findings in
            for segment in rendition.segments {
                guard let type = segment.http?.mediaType, let container = segment.measurement?.container else {
                    continue
                }
                let types = container.mediaTypes(isVideo: rendition.kind == .video)
                guard !types.contains(type) else { continue }
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
    ]
}

extension HTTPObservation {
    /// The media type without parameters, in lower case.
    fileprivate var mediaType: String? {
        contentType.map { type in
            String(type.prefix { $0 != ";" }).split(separator: " ").joined().lowercased()
        }
    }
}

extension TrackFormat.Container {
    /// The media types of Apple's authoring specification (10.4), the usual one first.
    fileprivate func mediaTypes(isVideo: Bool) -> [String] {
        switch self {
        case .mp4:
            isVideo
                ? ["video/mp4", "video/iso.segment"]
                : ["audio/mp4", "video/mp4", "video/iso.segment", "application/mp4"]
        case .transportStream: ["video/mp2t"]
        case .packedAudio: ["audio/aac", "audio/ac3", "audio/eac3", "audio/mpeg"]
        case .webVTT: ["text/vtt", "text/plain"]
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
