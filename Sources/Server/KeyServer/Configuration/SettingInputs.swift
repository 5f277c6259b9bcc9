import Foundation
import Yams

/// What file, environment and command line say, before anybody knows what it means.
struct SettingInputs {
    enum Content: Equatable {
        case scalar(String)
        /// `name:` with nothing after it.
        case nothing
        case list(count: Int)
        case section
    }

    struct Entry {
        let content: Content
        let origin: SettingOrigin
    }

    /// Deeper than any setting is.
    private static let maximumDepth = 8
    /// Larger than any configuration is; YAML can say much in few bytes, so the entries are counted too.
    static let maximumBytes = 1 << 20
    private static let maximumEntries = 10_000

    private(set) var entries: [String: Entry] = [:]
    private(set) var problems: [ConfigurationProblem] = []
    /// The folder of the file, from which paths in it are taken.
    private(set) var folder = ""

    init() {}

    /// Takes a file's text.
    mutating func take(yaml text: String, file: String) {
        folder = (file as NSString).deletingLastPathComponent
        do {
            guard let root = try Yams.compose(yaml: text) else { return }
            guard root.mapping != nil else {
                return fail(root, file, "", "the file is no list of settings; write `name: value` lines")
            }
            take(root, file, path: "", depth: 0)
        } catch {
            problems.append(Self.syntaxProblem(error, file))
        }
    }

    /// Puts a value in the place of what was there.
    mutating func set(_ path: String, _ text: String, _ origin: SettingOrigin) {
        entries = entries.filter { !$0.key.hasPrefix(path + "[") && !$0.key.hasPrefix(path + ".") }
        entries[path] = Entry(content: .scalar(text), origin: origin)
        // The sections around it are there now.
        var parts = path.split(separator: ".").dropLast()
        while !parts.isEmpty {
            let section = parts.joined(separator: ".")
            if entries[section] == nil || entries[section]?.content == .nothing {
                entries[section] = Entry(content: .section, origin: origin)
            }
            parts.removeLast()
        }
    }

    private mutating func take(_ node: Node, _ file: String, path: String, depth: Int) {
        let origin = SettingOrigin.file(file, line: node.mark?.line ?? 1)
        guard depth < Self.maximumDepth, entries.count < Self.maximumEntries else {
            return fail(node, file, path, "there is more here than any setting takes")
        }
        switch node {
        case .mapping(let mapping):
            if !path.isEmpty { entries[path] = Entry(content: .section, origin: origin) }
            for (key, value) in mapping {
                guard let name = key.scalar?.string, !name.isEmpty, !name.contains(where: { ".[]".contains($0) }) else {
                    fail(key, file, path, "a setting's name is a word; see `keyway-server config example`")
                    continue
                }
                let inner = path.isEmpty ? name : "\(path).\(name)"
                take(value, file, path: inner, depth: depth + 1)
                // The line of the name, where a reader looks first.
                if let line = key.mark?.line, let entry = entries[inner] {
                    entries[inner] = Entry(content: entry.content, origin: .file(file, line: line))
                }
            }
        case .sequence(let sequence):
            entries[path] = Entry(content: .list(count: sequence.count), origin: origin)
            for (index, item) in sequence.enumerated() {
                take(item, file, path: "\(path)[\(index)]", depth: depth + 1)
            }
        case .scalar(let scalar):
            let isNothing = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            entries[path] = Entry(content: isNothing ? .nothing : .scalar(scalar.string), origin: origin)
        case .alias:
            fail(node, file, path, "references are not understood here; write the value again")
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
                reason: "this is no YAML: \(problem); mind the indentation, and quote what has special characters"
            )
        case YamlError.duplicatedKeysInMapping(let duplicates, let context):
            return .init(
                origin: .file(file, line: context.mark.line),
                path: duplicates.joined(separator: ", "),
                reason: "stands there twice; remove one"
            )
        default:
            return .init(origin: .file(file, line: 1), path: "", reason: "this is no YAML in UTF-8")
        }
    }
}
