/// IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2) on its way to the issuer's signature.
struct IssuerSignedItemDraft {
    let nameSpace: String
    let identifier: String
    let value: CBORDraft
    let digestID: Int
    /// IssuerSignedItemBytes with its fault, if it has one: what the digest covers.
    private let draft: CBORDraft
    let encoded: [UInt8]

    init(_ element: TestDocument.Element, digestID: Int, random: [UInt8], fault: IssuerFault?) {
        nameSpace = element.nameSpace
        identifier = element.identifier
        value = element.value
        self.digestID = digestID
        var draft = CBORDraft.embedded([
            "digestID": .integer(Int64(digestID)),
            "random": .bytes(random),
            "elementIdentifier": .text(element.identifier),
            "elementValue": element.value,
        ])
        fault?.edit(item: &draft)
        self.draft = draft
        encoded = draft.encode()
    }

    /// The item as the phone keeps it: what was signed, unless the fault is that it was changed afterwards.
    func issued(with fault: IssuerFault?) -> IssuedDocument.Item {
        var changed = draft
        fault?.edit(issued: &changed)
        return IssuedDocument.Item(
            nameSpace: nameSpace, identifier: identifier, value: value, encoded: changed.encode())
    }
}
