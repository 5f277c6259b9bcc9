import TextCoding

/// How one license request is written, and its answer read. Every vendor's differs.
///
/// | Shape | Content-Type | Request | Answer |
/// |---|---|---|---|
/// | ``raw(_:)`` | `application/octet-stream` | the SPC | the CKC |
/// | ``base64(_:)`` | `text/plain` | the SPC in base64 | the CKC in base64 |
/// | ``form(_:)`` | `application/x-www-form-urlencoded` | fields, the SPC in base64 | the CKC in base64 |
/// | ``json(_:)`` | `application/json` | fields, the SPC in base64 | a field, the CKC in base64 |
/// | ``init(contentType:write:read:)`` | any | any | any |
public struct LicenseShape: Sendable {
    /// What a request says.
    public struct Question: Hashable, Sendable {
        /// The SPC.
        public let spc: [UInt8]
        /// The asset ID, which stands in the SPC too.
        public let assetID: String
        /// Whether the key shall be kept.
        public let isPersistable: Bool
        /// Whether it is loaded before somebody needs it.
        public let isPreload: Bool

        /// Makes a question.
        public init(spc: [UInt8], assetID: String, isPersistable: Bool = false, isPreload: Bool = false) {
            self.spc = spc
            self.assetID = assetID
            self.isPersistable = isPersistable
            self.isPreload = isPreload
        }
    }

    /// A question, written.
    public struct Written: Hashable, Sendable {
        /// Names and values for the address's query.
        public var query: [Pair]
        /// The body.
        public var body: [UInt8]

        /// Makes one.
        public init(query: [Pair] = [], body: [UInt8]) {
            self.query = query
            self.body = body
        }
    }

    /// A name and its value.
    public struct Pair: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a pair.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What fields are called; nil leaves a field out. The defaults are Keyway's.
    public struct FieldNames: Hashable, Sendable {
        /// The SPC in base64.
        public var spc = "spc"
        /// The asset ID.
        public var assetID: String? = "assetId"
        /// Written when the key shall be kept.
        public var persist: String? = "persist"
        /// Written when the key is preloaded.
        public var preload: String? = "preload"
        /// The CKC in base64, in an answer in JSON.
        public var ckc = "ckc"

        /// Keyway's names.
        public init() {}
    }

    /// Content-Type of the request.
    public let contentType: String
    /// Writes a question.
    let write: @Sendable (Question) -> Written
    /// Takes the CKC out of an answer; nil when there is none.
    let read: @Sendable ([UInt8]) -> [UInt8]?

    /// A vendor's own shape.
    public init(
        contentType: String,
        write: @escaping @Sendable (Question) -> Written,
        read: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.contentType = contentType
        self.write = write
        self.read = read
    }

    /// SPC and CKC as they are.
    ///
    /// - Parameter names: Which fields stand in the address's query.
    public static func raw(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "application/octet-stream") { question in
            Written(query: names.pairs(question), body: question.spc)
        } read: {
            $0.isEmpty ? nil : $0
        }
    }

    /// SPC and CKC in base64.
    ///
    /// - Parameter names: Which fields stand in the address's query.
    public static func base64(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "text/plain") { question in
            Written(query: names.pairs(question), body: Array(Base64.encode(question.spc).utf8))
        } read: {
            ckc($0)
        }
    }

    /// A form, answered in base64.
    public static func form(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "application/x-www-form-urlencoded") { question in
            let spc = Pair(names.spc, Base64.encode(question.spc))
            return Written(body: Array(([spc] + names.pairs(question)).formEncoded.utf8))
        } read: {
            ckc($0)
        }
    }

    /// An object of JSON, answered by one.
    public static func json(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "application/json") { question in
            var fields = [JSONObject.Member(key: names.spc, value: .string(Base64.encode(question.spc)))]
            if let name = names.assetID { fields.append(.init(key: name, value: .string(question.assetID))) }
            if let name = names.persist, question.isPersistable { fields.append(.init(key: name, value: .bool(true))) }
            if let name = names.preload, question.isPreload { fields.append(.init(key: name, value: .bool(true))) }
            return Written(body: JSONValue.object(JSONObject(fields)).encoded())
        } read: { body in
            JSONValue(answer: body)?[names.ckc]?.text.flatMap { ckc(Array($0.utf8)) }
        }
    }

    private static func ckc(_ text: [UInt8]) -> [UInt8]? {
        guard let bytes = Base64.decode(text, .lenient), !bytes.isEmpty else { return nil }
        return bytes
    }
}

extension LicenseShape.FieldNames {
    fileprivate func pairs(_ question: LicenseShape.Question) -> [LicenseShape.Pair] {
        var pairs: [LicenseShape.Pair] = []
        if let assetID { pairs.append(.init(assetID, question.assetID)) }
        if let persist, question.isPersistable { pairs.append(.init(persist, "true")) }
        if let preload, question.isPreload { pairs.append(.init(preload, "true")) }
        return pairs
    }
}
