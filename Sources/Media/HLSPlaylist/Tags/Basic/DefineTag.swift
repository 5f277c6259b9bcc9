import ByteCoding
import TextCoding

/// EXT-X-DEFINE: the definition of a variable to which the following lines may refer (section 4.4.2.3).
///
///     #EXT-X-DEFINE:<attribute-list>          exactly one of NAME, IMPORT and QUERYPARAM
///
///     NAME         quoted string   1*( ALPHA / DIGIT / "-" / "_" )
///     VALUE        quoted string   required with NAME; may be empty
///     IMPORT       quoted string   only in Media Playlists: the value is that of the Multivariant Playlist's variable
///     QUERYPARAM   quoted string   the value is that of the parameter in the playlist's URL
public struct DefineTag: Hashable, Sendable {
    /// The source of the variable's value.
    public enum Definition: Hashable, Sendable {
        /// The value in the tag itself.
        case value(name: String, value: String)
        /// The value of the variable with the same name in the Multivariant Playlist.
        case imported(name: String)
        /// The percent-decoded value of the query parameter with the same name in the URL of the playlist.
        case queryParameter(name: String)
    }

    /// The source of the variable's value.
    public var definition: Definition
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(_ definition: Definition, otherAttributes: [Attribute] = []) {
        self.definition = definition
        self.otherAttributes = otherAttributes
    }

    /// The name of the variable.
    public var name: String {
        switch definition {
        case .value(let name, _), .imported(let name), .queryParameter(let name): name
        }
    }
}

extension DefineTag: AttributeTag {
    static let name = TagName.define

    init(reading attributes: inout AttributeReader) {
        let name = attributes.quotedString("NAME")
        let value = attributes.quotedString("VALUE", allowsEmpty: true)
        let imported = attributes.quotedString("IMPORT")
        let parameter = attributes.quotedString("QUERYPARAM")
        otherAttributes = attributes.remaining()
        // A malformed attribute is not reported as missing as well.
        func reject(_ message: String) {
            if attributes.hasProblem {
                attributes.rejectReported()
            } else {
                attributes.reject(.invalidDefine, message)
            }
        }
        switch (name, imported, parameter) {
        case (let name?, nil, nil): definition = .value(name: name, value: value ?? "")
        case (nil, let imported?, nil): definition = .imported(name: imported)
        case (nil, nil, let parameter?): definition = .queryParameter(name: parameter)
        default:
            definition = .value(name: "", value: "")
            reject("the tag must have exactly one of NAME, IMPORT and QUERYPARAM")
            return
        }
        if name != nil, value == nil { reject("the tag has NAME but no VALUE") }
        if !VariableTable.isName(self.name) {
            attributes.reject(
                .invalidDefine,
                "\(ReadingContext.quoted(self.name)) is not a variable name: use "
                    + "letters, digits, hyphens and underscores"
            )
        }
    }

    func write(to attributes: inout AttributeWriter) {
        switch definition {
        case .value(let name, let value):
            attributes.quotedString("NAME", name)
            attributes.quotedString("VALUE", value, allowsEmpty: true)
        case .imported(let name): attributes.quotedString("IMPORT", name)
        case .queryParameter(let name): attributes.quotedString("QUERYPARAM", name)
        }
        attributes.others(otherAttributes)
    }
}

extension [DefineTag] {
    /// Returns the values of the variables that the tags define. The values of imported variables and query parameters
    /// are read from `known`.
    func values(known: [String: String]) -> [String: String] {
        var values: [String: String] = [:]
        for tag in self where values[tag.name] == nil {
            if case .value(_, let value) = tag.definition {
                values[tag.name] = value
            } else {
                values[tag.name] = known[tag.name]
            }
        }
        return values
    }
}

extension ReadingContext {
    /// Adds the variable to those to which the following lines may refer.
    func define(_ tag: DefineTag, in kind: Playlist.Kind) {
        let value: String?
        switch tag.definition {
        case .value(_, let text): value = text
        case .imported(let name):
            value = options.importedVariables?[name]
            if kind == .multivariant {
                report(.invalidDefine, "EXT-X-DEFINE: IMPORT is not allowed in a Multivariant Playlist")
            } else if value == nil {
                let reason =
                    options.importedVariables == nil
                    ? "the playlist was not loaded from a Multivariant Playlist"
                    : "the Multivariant Playlist does not define the variable"
                report(.unresolvedImport, "EXT-X-DEFINE: \(Self.quoted(name)) cannot be imported: \(reason)")
            }
        case .queryParameter(let name):
            value = options.url.flatMap { QueryParameters.value(of: name, in: $0) }
            if let value, value.utf8.contains(where: { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) {
                report(
                    .invalidDefine,
                    "EXT-X-DEFINE: the value of the query parameter \(Self.quoted(name)) contains a double quote or a "
                        + "line break"
                )
            } else if value == nil {
                report(
                    .unresolvedQueryParameter,
                    "EXT-X-DEFINE: the playlist's URL has no query parameter \(Self.quoted(name)) with a value"
                )
            }
        }
        guard variables.values.count < options.limits.variables else {
            return report(.limitExceeded, "the playlist defines more than \(options.limits.variables) variables")
        }
        // An unresolved variable counts as defined, so that references to it are not reported as well.
        if !variables.define(tag.name, value ?? "") {
            report(.duplicateVariable, "EXT-X-DEFINE: \(Self.quoted(tag.name)) is defined more than once")
        }
    }
}

/// Functions for the query of a URL.
///
///     query = parameter *( "&" parameter )      parameter = name [ "=" value ]
enum QueryParameters {
    /// Returns the percent-decoded value of the first parameter with the name and a value; nil when there is none.
    static func value(of name: String, in url: String) -> String? {
        let withoutFragment = url.prefix { $0 != "#" }
        guard let mark = withoutFragment.firstIndex(of: "?") else { return nil }
        for parameter in withoutFragment[withoutFragment.index(after: mark)...].split(separator: "&") {
            guard let equals = parameter.firstIndex(of: "="), decoded(parameter[..<equals]) == name,
                let value = decoded(parameter[parameter.index(after: equals)...]), !value.isEmpty
            else { continue }
            return value
        }
        return nil
    }

    private static func decoded(_ text: Substring) -> String? {
        String(validating: PercentEncoding.decodeLeniently(text.utf8), as: UTF8.self)
    }
}
