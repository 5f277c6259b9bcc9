/// The errors of a log text.
struct PlatformErrorText {
    /// The maximum number of errors that are returned for a text.
    static let maximum = 32

    private let tokens: [PlatformErrorToken]

    init(_ text: String) {
        var tokens = PlatformErrorToken.tokens(of: text)
        // The whole text may be four characters without quotes.
        if text.utf8.count == 4, tokens != PlatformErrorToken.tokens(of: "'\(text)'") {
            let quoted = PlatformErrorToken.tokens(of: "'\(text)'")
            if case .number(let number)? = quoted.first, number.notation == .characters { tokens = quoted }
        }
        self.tokens = tokens
    }

    /// The errors, without duplicates.
    var mentions: [PlatformErrorMention] {
        var found: [Int: PlatformErrorMention] = [:]
        var used: Set<Int> = []
        for (index, token) in tokens.enumerated() {
            guard case .word(let word) = token, let domain = domain(word, at: index) else { continue }
            guard let place = numberPlace(of: index, used), let code = code(at: place, domain) else { continue }
            used.insert(place)
            found[place] = PlatformErrorMention(code)
        }
        let withDomain = Set(found.values.compactMap { $0.code?.number })
        let others = tokens.indices.filter { !used.contains($0) }
        let hasWords = tokens.contains { if case .word = $0 { true } else { false } }
        for index in others {
            guard isClear(index, isWholeText: !hasWords), let code = code(at: index, nil) else { continue }
            if !withDomain.contains(code.number) { found[index] = PlatformErrorMention(code) }
        }
        if found.isEmpty { found = fallback() }
        var seen: Set<PlatformErrorMention> = []
        return Array(
            found.sorted { $0.key < $1.key }.map(\.value).filter { seen.insert($0).inserted }.prefix(Self.maximum)
        )
    }

    /// Returns the errors of a text that contains neither a domain nor a large number of the catalog: small numbers of the
    /// catalog, names, or else numbers that are not in the catalog.
    private func fallback() -> [Int: PlatformErrorMention] {
        var small: [Int: PlatformErrorMention] = [:]
        var named: [Int: PlatformErrorMention] = [:]
        var unknown: [Int: PlatformErrorMention] = [:]
        for (index, token) in tokens.enumerated() {
            switch token {
            case .word(let word):
                let last = word.split(separator: ".").last.map(String.init) ?? word
                let explanation =
                    PlatformErrorCatalog.explanation(named: word) ?? PlatformErrorCatalog.explanation(named: last)
                named[index] = explanation.map { PlatformErrorMention($0) }
            case .number(let number)
            where number.looksLikeErrorNumber && number.notation != .hexadecimal || follows(index):
                guard let code = code(at: index, nil) else { continue }
                let mention = PlatformErrorMention(code)
                if mention.explanations.isEmpty { unknown[index] = mention } else { small[index] = mention }
            default: break
            }
        }
        if !small.isEmpty { return small }
        return named.isEmpty ? unknown : named
    }

    /// True if the number at an index, which has no domain, is an error without doubt.
    private func isClear(_ index: Int, isWholeText: Bool) -> Bool {
        guard case .number(let number) = tokens[index] else { return false }
        if isWholeText { return true }
        guard let code = code(at: index, nil), !PlatformErrorCatalog.explanations(number: code.number).isEmpty else {
            return false
        }
        // 1718449215, a positive number, looks like no other number of a log.
        return follows(index) || code.number.magnitude >= 10_000 && (number.looksLikeErrorNumber || code.number > 0)
    }

    /// True if the word before an index introduces an error number.
    private func follows(_ index: Int) -> Bool {
        guard index > 0, case .word(let word) = tokens[index - 1] else { return false }
        return Self.introductions.contains(word.lowercased())
    }

    /// Returns the code of the number at an index. A number without a sign may be a negative one whose sign was lost.
    private func code(at index: Int, _ domain: PlatformErrorDomain?) -> PlatformErrorCode? {
        guard case .number(let number) = tokens[index] else { return nil }
        let candidates = number.candidates
        let known = candidates.first { !PlatformErrorCatalog.explanations(number: $0, domain: domain).isEmpty }
        return (known ?? candidates.first).map { PlatformErrorCode(domain: domain, number: $0) }
    }

    /// Returns the index of the number that belongs to the domain at an index: after it, or before it.
    private func numberPlace(of index: Int, _ used: Set<Int>) -> Int? {
        func search(_ places: some Sequence<Int>, _ between: Set<String>) -> Int? {
            for place in places where tokens.indices.contains(place) {
                switch tokens[place] {
                case .number: return used.contains(place) ? nil : place
                case .word(let word) where between.contains(word.lowercased()): continue
                default: return nil
                }
            }
            return nil
        }
        return search((index + 1)...(index + 4), Self.introductions)
            ?? search(((index - 4)...(index - 1)).reversed(), Self.conclusions)
    }

    /// Returns the domain that a word represents.
    private func domain(_ word: String, at index: Int) -> PlatformErrorDomain? {
        var name = word.lowercased()
        if name.hasSuffix(".code") { name.removeLast(5) }
        if let known = Self.domains[name] { return known }
        guard word.utf8.count <= 100, !Self.introductions.contains(name), !Self.conclusions.contains(name) else {
            return nil
        }
        if name.hasSuffix("errordomain") || name.hasPrefix("kcferrordomain") { return .init(rawValue: word) }
        guard index > 0, case .word(let previous) = tokens[index - 1] else { return nil }
        return ["domain", "errordomain"].contains(previous.lowercased()) ? .init(rawValue: word) : nil
    }

    /// The words between a domain and its number.
    private static let introductions: Set<String> = [
        "error", "err", "code", "errorcode", "status", "statuscode", "errorstatuscode", "systemcode", "number",
        "rawvalue",
        "with",
    ]

    /// The words between a number and the domain that follows it.
    private static let conclusions: Set<String> = ["error", "domain", "errordomain", "nserrordomain", "in", "of"]

    /// The names of the catalog's domains in logs, in lowercase.
    private static let domains: [String: PlatformErrorDomain] = {
        var names: [String: PlatformErrorDomain] = [
            "avfoundation": .avFoundation, "averror": .avFoundation, "coremedia": .coreMedia, "osstatus": .osStatus,
            "nsosstatus": .osStatus, "nsurl": .url, "nsurlerror": .url, "urlerror": .url, "nscocoa": .cocoa,
            "cocoa": .cocoa, "cocoaerror": .cocoa,
        ]
        for domain in PlatformErrorDomain.all { names[domain.rawValue.lowercased()] = domain }
        return names
    }()
}
