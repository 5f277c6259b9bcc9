import StreamPlayer

/// The decision whether a response continues a partial file.
///
/// | Request | Response | Action |
/// |---|---|---|
/// | whole resource | 200 | written from 0 |
/// | whole resource | 206 | an error: no range was requested |
/// | the rest, with If-Range | 206 with that range | appended |
/// | the rest, with If-Range | 200 | restarted: another ETag or date, or a server without ranges |
/// | the rest | 416 | requested again, from 0 |
/// | a range of the resource | 206 with that range | written |
/// | a range of the resource | 200 | the bytes before the range are skipped, up to a limit |
/// | any | a range that was not requested | a temporary error |
/// | any | 404, 410, and other statuses | an error |
enum ResumeDecision: Sendable, Equatable {
    /// Write the body at an offset of the file.
    ///
    /// - Parameters:
    ///   - at: The number of bytes of the file to keep.
    ///   - skipping: The number of bytes of the body to skip.
    ///   - length: The length of the complete file; nil means that it ends with the body.
    ///   - restart: The reason for a restart; nil if the file is continued.
    case write(at: UInt64, skipping: UInt64, length: UInt64?, restart: RestartReason?)
    /// Request the whole resource again.
    case requestAgain(RestartReason)
    case fail(MediaLoadError)
    /// The server does not support ranges, and too many bytes would have to be skipped.
    case rangeTooFar

    /// The known state of a partial file: its length on the disk and its validators.
    struct Known: Sendable, Equatable {
        var length: UInt64 = 0
        var validators = Validators()
    }

    /// Returns the request that completes a file.
    static func request(_ resource: BundleResource, _ known: Known) -> DownloadRequest {
        var request = DownloadRequest(url: resource.url)
        if known.length > 0 || resource.range != nil {
            request.from = (resource.range?.lowerBound ?? 0) + known.length
            request.to = resource.range?.upperBound
            if known.length > 0 { request.ifRange = known.validators.ifRange }
        }
        return request
    }

    /// Returns the reason why a partial file cannot be continued; nil if it can.
    static func obstacle(_ known: Known) -> RestartReason? {
        known.length > 0 && known.validators.ifRange == nil ? .noValidator : nil
    }

    /// Returns the decision for a response.
    static func decide(
        _ answer: DownloadResponse,
        to request: DownloadRequest,
        for resource: BundleResource,
        _ known: Known,
        limits: DownloadLimits
    ) -> ResumeDecision {
        func failure(_ code: MediaLoadError.Code) -> ResumeDecision {
            .fail(MediaLoadError(code, resource.url, status: answer.status))
        }
        let wanted = resource.range.map { $0.upperBound - $0.lowerBound }
        guard wanted ?? 0 <= limits.resourceBytes else { return failure(.tooLarge) }
        switch answer.status {
        case 206:
            guard let from = request.from, let part = answer.part, part.range.lowerBound == from else {
                return failure(.wrongRange)
            }
            if known.length > 0, answer.validators.contradicts(known.validators) { return .requestAgain(.changed) }
            let end = resource.range?.upperBound ?? part.total ?? part.range.upperBound
            guard part.range.upperBound == end, end - from <= limits.resourceBytes else {
                return failure(part.range.upperBound == end ? .tooLarge : .wrongRange)
            }
            return .write(at: known.length, skipping: 0, length: end - (resource.range?.lowerBound ?? 0), restart: nil)
        case 200:
            if let range = resource.range {
                guard answer.length.map({ $0 >= range.upperBound }) ?? true else { return failure(.wrongRange) }
                guard range.lowerBound <= limits.skippedBytes else { return .rangeTooFar }
            }
            guard wanted ?? answer.length ?? 0 <= limits.resourceBytes else { return failure(.tooLarge) }
            var reason: RestartReason?
            if known.length > 0 {
                let isSame = !answer.validators.contradicts(known.validators)
                reason = isSame ? .noRanges : .changed
            }
            return .write(
                at: 0,
                skipping: resource.range?.lowerBound ?? 0,
                length: wanted ?? answer.length,
                restart: reason
            )
        case 416 where known.length > 0: return .requestAgain(.outOfRange)
        case 404, 410: return failure(.notFound)
        case 416: return failure(.wrongRange)
        default: return failure(.status)
        }
    }
}
