/// What a computer is for.
enum SetupRole: String, CaseIterable {
    case kiosk, till, rental

    var words: String {
        switch self {
        case .kiosk: "customers serve themselves, and a clerk compares portraits"
        case .till: "a till orders age checks"
        case .rental: "a desk takes data of driving licences"
        }
    }

    /// What its program may do with its token.
    var scopes: [String] { self == .rental ? ["app", "readerTokens", "admin"] : ["app"] }

    /// What its program's token is called.
    var caller: String { self == .rental ? "desk" : "till" }

    var lane: String { self == .rental ? "desk-1" : "counter-1" }

    var purpose: String {
        self == .rental ? "To check your driving licence for this rental." : "To check your age."
    }

    var intent: String {
        switch self {
        case .kiosk: "age over 21 with portrait for a human to compare"
        case .till: "age over 21"
        case .rental: "rental: name, licence number"
        }
    }

    /// A person decides where a portrait is to be compared.
    var isConfirmed: Bool { self == .kiosk }

    var retentions: [SetupRetention] {
        self == .rental ? [.days, .receipt, .nothing] : [.nothing, .receipt]
    }
}
