import Foundation
import Testing
import VectorFiles

/// Runs the built executable.
struct Tool {
    /// The result of a run.
    struct Outcome {
        /// The exit code.
        let status: Int32
        /// Standard output.
        let output: [UInt8]
        /// Standard error.
        let errors: String

        /// Standard output as text.
        var text: String { String(decoding: output, as: UTF8.self) }

        /// Standard output as a JSON object.
        func json() throws -> [String: Any] { try Tool.json(output) }
    }

    /// The path of the executable, next to the test bundle.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "keyway"
    )

    /// A folder for the files of one test.
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Reads a JSON object.
    static func json(_ text: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    }

    /// Writes a file and returns its path.
    func file(_ name: String, _ bytes: some Collection<UInt8>) throws -> String {
        let url = folder.url.appending(path: name)
        try Data(bytes).write(to: url)
        return url.path
    }

    /// Returns the path of a file, which may not exist.
    func path(_ name: String) -> String { folder.url.appending(path: name).path }

    /// Returns the content of a file.
    func content(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    /// Runs the tool in the folder.
    ///
    /// - Parameters:
    ///   - openFiles: The soft limit of open files in the shell that starts the tool.
    ///   - program: The name of the executable.
    @discardableResult
    func run(
        _ arguments: [String],
        input: [UInt8] = [],
        output: FileHandle? = nil,
        environment: [String: String] = [:],
        openFiles: Int? = nil,
        program: String = "keyway"
    ) throws -> Outcome {
        let run = UUID().uuidString
        let streams = try ["in", "out", "err"].map { try file("\(run).\($0)", $0 == "in" ? input : []) }
        defer { for path in streams { try? FileManager.default.removeItem(atPath: path) } }
        let executable = Self.executable.deletingLastPathComponent().appending(path: program)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let openFiles {
            process.executableURL = URL(filePath: "/bin/sh")
            let limited = #"ulimit -Sn \#(openFiles) && exec "$0" "$@""#
            process.arguments = ["-c", limited, executable.path] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = folder.url
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: streams[0]))
        process.standardOutput = try output ?? FileHandle(forWritingTo: URL(filePath: streams[1]))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: streams[2]))
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationReason == .exit, "\(program) \(arguments) crashed")
        return Outcome(
            status: process.terminationStatus,
            output: try content(streams[1]),
            errors: String(decoding: try content(streams[2]), as: UTF8.self)
        )
    }
}

/// A folder that is deleted when the test ends.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The keys of TestVectors/keys.
enum Keys {
    static func path(_ name: String) -> String { folder.appending(path: name).path }

    /// A copy of TestVectors/keys next to the test bundle, which only its owner can read: git does not store modes, and
    /// keyway warns about keys that others can read.
    static let folder: URL = {
        let manager = FileManager.default
        let source = VectorFile.root.appending(path: "keys")
        let folder = Tool.executable.deletingLastPathComponent().appending(path: "keyway-test-keys")
        try? manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in (try? manager.contentsOfDirectory(atPath: source.path)) ?? [] {
            // Other test processes may use the folder concurrently.
            let draft = folder.appending(path: ".\(name).\(UUID().uuidString)").path
            _ = manager.createFile(
                atPath: draft,
                contents: manager.contents(atPath: source.appending(path: name).path),
                attributes: [.posixPermissions: 0o600]
            )
            rename(draft, folder.appending(path: name).path)
        }
        return folder
    }()

    /// The SHA-1 of the certificate test-rsa-1024, as SPCs contain it.
    private static let hashOfRSA1024 = VectorFile.bytes(hexadecimal: "2d8630d03b8056e831fd0c363c209a507c5e1ad4") ?? []

    /// Returns the options that open a vector of spc/: the private key for its hash or version, and its DASk.
    static func options(for vector: VectorFile, certificate: Bool = false) -> [String] {
        let isForRSA1024 = vector.message.dropFirst(280).starts(with: hashOfRSA1024)
        let name = isForRSA1024 || vector.message.prefix(4) == [0, 0, 0, 1] ? "test-rsa-1024" : "test-rsa-2048"
        let dask = vector["dask"].flatMap { $0.hasPrefix("fixed ") ? String($0.dropFirst(6)) : nil }
        return ["--private-key", path("\(name).pem")] + (certificate ? ["--certificate", path("\(name).der")] : [])
            + (dask.map { ["--dask", $0] } ?? ["--ask", "@\(path("test-ask.hex"))"])
    }
}

extension VectorFile {
    /// Returns all vectors of a folder that must be accepted.
    static func successes(in folder: String) throws -> [VectorFile] { try all(in: folder).filter(\.isSuccess) }

    /// Returns the SPC that a vector of ckc/ responds to.
    func answered() throws -> VectorFile {
        let path = try #require(self["spc-file"])
        return try VectorFile(path: String(path.dropFirst(3)))
    }
}
