import Foundation
import Testing

@testable import ContentKeySession

@Suite("A session's error from an error of Apple's systems")
struct PlatformErrorConversionTests {
    static func error(_ chain: (PlatformErrorDomain, Int32)...) -> ContentKeyError {
        ContentKeyError(platformErrors: chain.map { PlatformErrorCode(domain: $0.0, number: $0.1) }, .device)
    }

    @Test("The number that FairPlay Streaming defines is the one that counts, in whichever error it is")
    func fairPlay() {
        let error = Self.error((.avFoundation, -11800), (.osStatus, -42668))
        #expect(error.code.rawValue == "invalid-ckc")
        #expect(error.number == -42668)
        #expect(error.domain == .osStatus)
        #expect(error.explanation?.certainty == .documented)
        #expect(
            error.description
                == "device: invalid-ckc (-42668): AVFoundationErrorDomain -11800, NSOSStatusErrorDomain -42668: invalid-ckc: "
                + "The data that the app passed to the device is not a valid CKC for its SPC."
        )
    }

    @Test("The codes that the session interprets are those of the numbers")
    func codes() {
        for (number, code) in [
            (-42656, ContentKeyError.Code.leaseExpired), (-42799, .persistentKeyOutdated),
            (-42800, .persistentKeyExpired),
            (-42803, .invalidPersistentKey), (-42669, .platformError), (-46250, .platformError),
        ] {
            #expect(Self.error((.avFoundation, -11800), (.osStatus, Int32(number))).code == code)
        }
    }

    @Test("The innermost error that the catalog explains is chosen; -11800 only refers to others")
    func specific() {
        #expect(Self.error((.avFoundation, -11819), (.osStatus, -12178)).number == -11819)
        #expect(Self.error((.avFoundation, -11867), (.coreMedia, -12880)).number == -12880)
        #expect(Self.error((.avFoundation, -11800)).explanation?.name == "unspecified")
        let unknown = Self.error((.avFoundation, -11800), (.osStatus, -12345))
        #expect(unknown.code == .platformError)
        #expect(unknown.number == -12345)
        #expect(unknown.explanation == nil)
        #expect(unknown.reason == "AVFoundationErrorDomain -11800, NSOSStatusErrorDomain -12345")
    }

    @Test("The app's own error keeps its number, and the catalog does not explain it")
    func own() {
        let error = Self.error((.init(rawValue: "com.example"), 403))
        #expect(error.number == 403)
        #expect(error.explanation == nil)
        #expect(error.reason == "com.example 403")
    }

    @Test("An error without a number has a reason")
    func none() {
        let error = ContentKeyError(platformErrors: [], .device)
        #expect(error.code == .platformError)
        #expect(error.number == nil)
        #expect(error.explanation == nil)
        #expect(error.reason?.isEmpty == false)
    }

    @Test("Without a domain, the number of a device is explained")
    func portable() {
        let error = ContentKeyError(.leaseExpired, .device, number: -42656)
        #expect(error.explanation?.name == "lease-expired")
        #expect(ContentKeyError(.timedOut, .request).explanation == nil)
    }

    @Test("Every failure has a number that is not 0, and that its kind keeps")
    func numbers() {
        let numbers = KeyFailure.Kind.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { (1...98).contains($0) })
        for kind in KeyFailure.Kind.allCases {
            #expect(KeyFailure(kind).number == kind.number)
            #expect(KeyFailure(kind, status: 503).number == 503)
            // A transport may report a status that HTTP does not have.
            #expect(KeyFailure(kind, status: 0).number == kind.number)
        }
        // The numbers are written down in the apps' statistics.
        #expect(KeyFailure.Kind.noConnection.number == 1)
        #expect(KeyFailure.Kind.forbidden.number == 9)
        #expect(KeyFailure.Kind.spcCreationFailed.number == 20)
        #expect(KeyFailure.Kind.cancelled.number == 23)
    }

    @Test(
        "The comment and the document contain the numbers of all kinds of failure",
        arguments: [
            "Sources/Client/ContentKeySession/KeyLoader/KeyFailure+Number.swift", "docs/error-numbers.md",
        ]
    )
    func numberTable(file: String) throws {
        let text = try String(contentsOf: MachineTableTests.root.appending(path: file), encoding: .utf8)
        for kind in KeyFailure.Kind.allCases {
            #expect(text.contains("| \(kind.number) | `\(kind.rawValue)` |"), "\(kind)")
        }
    }

    @Test("The error log contains the name and the meaning of a device's error")
    func log() {
        let code = PlatformErrorCode(domain: .osStatus, number: -42679)
        let failure = KeyFailure(.spcCreationFailed, code: "invalid-certificate", platformCode: code)
        let entry = KeyErrorEntry(
            label: KeyLabel("skd://film/hd"),
            time: .zero,
            failure: failure,
            retryAfter: nil
        )
        #expect(
            entry.description.hasSuffix(
                "Device: NSOSStatusErrorDomain -42679, invalid-certificate: "
                    + "The data that was set as the application certificate is not a certificate."
            )
        )
        #expect(failure.explanation?.number == -42679)
    }
}
