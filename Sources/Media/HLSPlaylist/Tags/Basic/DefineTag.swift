import ByteCoding
import TextCoding

/// EXT-X-DEFINE: a variable for the lines below it (section 4.4.2.3).
///
///     #EXT-X-DEFINE:<attribute-list>          exactly one of NAME, IMPORT and QUERYPARAM
///
///     NAME         quoted string   1*( ALPHA / DIGIT / "-" / "_" )
///     VALUE        quoted string   required beside NAME; may be empty
///     IMPORT       quoted string   in Media Playlists: takes the value from the Multivariant Playlist
///     QUERYPARAM   quoted string   takes the value from the query of the playlist's URL
public struct DefineTag: Hashable, Sendable {
    /// Where the variable's value comes from.
    public enum Definition: Hashable, Sendable {
        /// From the tag itself.
        case value(name: String, value: String)
        /// From the variable of the same name in the Multivariant Playlist.
        case imported(name: String)
        /// From the parameter of the same name in the URL of the playlist, percent-decoded.
        case queryParameter(name: String)
    }

    /// Where the variable's value comes from.
    public var definition: Definition
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
    public init(_ definition: Definition, otherAttributes: [Attribute] = []) {
        self.definition = definition
        self.otherAttributes = otherAttributes
    }

    /// The variable's name.
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
        switch (name, imported, parameter) {
        case (let name?, nil, nil): definition = .value(name: name, value: value ?? "")
        case (nil, let imported?, nil): definition = .imported(name: imported)
        case (nil, nil, let parameter?): definition = .queryParameter(name: parameter)
        default:
            definition = .value(name: "", value: "")
            // One that is malformed is not missing as well.
            guard attributes.isUsable else { return }
            attributes.reject(.invalidDefine, "exactly one of NAME, IMPORT and QUERYPARAM must be there")
            return
        }
        guard attributes.isUsable else { return }
        if name != nil, value == nil { attributes.reject(.invalidDefine, "NAME without VALUE") }
        if !VariableTable.isName(self.name) {
            attributes.reject(.invalidDefine, "\(ReadingContext.quoted(self.name)) is not a variable name")
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
    /// The values of the variables that these tags define, as far as they say them or they are known.
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
    /// Adds the variable to those that the lines below may refer to.
    func define(_ tag: DefineTag, in kind: Playlist.Kind) {
        let value: String?
        switch tag.definition {
        case .value(_, let text): value = text
        case .imported(let name):
            value = options.importedVariables?[name]
            if kind == .multivariant {
                report(.invalidDefine, "EXT-X-DEFINE: IMPORT must not stand in a Multivariant Playlist")
            } else if value == nil {
                let reason =
                    options.importedVariables == nil
                    ? "the playlist was not loaded from a Multivariant Playlist"
                    : "the Multivariant Playlist does not define it"
                report(.unresolvedImport, "EXT-X-DEFINE: no value for \(Self.quoted(name)): \(reason)")
            }
        case .queryParameter(let name):
            value = options.url.flatMap { QueryParameters.value(of: name, in: $0) }
            if let value, value.utf8.contains(where: { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) {
                report(
                    .invalidDefine,
                    "EXT-X-DEFINE: the value of the query parameter \(Self.quoted(name)) must not stand in a quoted string"
                )
            } else if value == nil {
                report(
                    .unresolvedQueryParameter,
                    "EXT-X-DEFINE: the playlist's URL has no parameter \(Self.quoted(name)) with a value"
                )
            }
        }
        guard variables.values.count < options.limits.variables else {
            return report(.limitExceeded, "more than \(options.limits.variables) variables")
        }
        // An unresolved one counts as defined, so that one mistake is reported once.
        if !variables.define(tag.name, value ?? "") {
            report(.duplicateVariable, "EXT-X-DEFINE: \(Self.quoted(tag.name)) is defined twice")
        }
    }
}

/// The query of a URL.
///
///     query = parameter *( "&" parameter )      parameter = name [ "=" value ]
enum QueryParameters {
    /// The percent-decoded value of the first parameter of that name; nil when there is none with a value.
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
