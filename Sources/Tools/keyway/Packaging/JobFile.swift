import DRMSignaling
import Foundation
import Packager
import Yams

/// A job file: the options of `keyway package` in YAML. docs/package-command.md has an example of everything.
///
/// Unknown fields are errors, since a misspelt one would otherwise leave something unencrypted. Errors begin with the
/// file's name and the line. Paths are relative to the job file's folder.
struct JobFile {
    private let name: String
    private let folder: String
    private let environment: [String: String]
    private var settings = PackagingSettings()

    /// Reads a job file.
    ///
    /// - Parameter environment: What `key-env` takes keys from.
    static func read(
        _ path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> PackagingSettings {
        let bytes = try InputFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(path) is \(FileKind(bytes).words), not a job file", next: "save it as text in UTF-8")
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
        guard let node else { throw .input("\(path) is empty", next: "docs/package-command.md has an example") }
        try file.take(node)
        return file.settings
    }

    private mutating func take(_ root: Node) throws(CommandFailure) {
        let known =
            ["inputs", "keys", "hdcp", "allowed-cpc"] + PackagingSettings.valueNames
            + PackagingSettings.flagNames.filter { $0 != "dev" }
        for (key, node) in try fields(root, "the job", known) {
            let place = place(node)
            switch key {
            case "inputs": for item in try list(node, key) { settings.inputs.append(try input(item)) }
            case "keys": try takeKeys(node)
            case "hdcp": settings.hdcp = try pairs(node, key)
            case "allowed-cpc": settings.allowedCPC = try pairs(node, key)
            case "systems" where node.sequence != nil, "manifests" where node.sequence != nil:
                var names: [String] = []
                for item in try list(node, key) { names.append(try word(item, key)) }
                settings.values[key] = .init(text: names.joined(separator: ","), place: place)
            case "out":
                let path = try word(node, key)
                if let reason = OutputPath.refusal(path) { throw error(node, reason) }
                settings.values[key] = .init(text: resolved(path), place: place)
            case "period-keys":
                settings.values[key] = .init(text: resolved(try word(node, key)), place: place)
            case _ where PackagingSettings.flagNames.contains(key):
                if try flag(node, key) { settings.flags[key] = place }
            default: settings.values[key] = .init(text: try word(node, key), place: place)
            }
        }
    }

    /// A path with options as on the command line, or a mapping.
    private func input(_ node: Node) throws(CommandFailure) -> PackagingJob.Input {
        do {
            if node.scalar != nil {
                var input = try PackagingJob.Input(parsing: try word(node, "inputs"))
                input.path = resolved(input.path)
                return input
            }
            let fields = try fields(node, "an input", ["path"] + PackagingJob.Input.optionNames)
            guard let path = fields.first(where: { $0.key == "path" }) else {
                throw error(node, "an input has no path")
            }
            var input = PackagingJob.Input(path: resolved(try word(path.node, "path")))
            for (key, value) in fields where key != "path" {
                do {
                    try input.set(key, try word(value, key))
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

    /// `keys: dev`, or a key for `all` and for single classes.
    private mutating func takeKeys(_ node: Node) throws(CommandFailure) {
        if node.scalar != nil {
            guard try word(node, "keys") == "dev" else {
                throw error(node, "keys are a mapping of all, audio, SD, HD, UHD, or the word dev")
            }
            settings.flags["dev"] = place(node)
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

    /// A key: by `key` and `iv`, by `key-env` and `iv-env`, or by `file`.
    private func keySource(_ node: Node) throws(CommandFailure) -> PackagingSettings.KeySource {
        let known = ["key-id", "key", "iv", "key-env", "iv-env", "file"]
        var values: [String: String] = [:]
        for (key, value) in try fields(node, "a key", known) { values[key] = try word(value, key) }
        func secret(_ field: String) throws(CommandFailure) -> String? {
            let variable = values["\(field)-env"]
            guard let variable else {
                return values[field].map { $0.hasPrefix("@") ? "@" + resolved(String($0.dropFirst())) : $0 }
            }
            guard values[field] == nil else {
                throw error(node, "a key has both \(field) and \(field)-env: leave one out")
            }
            guard let value = environment[variable], !value.isEmpty else {
                // A key that was put here by mistake is not repeated.
                let name = variable.utf8.count < 32 ? variable : "of that name"
                throw error(node, "the environment has no variable \(name), which \(field)-env gives")
            }
            return value
        }
        let key = try secret("key")
        let iv = try secret("iv")
        let bytes: PackagingSettings.KeySource.Bytes
        switch (key, values["file"]) {
        case (let key?, nil): bytes = .parts(key: key, iv: iv)
        case (nil, let file?):
            guard iv == nil else { throw error(node, "the key file has the IV already: leave iv out") }
            bytes = .file(resolved(file))
        case (nil, nil): throw error(node, "a key has none of key, key-env and file: give one")
        case (.some, .some): throw error(node, "a key comes from a file and from elsewhere: leave one out")
        }
        return .init(bytes: bytes, keyID: values["key-id"], place: place(node))
    }
}

// MARK: - Nodes

extension JobFile {
    /// The fields of a mapping, each once and none that is not known.
    private func fields(
        _ node: Node,
        _ what: String,
        _ known: [String]
    ) throws(CommandFailure) -> [(key: String, node: Node)] {
        guard let mapping = node.mapping else { throw error(node, "\(what) is a mapping: write name: value") }
        var fields: [(key: String, node: Node)] = []
        for (key, value) in mapping {
            guard let name = key.string else { throw error(key, "the name of a field is a word") }
            guard let spelling = known.first(where: { $0.lowercased() == name.lowercased() }) else {
                throw error(key, "\(what) has no field “\(name)”; there are \(known.joined(separator: ", "))")
            }
            guard !fields.contains(where: { $0.key == spelling }) else {
                throw error(key, "“\(name)” stands twice: keep one of the two")
            }
            fields.append((spelling, value))
        }
        return fields
    }

    private func list(_ node: Node, _ field: String) throws(CommandFailure) -> [Node] {
        guard let sequence = node.sequence else {
            throw error(node, "\(field) is a list: write each item on a line of its own behind a hyphen")
        }
        return Array(sequence)
    }

    private func word(_ node: Node, _ field: String) throws(CommandFailure) -> String {
        guard let scalar = node.scalar, !scalar.string.isEmpty else {
            throw error(node, "\(field) is one word or number")
        }
        return scalar.string
    }

    private func flag(_ node: Node, _ field: String) throws(CommandFailure) -> Bool {
        switch try word(node, field).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error(node, "\(field) is true or false")
        }
    }

    /// `UHD: TYPE-1` as the command line has it: `UHD=TYPE-1`.
    private func pairs(_ node: Node, _ field: String) throws(CommandFailure) -> [PackagingSettings.Setting] {
        guard let mapping = node.mapping else {
            throw error(node, "\(field) is a mapping of classes or variants: write UHD: value")
        }
        var pairs: [PackagingSettings.Setting] = []
        for (key, value) in mapping {
            pairs.append(.init(text: "\(try word(key, field))=\(try word(value, field))", place: place(value)))
        }
        return pairs
    }

    private func resolved(_ path: String) -> String {
        path == "-" || path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
    }

    private func place(_ node: Node) -> PackagingSettings.Place { .file(name, line: node.mark?.line ?? 0) }

    private func error(_ node: Node, _ reason: String) -> CommandFailure {
        .input("\(name):\(node.mark?.line ?? 0): \(reason)")
    }

    /// What the YAML reader says. Its own words repeat the line, in which a key may stand.
    private func syntaxError(_ error: any Error) -> CommandFailure {
        let (line, problem): (Int, String) =
            switch error as? YamlError {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                (mark.line, problem)
            case .duplicatedKeysInMapping(let names, let context):
                (context.mark.line, "“\(names.first ?? "")” stands twice: keep one of the two")
            default: (0, "it is no YAML")
            }
        return .input("\(name):\(line): \(problem)", next: "docs/package-command.md has an example")
    }
}
