import StreamPlayer

/// Whether what a server answers goes on where a file ends, and what is done if not: a value.
///
/// | Asked for | Answered | Done |
/// |---|---|---|
/// | everything | 200 | written from 0 |
/// | everything | 206 | an error: nobody asked for a part |
/// | the rest, If-Range | 206 with that part | appended |
/// | the rest, If-Range | 200 | written anew: another ETag or date, or a server without ranges |
/// | the rest | 416 | asked for anew, from 0 |
/// | a part of the resource | 206 with that part | written |
/// | a part of the resource | 200 | what is before it is passed over, up to a limit |
/// | anything | a part that was not asked for | an error that may pass |
/// | anything | 404, 410, and other statuses | an error |
enum ResumeDecision: Sendable, Equatable {
    /// The body is written from a place of the file on.
    ///
    /// - Parameters:
    ///   - at: how many bytes of the file stay.
    ///   - skipping: how many bytes of the body are passed over first.
    ///   - length: of the file when it is complete; nil: it ends with the body.
    case write(at: UInt64, skipping: UInt64, length: UInt64?, anew: AnewReason?)
    /// It is asked for once more, from its first byte on.
    case askAnew(AnewReason)
    case fail(MediaLoadError)
    /// The server knows no ranges, and too much would have to be passed over.
    case tooFarInside

    /// What is on the disk of a file, and what was said of it.
    struct Known: Sendable, Equatable {
        var length: UInt64 = 0
        var validators = Validators()
    }

    /// What is asked for, so that a file is completed.
    static func request(_ resource: BundleResource, _ known: Known) -> DownloadRequest {
        var request = DownloadRequest(url: resource.url)
        if known.length > 0 || resource.range != nil {
            request.from = (resource.range?.lowerBound ?? 0) + known.length
            request.to = resource.range?.upperBound
            if known.length > 0 { request.ifRange = known.validators.ifRange }
        }
        return request
    }

    /// Why what is there of a file cannot be gone on with; nil where it can.
    static func obstacle(_ known: Known) -> AnewReason? {
        known.length > 0 && known.validators.ifRange == nil ? .noValidator : nil
    }

    /// Decides.
    static func decide(
        _ answer: DownloadAnswer,
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
            if known.length > 0, answer.validators.contradicts(known.validators) { return .askAnew(.changed) }
            let end = resource.range?.upperBound ?? part.total ?? part.range.upperBound
            guard part.range.upperBound == end, end - from <= limits.resourceBytes else {
                return failure(part.range.upperBound == end ? .tooLarge : .wrongRange)
            }
            return .write(at: known.length, skipping: 0, length: end - (resource.range?.lowerBound ?? 0), anew: nil)
        case 200:
            if let range = resource.range {
                guard answer.length.map({ $0 >= range.upperBound }) ?? true else { return failure(.wrongRange) }
                guard range.lowerBound <= limits.skippedBytes else { return .tooFarInside }
            }
            guard wanted ?? answer.length ?? 0 <= limits.resourceBytes else { return failure(.tooLarge) }
            var reason: AnewReason?
            if known.length > 0 {
                let isSame = !answer.validators.contradicts(known.validators)
                reason = isSame ? .noRanges : .changed
            }
            return .write(
                at: 0,
                skipping: resource.range?.lowerBound ?? 0,
                length: wanted ?? answer.length,
                anew: reason
            )
        case 416 where known.length > 0: return .askAnew(.outOfRange)
        case 404, 410: return failure(.notFound)
        case 416: return failure(.wrongRange)
        default: return failure(.status)
        }
    }
}
