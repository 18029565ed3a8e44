internal import MdocWallet

/// A DeviceResponse of a mutant, with its documents as they were issued.
struct ReissuedResponse {
    private(set) var bytes: [UInt8] = []
    private(set) var documents: [ReissuedDocument] = []
    /// Whether the documents of `bytes` are those of `documents`, in their order.
    private(set) var isOrdered = true

    /// - Parameter documents: the documents, not presented yet.
    init(_ documents: [ReissuedDocument], edits: [ReissueEdit.ResponseEdit]) throws {
        var documents = documents
        let issued = documents.map(\.items)
        var drafts: [CBORDraft] = []
        for index in documents.indices {
            drafts.append(try documents[index].present(others: issued.count > 1 ? issued[1 - index] : []))
        }
        self.documents = documents
        var response: CBORDraft = ["version": "1.0", "status": 0]
        for edit in edits { apply(edit, to: &drafts, of: &response) }
        if !drafts.isEmpty { response["documents"] = .array(drafts) }
        for edit in edits {
            guard case .tree(let tree) = edit else { continue }
            tree.apply(to: &response)
            isOrdered = false
        }
        bytes = response.encode()
        for edit in edits { damage(edit) }
    }

    private mutating func apply(
        _ edit: ReissueEdit.ResponseEdit, to drafts: inout [CBORDraft], of response: inout CBORDraft
    ) {
        switch edit {
        case .dropDocument(let index):
            guard drafts.indices.contains(index) else { return }
            drafts.remove(at: index)
            documents.remove(at: index)
        case .duplicateDocument(let index):
            guard drafts.indices.contains(index) else { return }
            drafts.append(drafts[index])
            documents.append(documents[index])
        case .reverseDocuments:
            drafts.reverse()
            documents.reverse()
        case .status(let status): response["status"] = .integer(status)
        case .documentError(let docType, let code):
            var errors = response["documentErrors"]?.items ?? []
            errors.append(.map([.init(key: .text(docType), value: .integer(code))]))
            response["documentErrors"] = .array(errors)
        case .tree, .flip, .cut: break
        }
    }

    private mutating func damage(_ edit: ReissueEdit.ResponseEdit) {
        guard !bytes.isEmpty else { return }
        switch edit {
        case .flip(let place, let mask): bytes[place % bytes.count] ^= mask
        case .cut(let place): bytes.removeSubrange((place % bytes.count)...)
        default: return
        }
        isOrdered = false
    }
}
