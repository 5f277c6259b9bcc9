import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Answers requests for playlists: blocking reloads and delta updates (RFC 8216bis, section 6.2.5).
struct PlaylistResponder: Sendable {
    let channels: LiveChannels
    let metrics: OriginMetrics
    let clock: @Sendable () -> Duration

    private enum Found: Sendable {
        case playlist(PublishedPlaylist, targetDuration: UInt64)
        case refused(DirectiveError)
        case missing
    }

    func answer(_ request: Request, _ path: String) async -> Exchange {
        let directives: DeliveryDirectives
        do throws(DirectiveError) {
            directives = try DeliveryDirectives(query: request.uri.query ?? "")
        } catch {
            return Exchange(.failure(.badRequest, "\(error)."), .playlist, path)
        }
        let response = await response(request, path, directives)
        var exchange = Exchange(response, directives.skip == nil ? .playlist : .delta, path)
        exchange.loggedQuery = directives.loggedQuery
        return exchange
    }

    private func response(_ request: Request, _ path: String, _ directives: DeliveryDirectives) async -> Response {
        guard let channel = channels[ChannelPath.channel(of: path)],
            let current = channel.state.playlists[path]
        else { return .failure(.notFound, "There is no such playlist.") }
        let start = clock()
        let deadline = start + (current.index?.longestWait ?? .zero)
        let outcome = await channel.value(until: deadline) { state -> Found? in
            guard let playlist = state.playlists[path] else { return .missing }
            switch playlist.index?.availability(directives) ?? .ready {
            case .ready: return .playlist(playlist, targetDuration: state.targetDuration)
            case .refused(let error): return .refused(error)
            case .wait: return nil
            }
        }
        if directives.mediaSequenceNumber != nil { metrics.wait(outcome.kind, clock() - start) }
        switch outcome {
        case .value(.playlist(let playlist, let targetDuration)):
            return response(request, playlist, directives, targetDuration)
        case .value(.refused(let error)): return .failure(.badRequest, "\(error).")
        case .value(.missing): return .failure(.notFound, "There is no such playlist.")
        case .expired:
            return .failure(.serviceUnavailable, "The playlist did not change within three Target Durations.")
        case .ended: return .failure(.serviceUnavailable, "The server is ending.", cache: CachePolicy.none)
        }
    }

    private func response(
        _ request: Request,
        _ playlist: PublishedPlaylist,
        _ directives: DeliveryDirectives,
        _ channelTarget: UInt64
    ) -> Response {
        let body = playlist.body(
            skip: directives.skip,
            isCompressed: ConditionalRequest.acceptsGzip(request.headers)
        )
        var headers: HTTPFields = [
            .contentType: MediaType.contentType(of: playlist.path) ?? "",
            .eTag: body.entityTag,
            .vary: "Accept-Encoding",
            .cacheControl: CachePolicy.playlist(
                playlist.index,
                targetDuration: playlist.index?.targetDuration ?? channelTarget,
                isBlocking: directives.mediaSequenceNumber != nil
            ),
        ]
        guard !ConditionalRequest.isUnmodified(request.headers, body.entityTag) else {
            return Response(status: .notModified, headers: headers)
        }
        if body.isCompressed { headers[.contentEncoding] = "gzip" }
        metrics.sent(request.method == .head ? 0 : body.bytes.readableBytes)
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body.bytes))
    }
}

extension LiveChannel.Outcome {
    /// The kind, for metrics.
    var kind: OriginMetrics.Wait {
        switch self {
        case .value: .answered
        case .expired: .expired
        case .ended: .ended
        }
    }
}
