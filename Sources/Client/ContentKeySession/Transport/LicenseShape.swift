import TextCoding

/// The format of a license request and its response, which differs between vendors.
///
/// | Format | Content-Type | Request | Response |
/// |---|---|---|---|
/// | ``raw(_:)`` | `application/octet-stream` | the SPC | the CKC |
/// | ``base64(_:)`` | `text/plain` | the SPC in base64 | the CKC in base64 |
/// | ``form(_:)`` | `application/x-www-form-urlencoded` | fields, the SPC in base64 | the CKC in base64 |
/// | ``json(_:)`` | `application/json` | fields, the SPC in base64 | a field, the CKC in base64 |
/// | ``init(contentType:write:read:)`` | any | any | any |
public struct LicenseShape: Sendable {
    /// The contents of a license request.
    public struct Question: Hashable, Sendable {
        /// The SPC.
        public let spc: [UInt8]
        /// The asset ID, which is also in the SPC.
        public let assetID: String
        /// Whether the key will be persistent.
        public let isPersistable: Bool
        /// Whether the key is loaded before it is needed.
        public let isPreload: Bool

        /// Creates the contents of a request.
        public init(spc: [UInt8], assetID: String, isPersistable: Bool = false, isPreload: Bool = false) {
            self.spc = spc
            self.assetID = assetID
            self.isPersistable = isPersistable
            self.isPreload = isPreload
        }
    }

    /// An encoded license request.
    public struct Written: Hashable, Sendable {
        /// The items to add to the query of the address.
        public var query: [Pair]
        /// The body.
        public var body: [UInt8]

        /// Creates an encoded request.
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

        /// Creates a pair.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The names of the fields; nil omits a field. The defaults are Keyway's names.
    public struct FieldNames: Hashable, Sendable {
        /// The field for the SPC in base64.
        public var spc = "spc"
        /// The field for the asset ID.
        public var assetID: String? = "assetId"
        /// The field that marks a persistable key.
        public var persist: String? = "persist"
        /// The field that marks a preloaded key.
        public var preload: String? = "preload"
        /// The field for the CKC in base64 in a JSON response.
        public var ckc = "ckc"

        /// Creates Keyway's names.
        public init() {}
    }

    /// The Content-Type of the request.
    public let contentType: String
    /// Encodes a license request.
    let write: @Sendable (Question) -> Written
    /// Extracts the CKC from a response; nil if there is none.
    let read: @Sendable ([UInt8]) -> [UInt8]?

    /// Creates a vendor's format.
    public init(
        contentType: String,
        write: @escaping @Sendable (Question) -> Written,
        read: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.contentType = contentType
        self.write = write
        self.read = read
    }

    /// Returns the format with the bare SPC and CKC.
    ///
    /// - Parameter names: The names of the fields, which are added to the query of the address.
    public static func raw(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "application/octet-stream") { question in
            Written(query: names.pairs(question), body: question.spc)
        } read: {
            $0.isEmpty ? nil : $0
        }
    }

    /// Returns the format with the SPC and the CKC in base64.
    ///
    /// - Parameter names: The names of the fields, which are added to the query of the address.
    public static func base64(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "text/plain") { question in
            Written(query: names.pairs(question), body: Array(Base64.encode(question.spc).utf8))
        } read: {
            ckc($0)
        }
    }

    /// Returns the format with a form as the request and base64 as the response.
    public static func form(_ names: FieldNames = FieldNames()) -> LicenseShape {
        LicenseShape(contentType: "application/x-www-form-urlencoded") { question in
            let spc = Pair(names.spc, Base64.encode(question.spc))
            return Written(body: Array(([spc] + names.pairs(question)).formEncoded.utf8))
        } read: {
            ckc($0)
        }
    }

    /// Returns the format with a JSON object as the request and as the response.
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
