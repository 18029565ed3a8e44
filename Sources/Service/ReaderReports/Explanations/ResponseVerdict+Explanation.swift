package import MdocVerification

extension ResponseFailure {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .version: "the DeviceResponse has no version, or one other than 1.x"
        case .statusMissing: "the DeviceResponse has no status"
        case .statusNotOK: "the phone reports an error instead of documents"
        case .noDocuments: "no document came"
        case .documentsNotVerifiable: "a document came in a form that this reader cannot verify"
        }
    }
}

extension NotReturned {
    /// What did not come, with the phone's code.
    package var explanation: String {
        switch self {
        case .document(let docType, let code):
            "\(Terminal.safe(docType, limit: 80)) was not returned\(Self.text(code))"
        case .element(let docType, let element, let code):
            "\(element.text) of \(Terminal.safe(docType, limit: 80)) was not returned\(Self.text(code))"
        }
    }

    private static func text(_ code: Int64?) -> String {
        code.map { " (code \($0))" } ?? ""
    }
}

extension DeviceBinding {
    /// The word for it in JSON.
    package var word: String {
        switch self {
        case .signature: "signature"
        case .mac: "mac"
        }
    }
}
