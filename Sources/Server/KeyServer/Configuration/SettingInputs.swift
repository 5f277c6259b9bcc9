import Foundation
import Yams

/// The unparsed values from the file, the environment and the command line.
struct SettingInputs {
    enum Content: Equatable {
        case scalar(String)
        /// A name with no value, `name:`.
        case nothing
        case list(count: Int)
        case section
    }

    struct Entry {
        let content: Content
        let origin: SettingOrigin
    }

    /// The maximum nesting depth, more than any setting needs.
    private static let maximumDepth = 8
    /// The maximum size of the file. A small YAML file can expand to many entries, so entries are limited too.
    static let maximumBytes = 1 << 20
    private static let maximumEntries = 10_000

    private(set) var entries: [String: Entry] = [:]
    private(set) var problems: [ConfigurationProblem] = []
    /// The folder of the file; relative paths in the file start from it.
    private(set) var folder = ""

    init() {}

    /// Reads the text of a file.
    mutating func read(yaml text: String, file: String) {
        folder = (file as NSString).deletingLastPathComponent
        do {
            guard let root = try Yams.compose(yaml: text) else { return }
            guard root.mapping != nil else {
                return fail(root, file, "", "the file is not a list of settings; write lines of the form `name: value`")
            }
            read(root, file, path: "", depth: 0)
        } catch {
            problems.append(Self.syntaxProblem(error, file))
        }
    }

    /// Sets a value, replacing previous values of the setting and of the settings in it.
    mutating func set(_ path: String, _ text: String, _ origin: SettingOrigin) {
        entries = entries.filter { !$0.key.hasPrefix(path + "[") && !$0.key.hasPrefix(path + ".") }
        entries[path] = Entry(content: .scalar(text), origin: origin)
        // Create the sections that contain the setting.
        var parts = path.split(separator: ".").dropLast()
        while !parts.isEmpty {
            let section = parts.joined(separator: ".")
            if entries[section] == nil || entries[section]?.content == .nothing {
                entries[section] = Entry(content: .section, origin: origin)
            }
            parts.removeLast()
        }
    }

    private mutating func read(_ node: Node, _ file: String, path: String, depth: Int) {
        let origin = SettingOrigin.file(file, line: node.mark?.line ?? 1)
        guard depth < Self.maximumDepth, entries.count < Self.maximumEntries else {
            return fail(node, file, path, "is nested too deeply, or the file has too many settings")
        }
        switch node {
        case .mapping(let mapping):
            if !path.isEmpty { entries[path] = Entry(content: .section, origin: origin) }
            for (key, value) in mapping {
                guard let name = key.scalar?.string, !name.isEmpty, !name.contains(where: { ".[]".contains($0) }) else {
                    fail(key, file, path, "the name of a setting must be a word; see `keyway-server config example`")
                    continue
                }
                let inner = path.isEmpty ? name : "\(path).\(name)"
                read(value, file, path: inner, depth: depth + 1)
                // Report the line of the name, which is more useful than that of the value.
                if let line = key.mark?.line, let entry = entries[inner] {
                    entries[inner] = Entry(content: entry.content, origin: .file(file, line: line))
                }
            }
        case .sequence(let sequence):
            entries[path] = Entry(content: .list(count: sequence.count), origin: origin)
            for (index, item) in sequence.enumerated() {
                read(item, file, path: "\(path)[\(index)]", depth: depth + 1)
            }
        case .scalar(let scalar):
            let isNothing = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            entries[path] = Entry(content: isNothing ? .nothing : .scalar(scalar.string), origin: origin)
        case .alias:
            fail(node, file, path, "YAML aliases are not supported; write the value again")
        }
    }

    private mutating func fail(_ node: Node, _ file: String, _ path: String, _ reason: String) {
        problems.append(.init(origin: .file(file, line: node.mark?.line ?? 1), path: path, reason: reason))
    }

    private static func syntaxProblem(_ error: any Error, _ file: String) -> ConfigurationProblem {
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            return .init(
                origin: .file(file, line: mark.line),
                path: "",
                reason: "invalid YAML: \(problem); check the indentation, and quote values with special characters"
            )
        case YamlError.duplicatedKeysInMapping(let duplicates, let context):
            return .init(
                origin: .file(file, line: context.mark.line),
                path: duplicates.joined(separator: ", "),
                reason: "is set more than once; remove all but one"
            )
        default:
            return .init(origin: .file(file, line: 1), path: "", reason: "the file is not YAML in UTF-8")
        }
    }
}
