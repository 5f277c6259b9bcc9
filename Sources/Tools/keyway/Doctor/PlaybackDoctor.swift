import FPSCrypto
import Foundation
import HTTPRequests
import StreamValidation
import ToolSupport
import VirtualDevice

/// The key server of `keyway doctor`, and who requests the keys.
struct DoctorTarget: Sendable {
    /// The client, which sends the token with license requests.
    let client: KeyServerClient
    /// The source of the devices' DASk.
    let dask: DASkRule
    /// The device classes.
    let profiles: [DeviceProfile]
    /// The token, to read its claims; it is never printed.
    var token: String?
    /// The file of the certificate that belongs to the credentials; nil if they have none.
    var certificateFile: String?
    /// True if the device classes were given, so that each of them must get a license.
    var areClassesGiven = false
    /// True if persistent keys are requested too.
    var requestsPersistentKeys = false
}

/// The diagnosis of a playback: each step that it depends on, in its order.
struct PlaybackDoctor: Sendable {
    let input: PlaylistInput
    let resources: StreamResources
    let client: WebClient
    /// The key server; nil if no keys are requested.
    var target: DoctorTarget?
    /// The origin of the web page that plays; nil for apps.
    var origin: String?
    /// The decoder that checks decrypted media; nil for none.
    var decoder: FFmpegDecoder?
    /// Returns the current time in seconds since 1970.
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// The clock that measures how long to wait for a live playlist.
    var clock: any Clock<Duration> = ContinuousClock()

    /// The names of the steps that are about what the playlist refers to.
    private static let contentSteps = ["delivery", "keys", "variants"]
    private static let laterSteps = ["token", "spc", "license", "ckc", "terms", "segments", "decryption", "live"]

    /// Checks all steps.
    func diagnosis() async -> Diagnosis {
        var result = Diagnosis(command: "keyway doctor")
        let root = await rootStep()
        result.steps.append(root.step)
        let server = await ServerSteps(target: target, origin: origin, now: now).run()
        guard root.isPlaylist else {
            return Self.incomplete(result, server)
        }
        var settings = StreamValidator.Settings()
        settings.sampling = .first
        var validator = StreamValidator(resources: resources, settings: settings)
        var requests: DeviceKeyRequests?
        if let target, server.isUsable {
            let devices = DeviceKeyRequests(client: target.client, profiles: target.profiles, dask: target.dask)
            var keys = ValidationKeys(resources: nil)
            (keys.devices, keys.requestsPersistentKeys) = (devices, target.requestsPersistentKeys)
            (requests, validator.keySource, validator.decoder) = (devices, keys, decoder)
        }
        let report: ValidationReport
        do throws(ResourceFailure) {
            report = try await validator.validate(input.location.base)
        } catch {
            result.steps[0].problems.append(
                .failure(
                    "playlist-unreadable",
                    "The playlist cannot be read: \(error.reason).",
                    remedy: "Run `keyway playlist check` on it."
                )
            )
            return Self.incomplete(result, server)
        }
        let content = ContentSteps(report, input: input)
        result.steps[0].summary = content.overview
        result.steps.append(await content.delivery(origin: origin, client: client))
        result.steps.append(content.keys)
        // A key that no device knows makes variants unplayable too.
        result.steps.append(content.variants(target?.profiles ?? DoctorCommand.standardClasses))
        result.steps += server.steps
        let licenses = LicenseSteps(
            content: content,
            target: target,
            outcomes: requests?.outcomes ?? [],
            blocked: server.blocked
        )
        result.steps += licenses.run(now: now() + (server.clockOffset ?? 0))
        result.steps.append(content.segments)
        result.steps.append(content.decryption(areKeysRequested: requests != nil))
        result.steps.append(
            await LiveStep(report: report, content: content, resources: resources, now: now, clock: clock).run()
        )
        return result
    }

    /// Returns the diagnosis if the playlist cannot be read: only the key server was checked.
    private static func incomplete(_ diagnosis: Diagnosis, _ server: ServerSteps.Results) -> Diagnosis {
        let reason = "the playlist cannot be read"
        var result = diagnosis
        result.steps += contentSteps.map { .skipped($0, reason) }
        result.steps += server.steps
        result.steps += laterSteps.map { .skipped($0, reason) }
        return result
    }

    /// Loads the playlist, and checks that it is one.
    private func rootStep() async -> (step: Diagnosis.Step, isPlaylist: Bool) {
        let name = PlaylistText.printable(PlaylistText.redacted(input.name))
        let resource: LoadedResource
        do throws(ResourceFailure) {
            resource = try await resources.load(
                StreamResourceRequest(url: input.location.base, purpose: .playlist, maximumSize: 16 << 20)
            )
        } catch {
            return (
                Diagnosis.Step("playlist", "\(name) cannot be loaded", problems: [Self.problem(error, name)]), false
            )
        }
        let kind = FileKind(resource.bytes)
        if case .playlist = kind { return (Diagnosis.Step("playlist", name), true) }
        let problem = Diagnosis.Problem.failure(
            "not-a-playlist",
            "The response is \(kind.description), not a playlist.",
            remedy: "Open the URL with `curl -i`: a login page, an error page with status 200, or a wrong path is the "
                + "usual cause."
        )
        return (Diagnosis.Step("playlist", "\(name) is not a playlist", problems: [problem]), false)
    }

    private static func problem(_ failure: ResourceFailure, _ name: String) -> Diagnosis.Problem {
        let text = "\(name) cannot be loaded: \(failure.reason)."
        if let status = failure.status {
            let remedy =
                switch status {
                case 401, 403:
                    "Give the credentials of the CDN with --header or --user; a signed URL may have expired."
                case 404, 410: "Check the path: open the URL with `curl -I`, and look where the packager wrote it."
                default: "Look into the log of the web server or CDN."
                }
            return .failure("http-\(status)", text, remedy: remedy, isUnreachable: true)
        }
        if failure.reason.contains("certificate") { return TLSAdvice.problem(text, reason: failure.reason) }
        if failure.reason.contains("Content-Encoding") {
            return .failure(
                "content-encoding",
                text,
                remedy: "Compare `curl --compressed` with `curl`: the server must send what Content-Encoding says, or "
                    + "not compress."
            )
        }
        return .failure(
            "playlist-unreachable",
            text,
            remedy: name.contains("://")
                ? "Check the URL, and that the web server is running and reachable from here."
                : "Check the path, and who may read the file.",
            isUnreachable: true
        )
    }
}

/// The advice on certificates that a client does not trust.
enum TLSAdvice {
    /// Returns the problem for a connection that failed because of a certificate.
    static func problem(_ text: String, reason: String) -> Diagnosis.Problem {
        if reason.contains("another host") {
            return .failure(
                "tls-host",
                text,
                remedy: "Use a host name that the certificate contains, or get a certificate for this name: "
                    + "`openssl s_client -connect HOST:PORT </dev/null | openssl x509 -noout -ext subjectAltName`.",
                isUnreachable: true
            )
        }
        return .failure(
            "tls-untrusted",
            text,
            remedy: "Devices accept only certificates of public authorities, with their intermediates, that have not "
                + "expired: `openssl s_client -connect HOST:PORT -showcerts`. For a test with an authority of your "
                + "own, set SSL_CERT_FILE or give --ca-file.",
            isUnreachable: true
        )
    }
}
