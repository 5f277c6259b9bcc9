import DRMSignaling
import FPSCrypto
import Packager
import ToolSupport

extension PackagingSettings {
    /// The settings of a key exchange.
    struct Exchange {
        /// The content ID on the server.
        var contentID: String
        /// The version of the documents.
        var version: CPIXDocument.Version
        /// The recipient that the server encrypts the keys for.
        var recipient: KeyExchange.Recipient?

        /// Reads the files that the command line specifies.
        ///
        /// - Throws: ``CommandFailure``.
        init?(_ options: SPEKEOptions) throws(CommandFailure) {
            guard let contentID = options.contentID else { return nil }
            self.contentID = contentID
            version = options.version.document
            guard let certificate = options.certificate, let privateKey = options.privateKey else { return }
            do {
                recipient = try KeyExchange.Recipient(
                    certificate: try CertificateFile.read(certificate.path).0,
                    privateKey: try RSAPrivateKey(try InputFile.readSecret(privateKey.path))
                )
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw .input(
                    "\(certificate) and \(privateKey): \(error)",
                    next: "give a certificate and its RSA private key in PEM"
                )
            }
        }

        /// Returns the key exchange for a job.
        func exchange(for job: PackagingJob) throws -> KeyExchange {
            guard let scheme = job.scheme else {
                throw JobFailure("scheme", "must not be none if speke requests keys: leave out one of the two")
            }
            do {
                return try KeyExchange(
                    contentID: contentID,
                    method: scheme.method,
                    systems: job.systems,
                    version: version,
                    recipient: recipient
                )
            } catch {
                throw JobFailure("speke", "\(error)")
            }
        }

        /// Returns placeholders for keys that have not been requested yet: their IDs are final, their other values are
        /// random and never used.
        func placeholders(for job: PackagingJob) throws -> ContentKeys {
            let exchange = try exchange(for: job)
            var random = SecureRandom()
            var keys = ContentKeys()
            for trackClass in TrackClass.allCases {
                guard let keyID = exchange.keyID(of: trackClass) else { continue }
                keys.classes[trackClass] = try PackagingKey(
                    keyID: keyID,
                    key: SecretBytes(count: 16, randomFrom: &random),
                    iv: SecretBytes(count: 16, randomFrom: &random)
                )
            }
            return keys
        }
    }
}

extension SPEKEClient {
    /// Returns the plan with the keys of the classes that it encrypts. The inputs of the plan stay open.
    ///
    /// - Throws: ``CommandFailure``, `KeyExchangeFailure`, `SignalingError`, and the errors of planning.
    func keys(for plan: PackagingPlan, _ settings: PackagingSettings.Exchange) async throws -> PackagingPlan {
        let exchange = try settings.exchange(for: plan.job)
        let classes = TrackClass.allCases.filter { trackClass in
            plan.renditions.contains { $0.trackClass == trackClass && $0.protection != nil }
        }
        guard !classes.isEmpty else { return plan }
        let response = try await send(exchange.question(for: classes).xml)
        var job = plan.job
        job.keys = try exchange.keys(in: response, for: classes)
        for (trackClass, protection) in job.keys.outputProtection {
            job.outputProtection.require(protection, of: trackClass)
        }
        if !job.systems.contains(.fairPlay) { try job.keys.addRandomIVs() }
        var opened = Dictionary(grouping: zip(job.inputs, plan.inputs), by: \.0.path).mapValues { $0.map(\.1) }
        return try PackagingPlan(job) { path in
            guard let input = opened[path]?.first else { throw JobFailure("input", "\(path) was not opened") }
            opened[path]?.removeFirst()
            return input
        }
    }
}
