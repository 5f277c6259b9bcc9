import FPSCrypto
import Foundation
import KeyServerModule
import ServerCrypto
import Testing

@testable import KeyServer

@Suite("The application")
struct KeyServerApplicationTests {
    @Test("Its log contains no part of the configuration, also not the description of a service")
    func log() async throws {
        var setup = TestApplication()
        var webhook = ServerConfiguration.Webhook()
        webhook.url = "http://127.0.0.1:1/a-secret-path"
        setup.configuration.authorization.webhook = webhook
        try await setup.run { (running: RunningApplication) async throws in
            #expect(try await fetch(running.port, "/healthz").status == 200)
            #expect("\(running.application)" == "KeyServerApplication")
        }
        #expect(setup.log.text.contains("KeyServerApplication"))
        #expect(!setup.log.text.contains("a-secret-path"))
    }

    @Test("Services are stopped from the last to the first: readiness, event streams, players, administration")
    func order() throws {
        let services = try TestApplication().application().services()
        #expect(
            services.map { "\(type(of: $0))" } == [
                "StorePruning", "ActivityHistory", "KeyPeriodService", "BundleReload", "ListenerService",
                "ListenerService", "DashboardEventService", "ReadinessService",
            ]
        )
    }

    @Test("Files that cannot be used for TLS are refused with the setting and the kind of failure")
    func files() throws {
        let files = try CertificateFiles()
        defer { files.remove() }
        try files.replace("a")
        func error(_ change: (inout ServerConfiguration) throws -> Void) throws -> ServerTLSError? {
            var setup = TestApplication()
            setup.configuration.tls.certificate = files.certificate
            setup.configuration.tls.key = files.key
            try change(&setup.configuration)
            let application = setup
            return #expect(throws: ServerTLSError.self) { _ = try application.application() }
        }
        let missing = try error { $0.tls.key = files.key + ".missing" }
        #expect(missing?.isUnusableKeyFile == true && missing?.description.hasPrefix("tls.key: ") == true)
        let authorities = try error { $0.admin.clientCA = files.key }
        #expect(authorities?.isUnusableKeyFile == false)
        #expect(authorities?.description.hasPrefix("admin.clientCA: \(files.key) cannot be read") == true)
        let mismatch = try error { _ in
            try Data(RSAPrivateKey.generate(bits: 2_048).pem().reveal()).write(to: URL(fileURLWithPath: files.key))
        }
        #expect(mismatch?.isUnusableKeyFile == false)
        #expect(mismatch?.description == "tls: \(files.certificate) and \(files.key) cannot be used together")
    }
}
