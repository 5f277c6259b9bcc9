import FileAccess
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix

/// Answers requests for segments, Media Initialization Sections and other files: from memory, also while they grow, or
/// from the folder.
struct FileResponder: Sendable {
    let channels: LiveChannels
    let access: FolderAccess
    let metrics: OriginMetrics
    let clock: @Sendable () -> Duration

    /// The number of bytes that are written at once, so that a slow client has little memory.
    private static let slice = 65_536
    /// The number of bytes that are written before the event loop has taken them.
    private static let maximumUnsettled = 4 * slice

    private enum Found: Sendable {
        case held(MediaFile, Delivery)
        case unknown
    }

    func answer(_ request: Request, _ path: String, _ context: OriginRequestContext) async -> Exchange {
        Exchange(await response(request, path, context), .segment, path)
    }

    private func response(_ request: Request, _ path: String, _ context: OriginRequestContext) async -> Response {
        guard let channel = channels[ChannelPath.channel(of: path)] else {
            return await stored(request, path, nil, context)
        }
        let start = clock()
        let state = channel.state
        let deadline = start + .seconds(3 * Int64(state.targetDuration))
        let headers = request.headers
        let outcome = await channel.value(until: deadline) { state -> Found? in
            switch state.lookup(path) {
            case .held(let file):
                let range = ConditionalRequest.range(headers, file.entityTag)
                let delivery = Delivery(range, count: file.count, isComplete: file.isComplete)
                return delivery == .wait ? nil : .held(file, delivery)
            case .awaited: return nil
            case .unknown: return .unknown
            }
        }
        switch outcome {
        case .value(.held(let file, let delivery)): return response(request, path, channel, file, delivery, context)
        case .value(.unknown): return await stored(request, path, channel, context)
        case .expired:
            if case .held = channel.state.lookup(path) {
                return .failure(.serviceUnavailable, "The segment did not grow within three Target Durations.")
            }
            return .failure(.notFound, "The file that a hint announced did not appear.")
        case .ended: return .failure(.serviceUnavailable, "The server is ending.", cache: CachePolicy.none)
        }
    }

    // MARK: From memory

    private func response(
        _ request: Request,
        _ path: String,
        _ channel: LiveChannel,
        _ file: MediaFile,
        _ delivery: Delivery,
        _ context: OriginRequestContext
    ) -> Response {
        let headers = fields(path, file.entityTag, cache(path, channel.state))
        if let tag = file.entityTag, ConditionalRequest.isUnmodified(request.headers, tag) {
            return Response(status: .notModified, headers: headers)
        }
        return Self.response(delivery, headers) { range in
            let slices = file.bytes(range)
            return ResponseBody(contentLength: range.count) { [metrics] writer in
                try await Self.write(slices, to: &writer, metrics, context)
                try await writer.finish(nil)
            }
        } growing: { first in
            ResponseBody { writer in
                try await follow(path, channel, from: first, to: &writer, context)
                try await writer.finish(nil)
            }
        }
    }

    /// Writes the bytes of a growing file from a position on, part by part, until it is complete.
    ///
    /// - Throws: ``GrowthError`` if it does not grow anymore; the connection is closed then, so that the client knows
    ///   that the response is incomplete.
    private func follow(
        _ path: String,
        _ channel: LiveChannel,
        from first: Int,
        to writer: inout any ResponseBodyWriter,
        _ context: OriginRequestContext
    ) async throws {
        var position = first
        while true {
            let deadline = clock() + .seconds(3 * Int64(channel.state.targetDuration))
            let next = position
            let outcome = await channel.value(until: deadline) { state -> MediaFile?? in
                guard case .held(let file) = state.lookup(path) else { return .some(nil) }
                return file.count > next || file.isComplete ? .some(file) : nil
            }
            guard case .value(let found) = outcome, let file = found else { throw GrowthError() }
            try await Self.write(file.bytes(position..<max(position, file.count)), to: &writer, metrics, context)
            position = max(position, file.count)
            if file.isComplete { return }
        }
    }

    private static func write(
        _ buffers: [ByteBuffer],
        to writer: inout any ResponseBodyWriter,
        _ metrics: OriginMetrics,
        _ context: OriginRequestContext
    ) async throws {
        var unsettled = 0
        for var buffer in buffers {
            while let slice = buffer.readSlice(length: min(Self.slice, buffer.readableBytes)), slice.readableBytes > 0 {
                metrics.sent(slice.readableBytes)
                try await writer.write(slice)
                unsettled += slice.readableBytes
                guard unsettled >= Self.maximumUnsettled else { continue }
                try await context.settleWrites()
                unsettled = 0
            }
        }
    }

    // MARK: From the folder

    private func stored(
        _ request: Request,
        _ path: String,
        _ channel: LiveChannel?,
        _ context: OriginRequestContext
    ) async -> Response {
        let file: FolderFile?
        do {
            file = try await NIOThreadPool.singleton.runIfActive { [access] in try access.open(path) }
        } catch {
            return .failure(.serviceUnavailable, "The file cannot be read.")
        }
        guard let file else { return .failure(.notFound, "There is no such file.") }
        let headers = fields(path, file.entityTag, cache(path, channel?.state))
        guard !ConditionalRequest.isUnmodified(request.headers, file.entityTag) else {
            return Response(status: .notModified, headers: headers)
        }
        let range = ConditionalRequest.range(request.headers, file.entityTag)
        let delivery = Delivery(range, count: file.size, isComplete: true)
        return Self.response(delivery, headers) { range in
            ResponseBody(contentLength: range.count) { [metrics] writer in
                var position = range.lowerBound
                while position < range.upperBound {
                    let next = position..<min(position + Self.maximumUnsettled, range.upperBound)
                    let bytes = try await NIOThreadPool.singleton.runIfActive { try file.bytes(next) }
                    // The file became shorter.
                    guard bytes.readableBytes == next.count else { throw GrowthError() }
                    try await Self.write([bytes], to: &writer, metrics, context)
                    position = next.upperBound
                }
                try await writer.finish(nil)
            }
        } growing: { _ in
            ResponseBody()
        }
    }

    // MARK: Both

    private func cache(_ path: String, _ state: ChannelState?) -> String {
        guard ChannelPath.isManifest(path) else { return CachePolicy.segment(state) }
        // A manifest with low latency changes like a playlist with parts.
        let index = state?.playlists.values.compactMap(\.index).first { $0.partTarget != nil }
        return CachePolicy.playlist(index, targetDuration: state?.targetDuration ?? 2, isBlocking: false)
    }

    private func fields(_ path: String, _ tag: String?, _ cache: String) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: MediaType.contentType(of: path) ?? "application/octet-stream", .acceptRanges: "bytes",
            .cacheControl: cache,
        ]
        headers[.eTag] = tag
        return headers
    }

    private static func response(
        _ delivery: Delivery,
        _ headers: HTTPFields,
        _ body: (Range<Int>) -> ResponseBody,
        growing: (Int) -> ResponseBody
    ) -> Response {
        var headers = headers
        switch delivery {
        case .whole(let count): return Response(status: .ok, headers: headers, body: body(0..<count))
        case .range(let range, let size):
            let end = range.upperBound - 1
            headers[.contentRange] = "bytes \(range.lowerBound)-\(end)/\(size.map(String.init) ?? "*")"
            return Response(status: .partialContent, headers: headers, body: body(range))
        case .growing(let first, let isRange):
            // The last position is not known (RFC 8673, section 2).
            if isRange { headers[.contentRange] = "bytes \(first)-\(RequestedRange.unknownLast)/*" }
            return Response(status: isRange ? .partialContent : .ok, headers: headers, body: growing(first))
        case .unsatisfiable(let size):
            var response = Response.failure(.rangeNotSatisfiable, "The range is after the end of the file.")
            response.headers[.contentRange] = "bytes */\(size)"
            return response
        case .wait: return .failure(.serviceUnavailable, "The bytes are not available yet.")
        }
    }
}

/// An error that ends a response whose remaining bytes do not come: the connection is closed.
struct GrowthError: Error {}
