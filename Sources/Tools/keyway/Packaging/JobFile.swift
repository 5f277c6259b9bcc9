import ArgumentParser
import DRMSignaling
import FileWriting
import Foundation
import Packager
import ToolSupport
import Yams

/// A job file: the options of `keyway package` in YAML. docs/package-command.md has a complete example.
///
/// Unknown fields are errors, because a misspelled field could otherwise leave something unencrypted. Errors begin with
/// the name of the file and the line. Paths are relative to the folder of the job file.
struct JobFile {
    private let name: String
    private let folder: String
    private let environment: [String: String]
    private var settings = PackagingSettings()

    /// Reads a job file.
    ///
    /// - Parameter environment: The environment that `key-env` and `iv-env` refer to.
    static func read(
        _ path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> PackagingSettings {
        let bytes = try InputFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(path) is \(FileKind(bytes).description), not a job file", next: "save it as UTF-8 text")
        }
        var file = JobFile(
            name: path,
            folder: path == "-" ? "" : (path as NSString).deletingLastPathComponent,
            environment: environment
        )
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            throw file.syntaxError(error)
        }
        guard let node else { throw .input("\(path) is empty", next: "see docs/package-command.md for an example") }
        try file.read(node)
        return file.settings
    }

    private mutating func read(_ root: Node) throws(CommandFailure) {
        let known =
            ["inputs", "keys", "hdcp", "allowed-cpc", "license-url"] + PackagingSetting.all.map(\.name)
            + PackagingSettings.flagNames.filter { $0 != "dev" }
        for (key, node) in try fields(root, "the job", known) {
            switch key {
            case "inputs": for item in try list(node, key) { settings.inputs.append(try input(item)) }
            case "keys": try readKeys(node)
            case "hdcp": settings.hdcp = try rules(node, key, OutputProtectionRule.hdcpLevel)
            case "license-url": settings.licenseURLs = try rules(node, key, LicenseURLArgument.parse)
            case "allowed-cpc": settings.allowedCPC = try rules(node, key, OutputProtectionRule.allowedCPC)
            case _ where PackagingSettings.flagNames.contains(key):
                if try flag(node, key) { settings.flags[key] = location(node) }
            default:
                guard let setting = PackagingSetting.named(key) else { continue }
                let text = try text(of: setting, node)
                do throws(ValidationError) {
                    try setting.read(text, location(node), &settings)
                } catch {
                    throw self.error(node, "\(key): \(error.message)")
                }
            }
        }
    }

    /// Returns the text of a setting as on the command line.
    private func text(of setting: PackagingSetting, _ node: Node) throws(CommandFailure) -> String {
        switch setting.form {
        case .list where node.sequence != nil:
            var words: [String] = []
            for item in try list(node, setting.name) { words.append(try string(item, setting.name)) }
            return words.joined(separator: ",")
        case .value, .list: return try string(node, setting.name)
        case .path:
            let path = try string(node, setting.name)
            return OutputPath.refusal(path) == nil ? resolved(path) : path
        case .secret: return reference(try string(node, setting.name))
        }
    }

    /// Parses a path with options as on the command line, or a mapping.
    private func input(_ node: Node) throws(CommandFailure) -> PackagingJob.Input {
        do {
            if node.scalar != nil {
                var input = try PackagingJob.Input(parsing: try string(node, "inputs"))
                if !input.isFromNetwork { input.path = resolved(input.path) }
                return input
            }
            let fields = try fields(node, "an input", ["path"] + PackagingJob.Input.optionNames)
            guard let path = fields.first(where: { $0.key == "path" }) else {
                throw error(node, "the input has no path: add path")
            }
            let text = try string(path.node, "path")
            var input = PackagingJob.Input(path: text)
            do { try input.checkAddress() } catch { throw self.error(path.node, error.reason) }
            if !input.isFromNetwork { input.path = resolved(text) }
            for (key, value) in fields where key != "path" {
                do {
                    try input.set(key, try string(value, key))
                } catch let failure as JobFailure {
                    throw error(value, failure.reason)
                }
            }
            return input
        } catch let failure as CommandFailure {
            throw failure
        } catch let failure as JobFailure {
            throw error(node, failure.reason)
        } catch {
            throw self.error(node, "\(error)")
        }
    }

    /// Parses `keys: dev`, or keys for `all` and for single classes.
    private mutating func readKeys(_ node: Node) throws(CommandFailure) {
        if node.scalar != nil {
            guard try string(node, "keys") == "dev" else {
                throw error(node, "keys: expected a mapping with all, audio, SD, HD or UHD, or the value dev")
            }
            settings.flags["dev"] = location(node)
            return
        }
        let classes = TrackClass.allCases.map(\.rawValue)
        for (key, value) in try fields(node, "keys", ["all"] + classes) {
            let source = try keySource(value)
            if let trackClass = TrackClass(parsing: key) {
                settings.classKeys[trackClass] = source
            } else {
                settings.sharedKey = source
            }
        }
    }

    /// Parses a key: `key` and `iv`, `key-env` and `iv-env`, or `file`.
    private func keySource(_ node: Node) throws(CommandFailure) -> PackagingSettings.KeySource {
        let known = ["key-id", "key", "iv", "key-env", "iv-env", "file"]
        var values: [String: String] = [:]
        for (key, value) in try fields(node, "a key", known) { values[key] = try string(value, key) }
        func secret(_ field: String) throws(CommandFailure) -> String? {
            let variable = values["\(field)-env"]
            guard let variable else {
                return values[field].map(reference)
            }
            guard values[field] == nil else {
                throw error(node, "\(field) and \(field)-env cannot be combined: leave out one of the two")
            }
            guard let value = environment[variable], !value.isEmpty else {
                // A long value is probably a key instead of a name, so it is not printed.
                let name = variable.utf8.count < 32 ? "\(variable) " : ""
                throw error(node, "\(field)-env: the environment variable \(name)is not set")
            }
            return value
        }
        let key = try secret("key").map { HexArgument(argument: $0) }
        let iv = try secret("iv").map { HexArgument(argument: $0) }
        let bytes: PackagingSettings.KeySource.Bytes
        switch (key, values["file"]) {
        case (let key?, nil): bytes = .parts(key: key, iv: iv)
        case (nil, let file?):
            guard iv == nil else { throw error(node, "the key file contains the IV already: leave out iv") }
            bytes = .file(InputPath(argument: resolved(file)))
        case (nil, nil): throw error(node, "the key has no value: add key, key-env, or file")
        case (.some, .some): throw error(node, "file cannot be combined with key or key-env: leave out one of the two")
        }
        var source = PackagingSettings.KeySource(bytes: bytes, location: location(node))
        if let text = values["key-id"] {
            source.keyID = try parsed(node, "key-id") { () throws(ValidationError) in try PackagingValue.keyID(text) }
        }
        return source
    }
}

// MARK: - Nodes

extension JobFile {
    /// Returns the fields of a mapping; unknown and duplicate fields are errors.
    private func fields(
        _ node: Node,
        _ what: String,
        _ known: [String]
    ) throws(CommandFailure) -> [(key: String, node: Node)] {
        guard let mapping = node.mapping else { throw error(node, "\(what): expected a mapping (NAME: VALUE)") }
        var fields: [(key: String, node: Node)] = []
        for (key, value) in mapping {
            guard let name = key.string else { throw error(key, "the name of a field must be a string") }
            guard let spelling = known.first(where: { $0.lowercased() == name.lowercased() }) else {
                throw error(key, "\(what) has no field “\(name)”; the fields are \(known.joined(separator: ", "))")
            }
            guard !fields.contains(where: { $0.key == spelling }) else {
                throw error(key, "“\(name)” occurs twice: leave out one of the two")
            }
            fields.append((spelling, value))
        }
        return fields
    }

    private func list(_ node: Node, _ field: String) throws(CommandFailure) -> [Node] {
        guard let sequence = node.sequence else {
            throw error(node, "\(field): expected a list, with each item on a separate line after a hyphen")
        }
        return Array(sequence)
    }

    private func string(_ node: Node, _ field: String) throws(CommandFailure) -> String {
        guard let scalar = node.scalar, !scalar.string.isEmpty else {
            throw error(node, "\(field): expected a string or number")
        }
        return scalar.string
    }

    private func flag(_ node: Node, _ field: String) throws(CommandFailure) -> Bool {
        switch try string(node, field).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error(node, "\(field): expected true or false")
        }
    }

    /// Parses `UHD: TYPE-1`, which is `UHD=TYPE-1` on the command line.
    private func rules<Rule>(
        _ node: Node,
        _ field: String,
        _ parse: (String) throws(ValidationError) -> Rule
    ) throws(CommandFailure) -> [PackagingSettings.Setting<Rule>] {
        guard let mapping = node.mapping else {
            let example =
                field == "license-url" ? "systems, such as fairplay: URL" : "classes or variants, such as UHD: VALUE"
            throw error(node, "\(field): expected a mapping of \(example)")
        }
        var rules: [PackagingSettings.Setting<Rule>] = []
        for (key, value) in mapping {
            let text = "\(try string(key, field))=\(try string(value, field))"
            let rule = try parsed(value, field) { () throws(ValidationError) in try parse(text) }
            rules.append(.init(value: rule, location: location(value)))
        }
        return rules
    }

    /// Performs a closure that parses a field, and adds the field and its line to errors.
    private func parsed<Value>(
        _ node: Node,
        _ field: String,
        _ parse: () throws(ValidationError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(ValidationError) { return try parse() } catch {
            throw self.error(node, "\(field): \(error.message)")
        }
    }

    /// Returns a secret, or `@` and the resolved path of a file.
    private func reference(_ text: String) -> String {
        text.hasPrefix("@") ? "@" + resolved(String(text.dropFirst())) : text
    }

    private func resolved(_ path: String) -> String {
        path == "-" || path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
    }

    private func location(_ node: Node) -> PackagingSettings.Location { .file(name, line: node.mark?.line ?? 0) }

    private func error(_ node: Node, _ reason: String) -> CommandFailure {
        .input("\(name):\(node.mark?.line ?? 0): \(reason)")
    }

    /// Returns a failure for a YAML syntax error. The parser's own message repeats the line, which may contain a key.
    private func syntaxError(_ error: any Error) -> CommandFailure {
        let (line, problem): (Int, String) =
            switch error as? YamlError {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                (mark.line, problem)
            case .duplicatedKeysInMapping(let names, let context):
                (context.mark.line, "“\(names.first ?? "")” occurs twice: leave out one of the two")
            default: (0, "the file is not valid YAML")
            }
        return .input("\(name):\(line): \(problem)", next: "see docs/package-command.md for an example")
    }
}
