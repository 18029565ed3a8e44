internal import MdocWallet

/// One change of a mutant.
enum ReissueEdit {
    /// By the issuer, who signs the outcome.
    case issuer(IssuerEdit)
    /// By the holder or somebody on the way, who has no key but the phone's.
    case holder(HolderEdit)
    case response(ResponseEdit)

    enum IssuerEdit {
        case item(Int, TreeEdit)
        case member(Int, String, CBORDraft)
        /// Replaces the value of the element with this name.
        case value(String, CBORDraft)
        /// Replaces the member of the MSO at this path, or removes it.
        case object([String], CBORDraft?)
        case objectTree(TreeEdit)
        case digestAlgorithm(Int)
    }

    enum HolderEdit {
        case withhold(Int)
        case disclose(Int)
        case item(Int, TreeEdit)
        case flip(Int, at: Int, UInt8)
        case move(Int, to: String)
        case duplicate(Int)
        /// Sends the item of the other document in place of this document's.
        case exchange(Int)
        case assert(String, String, CBORDraft)
        case error(String, String, CBORDraft)
        case tree(Layer, TreeEdit)
        case docType(String)
        case signIssuerPartWithOtherKey
        case bind(Binding)
    }

    /// A part that the issuer's signature does not cover.
    enum Layer: Int, CaseIterable {
        case issuerAuth, issuerSigned, deviceNameSpaces, deviceSigned, document
    }

    /// How the phone proves that the document is its own.
    enum Binding: Int, CaseIterable {
        case signature, mac, both, none, otherKey, otherTranscript, otherDocType
    }

    enum ResponseEdit {
        case tree(TreeEdit)
        case dropDocument(Int)
        case duplicateDocument(Int)
        case reverseDocuments
        case status(Int64)
        case documentError(String, Int64)
        case flip(at: Int, UInt8)
        case cut(at: Int)
    }
}

/// An edit and the number of the document that it is for.
struct ReissueStep {
    let document: Int
    let edit: ReissueEdit

    init(_ document: Int, _ edit: ReissueEdit) {
        self.document = document
        self.edit = edit
    }

    init(_ script: inout ReissueScript) {
        let head = script.byte()
        document = Int(head >> 7)
        switch head % 8 {
        case 0, 1: edit = .issuer(ReissueEdit.IssuerEdit(&script))
        case 7: edit = .response(ReissueEdit.ResponseEdit(&script))
        default: edit = .holder(ReissueEdit.HolderEdit(&script))
        }
    }

    var isIssuers: Bool { if case .issuer = edit { true } else { false } }
}

extension ReissueEdit.IssuerEdit {
    private static let dates = ["signed", "validFrom", "validUntil", "expectedUpdate"]

    init(_ script: inout ReissueScript) {
        switch script.number(below: 20) {
        case 0, 1: self = .item(script.item(), TreeEdit(&script))
        case 2...6: self = .member(script.item(), "elementValue", ReissueValues.value(&script))
        case 7: self = .member(script.item(), "elementIdentifier", .text(script.pick(ReissueValues.names)))
        case 8: self = .member(script.item(), "digestID", .integer(Int64(script.byte())))
        case 9: self = .member(script.item(), "random", .bytes(script.bytes()))
        case 10: self = .object(["status"], ReissueValues.status(&script))
        case 11: self = .object(["validityInfo", script.pick(Self.dates)], ReissueValues.date(&script))
        case 12: self = .object(["deviceKeyInfo", "keyAuthorizations"], Self.authorizations(&script))
        case 13:
            self = .object([script.pick(["version", "docType"])], script.pick(["1.0", "2.0", "x", .null]))
        case 14: self = .digestAlgorithm(script.number(below: 4))
        case 15: self = .value("portrait", script.pick(ReissueValues.portraits))
        case 16: self = .value(script.pick(["expiry_date", "birth_date"]), ReissueValues.date(&script))
        case 17: self = .value("driving_privileges", ReissueValues.privileges(&script))
        case 18: self = .value(script.pick(["age_over_21", "age_in_years"]), ReissueValues.value(&script))
        default: self = .objectTree(TreeEdit(&script))
        }
    }

    private static func authorizations(_ script: inout ReissueScript) -> CBORDraft {
        let name = CBORDraft.text(script.pick(ReissueValues.nameSpaces))
        switch script.number(below: 4) {
        case 0: return ["nameSpaces": [name]]
        case 1:
            return [
                "dataElements": .map([.init(key: name, value: [.text(script.pick(ReissueValues.names))])])
            ]
        case 2: return ["nameSpaces": [name], "dataElements": .map([.init(key: name, value: [])])]
        default: return ReissueValues.value(&script)
        }
    }
}

extension ReissueEdit.HolderEdit {
    init(_ script: inout ReissueScript) {
        switch script.number(below: 24) {
        case 0...9: self = .withhold(script.item())
        case 10: self = .disclose(script.item())
        case 11: self = .item(script.item(), TreeEdit(&script))
        case 12: self = .flip(script.item(), at: Int(script.byte()), script.byte())
        case 13: self = .move(script.item(), to: script.pick(ReissueValues.nameSpaces))
        case 14: self = .duplicate(script.item())
        case 15: self = .exchange(script.item())
        case 16:
            self = .assert(
                script.pick(ReissueValues.nameSpaces), script.pick(ReissueValues.names),
                ReissueValues.value(&script))
        case 17, 18:
            self = .error(
                script.pick(ReissueValues.nameSpaces), script.pick(ReissueValues.names),
                script.pick([0, 1, -1, "x", .null]))
        case 19, 20: self = .tree(script.pick(ReissueEdit.Layer.allCases), TreeEdit(&script))
        case 21: self = .docType(script.pick(ReissueValues.docTypes))
        case 22: self = .signIssuerPartWithOtherKey
        default: self = .bind(script.pick(ReissueEdit.Binding.allCases))
        }
    }
}

extension ReissueEdit.ResponseEdit {
    init(_ script: inout ReissueScript) {
        switch script.number(below: 8) {
        case 0: self = .dropDocument(script.number(below: 2))
        case 1: self = .duplicateDocument(script.number(below: 2))
        case 2: self = .reverseDocuments
        case 3: self = .status(script.pick([0, 10, 11, 12, 20]))
        case 4: self = .documentError(script.pick(ReissueValues.docTypes), Int64(script.byte()))
        case 5: self = .flip(at: script.place(), script.byte())
        case 6: self = .cut(at: script.place())
        default: self = .tree(TreeEdit(&script))
        }
    }
}

extension ReissueScript {
    /// The number of an item: below 128 of those that were asked for, else of all.
    fileprivate mutating func item() -> Int { Int(byte()) }

    fileprivate mutating func place() -> Int { Int(byte()) << 8 | Int(byte()) }
}
