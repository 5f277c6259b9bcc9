import ContentKeySession

/// A problem to show instead of a film.
public struct FilmProblem: Hashable, Sendable {
    /// The text for the viewer.
    public let message: String
    /// True if a button "Try again" makes sense.
    public let canRetry: Bool
    /// A code for your support, without personal data.
    public let code: String

    /// Describes a failure for the viewer.
    public init(_ failure: KeyFailure) {
        code = failure.description
        switch failure.kind {
        // The device rejected the stored key, and there is no other one without a network.
        case _ where failure.code == ContentKeyError.Code.persistentKeyExpired.rawValue:
            (message, canRetry) = ("This download has expired. Connect to the internet to watch.", true)
        // The time was over, and the last attempt had a response.
        case .deadlineExceeded where failure.status == 200:
            (message, canRetry) = ("This network may require you to sign in. Open a web page first.", true)
        case .deadlineExceeded where failure.status != nil:
            (message, canRetry) = ("Our service is busy. Try again in a few minutes.", true)
        case .noConnection, .timeout, .deadlineExceeded:
            (message, canRetry) = ("The internet connection does not work.", true)
        case .malformedResponse, .responseTooLarge, .unexpectedStatus:
            (message, canRetry) = ("This network may require you to sign in. Open a web page first.", true)
        case .tooManyRequests, .overloaded, .serverError:
            (message, canRetry) = ("Our service is busy. Try again in a few minutes.", true)
        case .tokenRefused, .noToken:
            (message, canRetry) = ("Sign in again to watch.", false)
        case .forbidden where failure.reason?.description == "subscription-ended":
            (message, canRetry) = ("Your subscription has ended.", false)
        case .forbidden where failure.reason?.description == "airplay-denied":
            (message, canRetry) = ("This film cannot be watched over AirPlay.", false)
        case .forbidden where failure.reason?.description == "renewal-after-expiry":
            (message, canRetry) = ("The time to watch this film has ended.", false)
        case .forbidden:
            (message, canRetry) = ("This film is not available to you.", false)
        case .ckcRejected where failure.code == ContentKeyError.Code.invalidCKC.rawValue:
            (message, canRetry) = ("Our service has a problem with this film.", true)
        case .persistenceNotLicensed:
            (message, canRetry) = ("This film cannot be downloaded. Watch it online.", false)
        case .persistenceRefused:
            (message, canRetry) = ("Turn AirPlay off to download this film.", true)
        case .keyNotStored:
            (message, canRetry) = ("The film could not be stored. Free some storage first.", true)
        case .ckcRejected:
            (message, canRetry) = ("This film cannot be watched on this device or display.", false)
        default:
            (message, canRetry) = ("This film cannot be played.", false)
        }
    }
}

extension FilmKeys {
    /// The problem of a film's keys; nil if all keys that failed have loaded since. Read it when AVPlayerItem fails.
    public func problem(of film: Film) async -> FilmProblem? {
        for key in film.keys {
            if let failure = await loader.lastFailure(for: key) { return FilmProblem(failure) }
        }
        return nil
    }
}
