import DRMSignaling
import FPSCrypto
import Packager

extension PackagingSettings {
    /// What an exchange of keys needs beside the job.
    struct Exchange {
        /// What the server calls the content.
        var contentID: String
        /// To whom the keys come encrypted.
        var recipient: KeyExchange.Recipient?

        /// Reads the files that the command line names.
        ///
        /// - Throws: ``CommandFailure``.
        init?(_ options: SPEKEOptions) throws(CommandFailure) {
            guard let contentID = options.contentID else { return nil }
            self.contentID = contentID
            guard let certificate = options.certificate, let path = options.privateKey else { return }
            do {
                recipient = try KeyExchange.Recipient(
                    certificate: try CertificateFile.read(certificate).0,
                    privateKey: try RSAPrivateKey(try InputFile.readSecret(path))
                )
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw .input("\(certificate) and \(path): \(error)", next: "give a certificate and its RSA key in PEM")
            }
        }

        /// The exchange for a job.
        func exchange(for job: PackagingJob) throws -> KeyExchange {
            guard let scheme = job.scheme else {
                throw JobFailure("scheme", "keys are fetched, and the scheme none needs none: leave one of the two out")
            }
            do {
                return try KeyExchange(
                    contentID: contentID,
                    method: scheme.method,
                    systems: job.systems,
                    recipient: recipient
                )
            } catch {
                throw JobFailure("speke", "\(error)")
            }
        }

        /// What stands in the place of the keys until they are fetched: their IDs are right, the rest is random and never
        /// used.
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
    /// The plan with the keys of the classes that it encrypts. Its inputs stay open.
    ///
    /// - Throws: ``CommandFailure``, `KeyExchangeFailure`, `SignalingError`, and what planning throws.
    func keys(for plan: PackagingPlan, _ settings: PackagingSettings.Exchange) async throws -> PackagingPlan {
        let exchange = try settings.exchange(for: plan.job)
        let classes = TrackClass.allCases.filter { trackClass in
            plan.renditions.contains { $0.trackClass == trackClass && $0.protection != nil }
        }
        guard !classes.isEmpty else { return plan }
        let answer = try await ask(exchange.question(for: classes).xml)
        var job = plan.job
        job.keys = try exchange.keys(in: answer, for: classes)
        if !job.systems.contains(.fairPlay) { try job.keys.addRandomIVs() }
        var opened = Dictionary(grouping: zip(job.inputs, plan.inputs), by: \.0.path).mapValues { $0.map(\.1) }
        return try PackagingPlan(job) { path in
            guard let input = opened[path]?.first else { throw JobFailure("input", "\(path) was not opened") }
            opened[path]?.removeFirst()
            return input
        }
    }
}
